"""recording.py: the recording in a page of `simt --see`."""
import json
import re


def read(path):
    with open(path, encoding="UTF-8") as page:
        text = page.read()
    return json.loads(re.search(r'type="application/json">\s*(\{.*?\})\s*</script>', text, re.S).group(1))
