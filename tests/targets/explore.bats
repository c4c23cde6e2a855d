# simt --explore: what it writes of a program's launches. explore-module.bats runs them again.

load ../helpers

# A page that is only a mark, beside a copy of the simulator.
setup_file() {
    export own=$BATS_FILE_TMPDIR build=${BUILD:-build}
    mkdir "$own/bin" "$own/simt"
    cp "$build/bin/simt" "$own/bin"
    cp "$build"/simt/{libcudart.so.*,gpus.tsv} "$own/simt"
    printf 'before\n{"recording":"here"}\nafter\n' >"$own/page"
    make -s DEVICE=sim "$build/solutions/lab3/reduction"
}

setup() {
    cp "$own/page" "$own/simt/explore.html"
}

# explore ARGUMENT...: the page of lab 3 with these arguments.
explore() {
    run "$own/bin/simt" --quiet --explore "$BATS_TEST_TMPDIR/page.html" \
        "$build/solutions/lab3/reduction" --profile "$@"
}

# lines: the JSON of the page.
lines() {
    sed '1d; $d' "$BATS_TEST_TMPDIR/page.html"
}

@test "a page has each kernel with its shape, its parameters and its memory" {
    explore --size 5000 --block 128
    assert_success
    lines | python3 -c '
import json, sys
lines = json.load(sys.stdin)
blobs = {line["blob"]: line for line in lines if "blob" in line}
launches = [line for line in lines if "kernel" in line]
assert len(launches) == 9, len(launches)
for launch in launches:
    assert launch["gpu"] == "h200" and launch["shape"][3:6] == [128, 1, 1], launch
    assert [t[2] for t in launch["types"]] == ["pointer", "pointer", "number"], launch
    arrays = [a for a in launch["arrays"] if a[2] == ""]
    made = [blobs[a[3]] for a in arrays]
    assert (made[0]["size"], made[0]["fill"], made[0]["seed"]) == (20000, 2, 1), made[0]
    assert any((m["fill"], m["seed"]) == (1, 255) for m in made), made  # a poisoned output
sources = [line for line in lines if "file" in line]
assert len({line["file"] for line in sources}) == len(sources), sources
assert any("__global__ void reduceNeighbored(" in line["text"] for line in sources), sources
assert sum("lz4" in blob for blob in blobs.values()) == 1  # the code
'
}

@test "launches that repeat one are written down once" {
    run "$own/bin/simt" --quiet --explore "$BATS_TEST_TMPDIR/page.html" \
        "$build/solutions/lab3/reduction" --size 5000 --repeat 3 --step 1
    assert_success
    assert_equal "$(lines | grep -c '"kernel":')" 1
}

@test "without the page's module, or without a kernel, there is a sentence" {
    rm "$own/simt/explore.html"
    explore --size 5000
    assert_failure
    assert_output --partial "the page is not built yet: run make explore-page"
    cp "$own/page" "$own/simt/explore.html"
    run "$own/bin/simt" --quiet --explore "$BATS_TEST_TMPDIR/page.html" \
        "$build/solutions/lab3/reduction" --list
    assert_output --partial "the program launched no kernel"
}

@test "labs whose work is the host's have no page, and say why" {
    for lab in 11 12; do
        SIZE='' BLOCK='' run common/tools/explore.sh $lab simt program page
        assert_failure 2
        assert_output --partial "lab $lab has no such page: its steps"
    done
}
