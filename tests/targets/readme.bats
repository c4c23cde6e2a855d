# The README: its commands work as they are written, its run is what a run looks like, and what it
# names is there.

load ../helpers

setup_file() {
    copy_project
    # The reader's own program.
    printf '%s\n' '__global__ void kernel() {}' 'int main() {' '    kernel<<<1, 32>>>();' \
        '    return cudaDeviceSynchronize();' '}' >"$tree/own.cu"
}

# The lines of the fenced blocks of one language.
blocks() {
    awk -v language="$1" '$0 == "```" language { inside = 1; next } /^```/ { inside = 0 } inside' \
        README.md
}

# The commands that stand between the lines of text and in the tables.
inline() {
    awk '/^```/ { fenced = !fenced; next } !fenced' README.md | tr '\n' ' ' | grep -oE \
        '`make [^`]*`' | tr -d '`' | sort -u
}

# A command as it is written, in the copy, on a small problem where it does not name one.
as_written() {
    (cd "$tree" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD HOME="$tree/home" NO_INSTALL=1 SIZE=5000 bash -c "$1" </dev/null)
}

works() {
    run as_written "$1"
    assert_success # of $1
}

@test "every command works as it is written" {
    mapfile -t commands < <(blocks sh)
    assert [ "${#commands[@]}" -ge 15 ]
    for command in "${commands[@]}"; do
        case $command in
        # tests/bare runs them as they are written
        "make test") works "make --dry-run test >/dev/null" ;;
        # progress.bats runs it; it does not end
        "make watch-lab3"*) ;;
        "make handouts"*) ;;                                   # pages.bats runs it
        # explore-module.bats runs it, where emscripten is
        "make explore-"*) works "make --dry-run ${command#make }" ;;
        build/bin/labprof*lab3/reduction*) works "${command%%#*} --size 5000" ;;
        # Programs for that GPU stay behind, so that those for the other are not compiled again.
        *SIM_GPU=*)
            cp -p "$tree/build/nvcc-flags" "$BATS_TEST_TMPDIR/"
            works "$command"
            cp -p "$BATS_TEST_TMPDIR/nvcc-flags" "$tree/build/"
            ;;
        *) works "$command" ;;
        esac
    done
}

@test "the run shown is what a run looks like" {
    run -0 as_written "make lab3 FROM=solutions DEVICE=sim"
    # Numbers differ with the size and the machine; kernels, columns and verdicts do not.
    shape() { grep -E '^( *[0-9#] )' | sed -E \
        's/<<<[^>]*>>>/<<<>>>/; s/[0-9.]+[<~]?/0/g; s/ +/ /g'; }
    diff <(blocks text | shape) <(printf '%s\n' "$output" | shape)
    assert_equal "$(blocks text | shape | wc -l)" 10
}

@test "every command within the text works as it is written" {
    # The names that it uses for what a student hands in.
    cp -p labs/lab3-reduction/reduction.cu "$tree/path"
    mkdir -p "$tree/folder"
    cp -p labs/lab3-reduction/reduction.cu "$tree/folder/anna.cu"
    (cd "$tree/folder" && zip -q ../class.zip anna.cu)
    (cd "$tree" && git init -q && git add -A . && git -c user.name=x -c user.email=x@example.org commit -qm "As it is")
    mapfile -t commands < \
        <(inline | grep -vxF -f <(blocks sh | sed 's/ *#.*//') | grep -vx "make clean"; echo "make clean")
    assert [ "${#commands[@]}" -ge 8 ]
    for command in "${commands[@]}"; do
        case $command in
        "make setup CUDA=1" | *ENGINE=slurm*) ;; # setup.bats and slurm.bats run these
        "make rubric-lab3")
            works "$command"
            assert_line --regexp '^all +complete +80 of 80$'
            assert_line --regexp '^all +handed out +0 of 80$'
            assert_lines 4 '^all  *without-[a-z]*  *16 of 80$'
            assert_line --regexp '^reduceCompleteUnroll +copied reduceCompleteUnrollWarp8 +2 of 10$'
            ;;
        *) works "$command" ;;
        esac
    done
    assert [ ! -e "$tree/build" ]
}

@test "other systems' packages are those of the table" {
    for id in fedora arch suse; do
        echo "ID=$id" >"$BATS_TEST_TMPDIR/os-release"
        mkdir -p "$BATS_TEST_TMPDIR/bin"
        for tool in bash awk dirname paste; do ln -sf "$(command -v "$tool")" \
            "$BATS_TEST_TMPDIR/bin/$tool"; done
        run env PATH="$BATS_TEST_TMPDIR/bin" OS_RELEASE="$BATS_TEST_TMPDIR/os-release" \
            bash common/tools/setup.sh build front plots handouts watch tests
        assert_grep -F "\`${output#*missing: }\`" <README.md
    done
}

@test "the numbers of the run shown are those recorded" {
    # Kernel, time, bandwidth, and speed-up over the first.
    shown() { blocks text | awk '/ ok$/ { print $2, $5, $7, $9 }'; }
    recorded() { awk -F, '/^3,[1-9]/ { printf "%s %.4f %.1f %.2f\n", $3, $6, $9, $10 }' \
        plots/reference/h200-simt/lab3.csv; }
    assert_equal "$(recorded | wc -l)" 9
    diff <(shown) <(recorded)
}

@test "it has at most 120 lines" {
    assert [ "$(wc -l <README.md)" -le 120 ]
}

@test "every folder, file and target that it names is there" {
    # labN stands for a lab.
    for path in \
        $(grep -ohE '`(labs|solutions|handouts|common|plots|tests)/[A-Za-z0-9_./-]*`' README.md CONTRIBUTING.md | grep -v labN | tr -d '`'); \
        do
        assert [ -e "$path" ]
    done
    for picture in $(grep -oE '\]\([^)#]+\)' README.md | sed 's/](\(.*\))/\1/'); do assert [ -e \
        "$picture" ]; done
    run user_make help
    for target in profile check diff reset demo grade; do [ $target = grade ] || assert_output \
        --partial "$target-labN"; done
    for package in $(awk -F'\t' 'NR > 1 && $3 == "front" { print $1 }' common/packages.tsv); do \
        assert_grep "$package" <README.md; done
}
