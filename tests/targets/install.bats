# make install: simt, labprof and cudac as programs of their own, and their removal.

load ../helpers

setup_file() {
    copy_project
    # The copy's path and the prefix have a space in them.
    prefix="$BATS_FILE_TMPDIR/pre fix"
    export prefix
    cp tests/data/own.cu "$BATS_FILE_TMPDIR/own.cu"
    user_make DEVICE=sim install PREFIX="$prefix"
}

# installed COMMAND...: in another folder, with nothing of the project in the environment but the
# PATH.
installed() {
    mkdir -p "$BATS_TEST_TMPDIR/else where"
    (cd "$BATS_TEST_TMPDIR/else where" && env -u BUILD PATH="$prefix/bin:$PATH" "$@")
}

# In a prefix of the test's own: make_in PREFIX VERB.
make_in() {
    run --separate-stderr user_make DEVICE=sim "$2" PREFIX="$1"
}

@test "an installed simt and labprof run a program in another folder" {
    compile_cuda -cudart shared -lineinfo -gencode arch=compute_75,code=compute_75 -o \
        "$BATS_TEST_TMPDIR/own" "$BATS_FILE_TMPDIR/own.cu"
    mv "$tree" "$tree.away" # the project is not needed any more
    run installed simt --see page.html "$BATS_TEST_TMPDIR/own"
    mv "$tree.away" "$tree"
    assert_success
    assert_line "2 times 21 is 42"
    assert_grep twice <"$BATS_TEST_TMPDIR/else where/page.html"
    run installed simt --list-gpus
    assert_line --partial h200
    run -0 installed env DEVICE=sim labprof --metrics gld_efficiency "$BATS_TEST_TMPDIR/own"
    assert_line --regexp 'gld_efficiency .*100\.00%'
    run -0 installed env DEVICE=sim labncu --section LaunchStats "$BATS_TEST_TMPDIR/own"
    assert_output --partial "Section: Launch Statistics"
}

@test "an installed cudac compiles without the toolkit" {
    command -v clang++ clang++-19 clang++-16 clang++-14 >/dev/null || skip "no clang"
    CLANG=$(command -v clang++ clang++-19 clang++-16 clang++-14 | head -n 1)
    export CLANG
    run -0 installed cudac "$BATS_FILE_TMPDIR/own.cu" -o own
    run -0 installed ./own
    assert_line "2 times 21 is 42"
    echo '#include <cuda.h>
        int main() { return cuInit(0); }' >"$BATS_TEST_TMPDIR/driver.cu"
    run -0 installed cudac "$BATS_TEST_TMPDIR/driver.cu" -lcuda -o driver
    for version in . driver12 driver11.0; do
        assert [ -e "$prefix/lib/cuda-labs/simt/$version/libcuda.so.1" ]
    done
    run -0 installed simt --quiet ./driver
}

@test "man pages name every option; completion knows options, GPUs, metrics and then files" {
    for program in simt labprof labncu cudac; do assert_grep SYNOPSIS \
        <"$prefix/share/man/man1/$program.1"; done
    page=$(sed 's/\\-/-/g' "$prefix/share/man/man1/simt.1")
    for option in $("$prefix/bin/simt" --help | grep -oE -e '--[a-z-]+[a-z]'); do assert_grep -e \
        "$option" <<<"$page"; done

    # complete WORD...: what bash would offer for the last word.
    complete() {
        run installed bash -c \
            '. "$0/share/bash-completion/completions/simt"; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _simt; printf "%s\n" "${COMPREPLY[@]}"' \
            "$prefix" "$@"
    }
    complete simt --ch
    assert_output -- --check
    complete simt --gpu gtx10
    assert_output gtx1060
    complete labprof --metrics gld_eff
    assert_output gld_efficiency
    : >"$BATS_TEST_TMPDIR/else where/prog ram"
    complete simt --gpu h200 prog
    assert_line "prog ram"
    complete simt ./a.out --ch
    assert_output ""
}

@test "installed twice and removed, nothing is left; other people's files are" {
    own="$BATS_TEST_TMPDIR/p q"
    make_in "$own" install
    assert_success
    make_in "$own" install
    assert_success
    : >"$own/bin/other"
    make_in "$own" uninstall
    assert_success
    assert_equal "$(find "$own" -type f)" "$own/bin/other"
    rm "$own/bin/other"
    make_in "$own" install
    make_in "$own" uninstall
    assert_success
    assert_equal "$(find "$own")" "$own
$own/bin"
    make_in "$own" uninstall
    assert_failure
    assert_stderr --partial "uninstall: nothing is installed in $own"
}

@test "DESTDIR: a package's folder holds all of it, and it works where it is put" {
    run -0 user_make DEVICE=sim install PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/package"
    mv "$BATS_TEST_TMPDIR/package/usr" "$BATS_TEST_TMPDIR/moved"
    run "$BATS_TEST_TMPDIR/moved/bin/simt" --version
    assert_output "simt 1.0"
}

@test "a full disk, a folder that cannot be written, a file of that name: a sentence, and nothing half-written" {
    own="$BATS_TEST_TMPDIR/new"
    mkdir "$BATS_TEST_TMPDIR/bin"
    # A disk on which there is no room for the page of --see.
    cat >"$BATS_TEST_TMPDIR/bin/cp" <<'SH'
#!/bin/sh
case "$*" in *see.html*) echo "cp: error writing 'see.html': No space left on device" >&2; exit 1 ;; esac
exec /bin/cp "$@"
SH
    chmod +x "$BATS_TEST_TMPDIR/bin/cp"
    PATH="$BATS_TEST_TMPDIR/bin:$PATH" make_in "$own" install
    assert_failure
    assert_stderr --partial \
        "install: nothing was installed in $own: cp: error writing 'see.html': No space left on device"
    assert [ ! -e "$own" ]
    # The version installed before stays.
    make_in "$own" install
    PATH="$BATS_TEST_TMPDIR/bin:$PATH" make_in "$own" install
    assert_failure
    run -0 "$own/bin/simt" --version
    assert_equal "$(find "$own" -name '*.part')" ""

    : >"$BATS_TEST_TMPDIR/file"
    make_in "$BATS_TEST_TMPDIR/file" install
    assert_failure
    assert_stderr --partial "install: nothing was installed in $BATS_TEST_TMPDIR/file: mkdir: "
    mkdir -p "$BATS_TEST_TMPDIR/taken/bin"
    echo mine >"$BATS_TEST_TMPDIR/taken/bin/simt"
    make_in "$BATS_TEST_TMPDIR/taken" install
    assert_failure
    assert_stderr --partial "/bin/simt is there already, and is not this project's"
    assert_equal "$(cat "$BATS_TEST_TMPDIR/taken/bin/simt")" mine
    make_in /proc/nowhere install
    assert_failure
    assert_stderr --partial "install: nothing was installed in /proc/nowhere: mkdir: "
}
