"""annotations.py JUNIT SARIF: checks that both files are what services read, and that they have the
same reports. Prints each case and report: rule, places, count."""
import json, re, sys
import xml.etree.ElementTree as xml

suites = xml.parse(sys.argv[1]).getroot()
assert suites.tag == "testsuites"
(suite,) = suites
cases = suite.findall("testcase")
failures = [case.find("failure") for case in cases]
assert int(suite.get("tests")) == len(cases)
assert int(suite.get("failures")) == sum(f is not None for f in failures)
print("passed" if failures[0] is None else "failed", cases[0].get("classname"),
      cases[0].get("name"), end="")
print("" if failures[0] is None else ": " + failures[0].get("message"))

log = json.load(open(sys.argv[2], encoding="UTF-8"))
assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
(run,) = log["runs"]
driver = run["tool"]["driver"]
assert driver["name"] == "simt"
for rule in driver["rules"]:
    assert all(rule[m]["text"] for m in ("shortDescription", "fullDescription", "help"))
rules = {rule["id"] for rule in driver["rules"]}
def place(location):
    physical = location["physicalLocation"]
    return f"{physical['artifactLocation']['uri']}:{physical['region']['startLine']}"
assert len(run["results"]) == len(cases) - 1
for result, case, failure in zip(run["results"], cases[1:], failures[1:]):
    assert result["ruleId"] in rules and result["level"] == "error"
    assert result["message"]["text"] == failure.text and failure.get("type") == result["ruleId"]
    places = [place(l) for l in result["locations"] + result.get("relatedLocations", [])]
    if case.get("file"):
        assert places[0] == f"{case.get('file')}:{case.get('line')}"
    count = re.search(r" \[(.*)\]", failure.text)
    print(result["ruleId"], *places, end=f": {count[1]}\n" if count else "\n")
