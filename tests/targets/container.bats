# The Containerfile, .devcontainer and the notebook name what there is. tests/bare/container.sh and
# tests/notebook.sh run them.

load ../helpers

# is_target NAME...: make has these targets.
is_target() {
    run -0 make --dry-run DEVICE=sim NO_INSTALL=1 "$@"
}

@test "the Containerfile has instructions that the chroot knows, and targets of make" {
    known=$(grep -oE '^        [A-Z]+\)' tests/bare/container.sh | tr -d ' )')
    for instruction in $(grep -oE '^[A-Z]+' Containerfile); do assert_regex "$known CMD" \
        "(^|[[:space:]])$instruction($|[[:space:]])"; done
    # shellcheck disable=SC2046 # words
    is_target \
        $(grep -oE '\bmake [a-z0-9-]+' Containerfile | cut -d ' ' -f 2 | grep -vx test-container)
}

@test "a codespace has the editor's extensions, and begins with targets of make" {
    run python3 -c '
import json
print(*json.load(open(".devcontainer/devcontainer.json"))["customizations"]["vscode"]["extensions"])
print(*json.load(open(".vscode/extensions.json"))["recommendations"])'
    assert_equal "${lines[0]}" "${lines[1]}"
    run python3 -c \
        'import json; print(json.load(open(".devcontainer/devcontainer.json"))["postCreateCommand"])'
    assert_output "common/tools/setup.sh editor && make simt compile-commands"
    assert_grep -P '\teditor\t' <common/packages.tsv
    is_target simt compile-commands
}

@test "the notebook has no outputs, and its commands are targets of make" {
    run -0 python3 -c '
import json
cells = json.load(open("notebooks/colab.ipynb"))["cells"]
code = [cell for cell in cells if cell["cell_type"] == "code"]
assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
print(*("".join(cell["source"]).split("make ")[1] for cell in code if "make " in "".join(cell["source"])))'
    assert_output "lab3 hint-lab3 profile-lab3 check-lab3 doctor"
    # shellcheck disable=SC2086 # words
    is_target $output
}
