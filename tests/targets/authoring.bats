# A lab of one's own: make new-lab begins one that works, or nothing; handouts/authoring.md,
# followed word by word, ends with a lab.
# needs nvcc

load ../helpers

setup_file() {
    copy_project
}

# listing: all files of the copy but those built, with their contents' sums.
listing() {
    (cd "$tree" && find . -path ./build -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum)
}

# refused STATUS WORDS COMMAND...: run in the copy, it fails so.
refused() {
    run env -C "$tree" "${@:3}"
    assert_failure "$1"
    assert_output --partial "$2"
}

new_lab() {
    refused 2 "$1" common/dev/new-lab.sh "$2" build/bin/skeleton
}

@test "a name that cannot be is refused, and changes nothing" {
    listing >"$BATS_TEST_TMPDIR/before"
    for name in '' x 'my scan' Scan scän 1st ../scan 'scan;ls' _scan scan_ \
        a_very_long_name_of_a_lab_indeed; do
        new_lab "NAME='$name': give 2 to 24 small letters" "$name"
    done
    for name in int float main; do new_lab "this word is reserved" "$name"; done
    for name in reduction shared_reduction host_device; do new_lab "there is such a lab" "$name"; \
        done
    touch "$tree/plots/lab17.gp"
    new_lab "plots/lab17.gp is there, and no lab has the number 17: remove it" prefix
    rm "$tree/plots/lab17.gp"
    refused 2 "NAME='': give" make --no-print-directory new-lab
    diff "$BATS_TEST_TMPDIR/before" <(listing)
}

@test "a run that is interrupted, or cannot finish, leaves nothing half made" {
    listing >"$BATS_TEST_TMPDIR/before"
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\nkill -TERM $PPID\n' >"$BATS_TEST_TMPDIR/bin/skeleton"
    # The last thing that is put in place cannot be.
    printf \
        '#!/bin/sh\ncase "$*" in *after*labs.tsv*) echo "mv: No space left on device" >&2; exit 1 ;; esac\nexec /bin/mv "$@"\n' \
        >"$BATS_TEST_TMPDIR/bin/mv"
    chmod +x "$BATS_TEST_TMPDIR"/bin/*
    refused 130 "" common/dev/new-lab.sh prefix "$BATS_TEST_TMPDIR/bin/skeleton"
    refused 1 "No space left" env PATH="$BATS_TEST_TMPDIR/bin:$PATH" common/dev/new-lab.sh prefix \
        build/bin/skeleton
    diff "$BATS_TEST_TMPDIR/before" <(listing)
    refused 1 "" common/dev/new-lab.sh prefix false
    diff "$BATS_TEST_TMPDIR/before" <(listing)
}

# page_as_script: the page's commands, and its files as commands that write them.
page_as_script() {
    awk '/^```sh$/ { inside = 1; next }
        /^```[a-z]+ file=/ { sub(/.*file=/, ""); print "cat >" $0 " <<\"END OF FILE\""; inside = file = 1; next }
        /^```$/ { if (file) print "END OF FILE"; inside = file = 0; next }
        inside' handouts/authoring.md
}

# as_author SCRIPT: run it in the copy, on a small problem.
as_author() {
    (cd "$tree" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD NO_INSTALL=1 DEVICE=sim SIZE=20000 bash -eo pipefail "$@")
}

@test "the template is a lab: it is formatted, has all points, and its text's claims are there" {
    run -0 user_make new-lab NAME=two_words
    lab=lab17-two-words
    (cd "$tree" && clang-format --dry-run -Werror "solutions/$lab/two_words.cu")
    run -0 user_make rubric-lab17
    assert_line --regexp '^twoWordsSideBySide +complete +10 of 10$'
    assert_line --regexp '^twoWordsSideBySide +copied twoWordsApart +2 of 10$'
    (cd "$tree" && awk -f handouts/marks.awk handouts/claims.tsv handouts/lab17.md)
    assert_grep -F "(handouts/lab17.md)" <"$tree/README.md"
    run user_make list
    assert_line --regexp "^lab17 +labs/$lab/two_words.cu +Two words: "
    rm -rf "$tree"/{labs,solutions}/"$lab" "$tree"/build/grade/lab17
    rm "$tree/plots/lab17.gp" "$tree"/handouts/lab17.* "$tree/tests/labs/lab17.bats"
    cp labs/labs.tsv "$tree/labs/"
    cp handouts/claims.tsv "$tree/handouts/"
    cp README.md "$tree/"
}

@test "authoring.md, followed word by word, ends with a lab that works and a text whose claims hold" {
    page_as_script >"$BATS_TEST_TMPDIR/script"
    assert [ "$(grep -c '^make ' "$BATS_TEST_TMPDIR/script")" -ge 8 ]
    as_author "$BATS_TEST_TMPDIR/script" >"$BATS_TEST_TMPDIR/log" 2>&1 || fail \
        "$(tail -n 20 "$BATS_TEST_TMPDIR/log")"
    run cat "$BATS_TEST_TMPDIR/log"
    assert_line --regexp ' 3  scanShuffle .* ok$'
    assert_line --regexp \
        '^next: labs/lab17-prefix/prefix.cu:[0-9]+: scanTwoBuffers: .*\(handouts/lab17.md#scantwobuffers\)$'
    assert_line --regexp '^all +complete +20 of 20$'
    assert_lines 1 '^ok .* scan-buffers: '
    assert_lines 1 '^ok .* scan-shuffle: '
    assert_lines 2 '^ok [12] \(any size\|the handed-out\)'
    refute_output --partial "not ok"
    (cd "$tree" && clang-format --dry-run -Werror solutions/lab17-prefix/prefix.cu && awk -f handouts/marks.awk handouts/claims.tsv handouts/lab17.md)
    assert_grep -E 'on simt [0-9]+<!--=simt_buffers-->' <"$tree/handouts/lab17.md"
    assert_grep '</svg>' <"$tree/handouts/img/lab17-time.svg"
}
