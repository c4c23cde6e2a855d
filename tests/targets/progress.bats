# How far a student is with the labs, and what helps: progress, hint-labN, watch-labN; predictions
# and answers, and the report of them.

load ../helpers

setup_file() {
    copy_project
    student=$tree/labs/lab3-reduction/reduction.cu
    export student
}

setup() {
    as_handed_out
    answers=$tree/labs/lab3-reduction/answers.md
    rm -rf "$tree"/build/lab3/{run.csv,metrics.csv,predictions.csv,hints} "$answers"
}

# solve STEP: put the solution's text of this step into the student's file.
solve() {
    awk -v step="$1" 'FNR == NR { if ($0 ~ "BEGIN SOLUTION " step "$") on = 1; if (on) text = text $0 "\n"; if (/END SOLUTION/) on = 0; next }
        $0 ~ "BEGIN SOLUTION " step "$" { printf "%s", text; off = 1 } !off { print } /END SOLUTION/ { off = 0 }' \
        solutions/lab3-reduction/reduction.cu "$student" >"$student.new"
    mv "$student.new" "$student"
}

# first_todo: the line where lab 3's first begins.
first_todo() {
    grep -nm 1 'BEGIN SOLUTION' labs/lab3-reduction/reduction.cu | cut -d: -f1
}

@test "progress: each lab, and what is to do first, in 80 columns" {
    run -0 user_make progress
    assert_line --regexp '^lab3 .* 0 +0 of +8  to do: reduceNeighboredLess:'"$(first_todo)\$"
    assert_output --partial "0 of $(cat labs/*/*.cu | grep -c 'BEGIN SOLUTION') steps are right"
    refute_output --regexp $'[^\n]{81}'
}

@test "progress: a step is new, then right; a wrong one is wrong" {
    solve reduceNeighboredLess
    run user_make progress
    assert_line --regexp '^lab3 .* 1 +0 of +8  run it: reduceNeighboredLess:'"$(first_todo)\$"
    # At a terminal: step 1's prediction is left open, all after step 2's first is, too.
    export -f user_make
    printf '\n\nabc\n1,7\n\004' >"$BATS_TEST_TMPDIR/typed"
    run -0 env SHELL="$BASH" script -qec 'user_make lab3 DEVICE=sim SIZE=1000 PREDICT=1' /dev/null \
        <"$BATS_TEST_TMPDIR/typed"
    assert_line --partial "reduceNeighboredLess: a block has 32 warps."
    assert_line --partial "not a number: give one such as 1.5, or leave it open"
    assert_line --regexp '^  reduceNeighboredLess +x before +predicted 1,7 +measured [0-9.]+'
    assert_grep -x -- '- x before: 1,7' <"$answers"
    run user_make progress
    assert_line --regexp '^lab3 .* 1 +1 of +8  to do: reduceInterleaved:[0-9]+$'
    # A comment changes no result, code may.
    sed -i '1i // my own' "$student"
    run user_make progress
    assert_line --regexp '^lab3 .* 1 +1 of +8  to do: reduceInterleaved:[0-9]+$'
    sed -i 's/idata\[index\] += idata/idata[index] -= idata/' "$student"
    run user_make progress
    assert_line --regexp '^lab3 .* 1 +0 of +8  run it: reduceNeighboredLess:[0-9]+$'
    run ! user_make lab3 DEVICE=sim SIZE=1000
    run user_make progress
    assert_line --regexp '^lab3 .* 1 +0 of +8  wrong: reduceNeighboredLess:[0-9]+$'
}

@test "progress: a file whose marks are damaged is named" {
    sed -i '0,/END SOLUTION/s///' "$student"
    run -2 user_make progress
    assert_output --partial "labs/lab3-reduction/reduction.cu:"
}

@test "hints: one more each time, and again from the first for the next step" {
    run -0 user_make hint-lab3
    assert_output --partial "1. Read handouts/lab3.md#reduceneighboredless"
    assert_output --partial "1 of 7 hints"
    run user_make hint-lab3
    assert_output --partial "2. Thread tid works at index"
    for _ in 3 4 5 6 7; do run user_make hint-lab3; done
    assert_output --partial "7 of 7 hints: all there are."
    solve reduceNeighboredLess
    user_make lab3 DEVICE=sim SIZE=1000
    run user_make hint-lab3
    assert_line --partial "reduceInterleaved (labs/lab3-reduction/reduction.cu:"
    assert_output --partial "1 of "
}

@test "hints: each step of each lab has one that is more than where to read" {
    common/tools/hints.sh >"$BATS_TEST_TMPDIR/hints.tsv"
    for file in labs/*/*.cu; do
        for step in $(sed -n 's/.*BEGIN SOLUTION //p' "$file"); do
            [ "$(cut -f 2 "$BATS_TEST_TMPDIR/hints.tsv" | grep -cx "$step")" -ge 2 ] || fail \
                "$file: no hint for $step"
        done
    done
}

@test "hints: none shows a line of a solution" {
    common/tools/hints.sh | cut -f 3 >"$BATS_TEST_TMPDIR/hints"
    sed 's/^ *//' solutions/*/*.cu | grep -E ';$' | grep -E '.{16,}' >"$BATS_TEST_TMPDIR/lines"
    run -1 grep -Ff "$BATS_TEST_TMPDIR/lines" "$BATS_TEST_TMPDIR/hints"
}

@test "answers: a file with each step's question, for every lab; what stands in it stays" {
    mapfile -t labs < <(sed 1d labs/labs.tsv | cut -f 1)
    user_make "${labs[@]/#/answers-lab}" >/dev/null
    for lab in "${labs[@]}"; do
        folder=labs/$(lab_field "$lab" folder)
        steps=$(grep -c ' Question: ' "$folder"/*.cu)
        assert_equal "lab $lab: $(grep -c '^> .' "$tree/$folder/answers.md")" "lab $lab: $steps"
        for step in $(sed -n 's/.*BEGIN SOLUTION //p' "$folder"/*.cu); do assert_grep -x \
            "## $step" <"$tree/$folder/answers.md"; done
        [ "$lab" = 3 ] || rm "$tree/$folder/answers.md"
    done
    printf 'mine' >"$answers"
    run user_make answers-lab3
    assert_output "labs/lab3-reduction/answers.md: 9 questions added"
    assert_equal "$(head -n 1 "$answers")" mine
    cp "$answers" "$BATS_TEST_TMPDIR/before"
    run user_make answers-lab3
    assert_output "labs/lab3-reduction/answers.md: all 9 questions are there"
    cmp "$answers" "$BATS_TEST_TMPDIR/before"
}

@test "answers: without a terminal PREDICT=1 says where to write" {
    run -2 user_make lab3 DEVICE=sim SIZE=1000 PREDICT=1 </dev/null
    assert_output --partial \
        "PREDICT=1 needs a terminal: \`make answers-lab3\` writes labs/lab3-reduction/answers.md"
    assert [ ! -e "$answers" ]
    for goals in "labs" "lab3 lab4" "lab3 FROM=solutions" "profile-lab3"; do
        # shellcheck disable=SC2086 # several goals
        run -2 user_make $goals DEVICE=sim PREDICT=1
        assert_output --partial "PREDICT=1: goes with one lab, and with your own program"
    done
}

# As make lab3 would: step 2 is 1.5 times as fast as step 1, step 3 not measured.
measured() {
    mkdir -p "$tree/build/lab3"
    {
        echo \
            "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,device"
        echo "3,1,reduceNeighbored,(1 1 1),(1 1 1),0.003,0.003,0.003,10,1,ok,modelled,GPU (simt)"
        echo \
            "3,2,reduceNeighboredLess,(1 1 1),(1 1 1),0.002,0.002,0.002,15,1.5,ok,modelled,GPU (simt)"
    } >"$tree/build/lab3/run.csv"
    printf '%s\n' lab,step,kernel,grid,block,metric,value,unit \
        "3,2,reduceNeighboredLess,(1 1 1),(1 1 1),dram_read_throughput,2e12,B/s" \
        >"$tree/build/lab3/metrics.csv"
    cp "$student" "$tree/build/lab3/run.source"
}

compare() {
    run -0 --separate-stderr env -C "$tree" build/bin/answers compare \
        labs/lab3-reduction/{answers.md,reduction.cu} build/lab3/{run,metrics,predictions}.csv
}

@test "answers: each prediction beside its measurement; a later one does not take the place of the first" {
    printf '%s\n' '## reduceNeighboredLess' '- x before: 2' '- dram_read_throughput: 1900 GB/s' \
        '## reduceInterleaved' '- x before: half' '## mispelt' >"$answers"
    compare
    assert_line --regexp '^  reduceNeighboredLess +x before +predicted 2 +not measured yet$'
    measured
    compare
    assert_line --regexp '^  reduceNeighboredLess +x before +predicted 2 +measured 1.5$'
    assert_line --regexp \
        '^  reduceNeighboredLess +dram_read_throughput +predicted 1900 GB/s +measured 2000 GB/s$'
    assert_line --partial 'labs/lab3-reduction/answers.md:5: no number: half'
    assert_stderr \
        "labs/lab3-reduction/answers.md:6: mispelt is not a step of this lab; its section is not read"
    sed -i 's/before: 2/before: 1.5/; $d' "$answers"
    printf '%s\n' '## reduceNeighbored' '- time_ms: 0.003' >>"$answers"
    compare
    assert_line --regexp \
        '^  reduceNeighboredLess +x before +predicted 1.5 +measured 1.5 \(first predicted: 2\)$'
    # The step was measured when its prediction was not there.
    sed -i 's/time_ms: 0.003/time_ms:/' "$answers"
    rm "$tree/build/lab3/predictions.csv"
    compare
    sed -i 's/time_ms:/time_ms: 0.003/' "$answers"
    compare
    assert_line --regexp \
        '^  reduceNeighbored +time_ms +predicted 0.003 +measured 0.003 \(predicted after it was measured\)$'
    assert_grep '^reduceNeighboredLess,x before,1.5,1.5,1.5$' <"$tree/build/lab3/predictions.csv"
}

@test "report: one page, in which what a student writes is text; an archive to hand in" {
    hostile='</pre><script>alert(1)</script><img src=x onerror=alert(2)> ![](file:///etc/passwd) & "'
    printf '%s\n' '## reduceNeighboredLess' "- x before: 2 $hostile" 'Answer:' '' "$hostile" '' \
        "# $hostile" >"$answers"
    printf '\xff\n' >>"$answers"
    solve reduceNeighboredLess
    sed -i "s|^ *unsigned int index = .*|&  // $hostile|" "$student"
    measured
    run -0 user_make report LAB=3
    assert_output --partial "hand in build/report/lab3.tar.gz"
    page=$tree/build/report/lab3.html
    assert_equal "$(grep -c '&lt;script&gt;alert(1)&lt;/script&gt;' "$page")" 4
    run ! grep -iE '<script|<img src=x|root:|(src|href)="(https?|file|javascript):' "$page"
    assert_grep -F '<td>reduceNeighboredLess</td><td>right</td><td>0.002</td><td>1.5</td>' <"$page"
    assert_grep -F '%FF' <"$page"
    assert_grep -F '<ins>+     int *idata = g_idata + chunk;</ins>' <"$page"
    run tar -tzf "$tree/build/report/lab3.tar.gz"
    assert_output $'report.html\nlabs/lab3-reduction/reduction.cu\nlabs/lab3-reduction/answers.md'
}

@test "report: without LAB of all that was begun, or a sentence" {
    run -2 user_make report
    assert_output --partial "no lab has been begun"
    run -2 user_make report LAB=99
    assert_output --partial "LAB=99"
    printf '%s\n' '## reduceNeighboredLess' 'Answer: yes' >"$answers"
    run -0 user_make report
    assert_equal "$(grep -o '<h1[^>]*>[^<]*' "$tree/build/report/labs.html" | sed 's/.*>//')" \
        "Lab 3: Reduction"
    assert_grep -F 'Nothing has been measured' <"$tree/build/report/labs.html"
    assert_equal "$(tar -tzf "$tree/build/report/labs.tar.gz")" \
        $'report.html\nlabs/lab3-reduction/reduction.cu\nlabs/lab3-reduction/answers.md'
}

# slow_compiler: in $compiler, make's settings for the labs' compiler, but lab 3's file is saved with
# a mistake while it compiles that: after it has read the file, before its program is there. What
# the usual one has built, it need not build again.
slow_compiler() {
    local script=$BATS_TEST_TMPDIR/compiler name=clang++
    ! with_nvcc || name=nvcc
    printf '%s\n' '#!/bin/bash' "$(command -v $name) \"\$@\" || exit" \
        'for ((i = 1; i < $#; i++)); do [ "${!i}" != -o ] || { i=$((i + 1)) && out=${!i}; }; done' \
        "[[ \$out = */lab3/reduction.new || \$out = */host.o ]] || exit 0" \
        "! grep -q 'index\\] += idata' '$student' || { sed -i 's/index\\] += idata/index] -= idata/' '$student'; touch \"\$out\"; }" \
        >"$script"
    chmod +x "$script"
    compiler=("CLANG=$script" 'BUILT_WITH=$(if $@,$(file <$@))')
    ! with_nvcc || compiler[0]=NVCC=$script
}

@test "what is saved while it is compiled comes next: no verdict on the older program" {
    slow_compiler
    cp solutions/lab3-reduction/reduction.cu "$student"
    run -2 user_make lab3 DEVICE=sim SIZE=1000 "${compiler[@]}"
    assert_output --partial \
        "next: labs/lab3-reduction/reduction.cu was saved after this program was compiled, so run it again"
    refute_output --partial "All right"
    run user_make progress
    assert_line --regexp '^lab3 .* 8 +0 of +8  run it: reduceNeighboredLess:[0-9]+$'
    run user_make hint-lab3
    assert_line --regexp '^reduceNeighboredLess .*: written after the last run$'
    run -2 user_make check-lab3 DEVICE=sim SIZE=1000 "${compiler[@]}"
    assert_output --partial "reduceNeighboredLess <<<1, 1024>>>: WRONG"
    # A check too says what it was not about.
    cp solutions/lab3-reduction/reduction.cu "$student"
    run -2 user_make check-lab3 DEVICE=sim SIZE=1000 "${compiler[@]}"
    assert_output --partial "was saved after this program was compiled"
    run -2 user_make lab3 DEVICE=sim SIZE=1000 "${compiler[@]}"
    assert_line --regexp '^ 2  reduceNeighboredLess .* WRONG'
}

# watch SETTING...: start watch-lab3; prints PATTERN: wait until it has printed a line like this;
# stop_watching.
watch() {
    user_make watch-lab3 DEVICE=sim SIZE=1000 "$@" >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
}

prints() {
    for ((i = 0; i < 300; i++)); do
        ! grep -q "$1" "$BATS_TEST_TMPDIR/log" || return 0
        sleep 0.2
    done
    stop_watching
    assert_grep "$1" <"$BATS_TEST_TMPDIR/log"
}

stop_watching() {
    local process
    for process in $(pgrep -x entr); do [ "$(readlink "/proc/$process/cwd")" != "$tree" ] || kill \
        "$process"; done
    wait || true
}

@test "watch: of two quick saves the second is run, too" {
    slow_compiler
    cp solutions/lab3-reduction/reduction.cu "$student"
    watch "${compiler[@]}"
    prints 'reduceNeighboredLess: wrong result'
    stop_watching
    refute_grep 'All right' "$BATS_TEST_TMPDIR/log"
}

@test "watch: make -n only says what it would do" {
    run -0 user_make -n watch-lab3 DEVICE=sim
    assert_line --partial "entr -an make --no-print-directory lab3"
    refute_output --partial "reduceNeighbored"
}

@test "watch: runs the lab, and again at a save of other code" {
    watch
    prints 'next: labs/lab3.* reduceNeighboredLess: '
    sed -i '1s|$| // a remark|' "$student"
    prints '^No code has changed: the table above still holds[.]$'
    solve reduceNeighboredLess
    prints 'next: labs/lab3.* reduceInterleaved: '
    stop_watching
    assert_grep -E 'reduceNeighboredLess .* ok$' <"$BATS_TEST_TMPDIR/log"
    assert_equal "$(grep -c '^Lab 3: ' "$BATS_TEST_TMPDIR/log")" 2
}

# ran TEXT [REASON]: does watched.sh run the program of this text?
ran() {
    printf "$1" >lab.cu
    "$root/common/make/compile.sh" "${2-}" '' lab.cu program ./compiler
    "$root/common/make/watched.sh" ran program '' echo "it runs" >log
    grep -q 'it runs' log && echo yes || echo no
}

@test "watch: what is code, and what is not" {
    local root=$PWD
    cd "$BATS_TEST_TMPDIR"
    printf '#!/bin/sh\ncp "$4" "$3"; echo "$1" >>"$3"\n' >compiler
    chmod +x compiler
    assert_equal "$(ran 'int a; // x\nint b;\n' new)" yes
    assert_equal "$(ran 'int a; // x\nint b;\n')" no
    assert_equal "$(ran 'int a; /* y */\nint b; // z\n')" no
    assert_equal "$(ran 'int a; /* y */\nint b; // z\n' new)" yes
    assert_equal "$(ran 'int a; /* y */\nint c; // z\n')" yes
    assert_equal "$(ran 'int a; /* y\n */ int c;\n')" yes
    assert_equal "$(ran 'int a; /* z // /*\n */ int c;\n')" no
    assert_equal "$(ran 'int a; /* z\n\n */ int c;\n')" yes
    assert_equal "$(ran 'const char *a = "// y";\n')" yes
    assert_equal "$(ran 'const char *a = "// z";\n')" yes
    assert_equal "$(ran 'int a; // y \\\nint b;\n')" yes
    assert_equal "$(ran 'int a; // z \\\nint b;\n')" yes
    assert_equal "$(ran 'auto r = R"(y \n)";\n')" yes
    assert_equal "$(ran 'auto r = R"(y\n)";\n')" yes
    assert_equal "$(ran 'int a;\n')" yes
    assert_equal "$(ran 'int a; // x\n')" no
    printf 'program: a.h\n\na.h:\n' >program.d
    touch a.h
    assert_equal "$(ran 'int a; // y\n')" yes
    assert_equal "$(ran 'int a; // z\n')" no
    touch a.h
    assert_equal "$(ran 'int a; // y\n')" yes
    # A run that found something wrong, and a program whose code is not known.
    printf 'int d;\n' >lab.cu
    "$root/common/make/compile.sh" '' '' lab.cu program ./compiler
    run -3 "$root/common/make/watched.sh" ran program '' sh -c 'exit 3'
    assert_equal "$(ran 'int d;\n')" yes
    rm program.code
    for _ in 1 2; do
        run -0 "$root/common/make/watched.sh" ran program '' echo "it runs"
        assert_output "it runs"
    done
}
