#!/usr/bin/env bash
# run.sh BUILD [STUDENTS]: a class on a Slurm cluster of two nodes that has trouble: a node loses
# its power in the middle and comes back later, the controller is restarted, and the other node's
# disk fills up. At the end the class has the bytes that the same submissions have on this machine
# without a cluster. The class is made of 40 submissions of lab 4 and copies of them. Needs root,
# slurm-wlm and munge. Prints a line for each thing tested, as tests/run.sh wants it, and how long a
# submission took.
set -euo pipefail
build=$1 students=${2:-2000}
readonly ORIGINALS=40

work=$(mktemp -d)
cluster=$work/cluster class=$work/class
# shellcheck source=tests/cluster/cluster.bash
. tests/cluster/cluster.bash
lacks=$(cluster_lacks)
[ -z "$lacks" ] || { echo "cluster: $lacks" >&2; exit 1; }
mkdir "$cluster" "$class" "$work/originals"
chmod 755 "$work"
trap '[ -z "${make:-}" ] || kill -- "-$make" 2>/dev/null; stop_cluster; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

failed=0
# tell NAME COMMAND...: "ok NAME" if the command succeeds.
tell() {
    if "${@:2}"; then echo "ok $1"; else echo "not ok $1"; failed=1; fi
}

say() {
    printf '# %d:%02d  %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"
}

# ---- The class ----

# region STEP FILE: that region, marks included.
region() {
    awk -v step="$1" '/BEGIN SOLUTION/ { on = $NF == step } on; /END SOLUTION/ { on = 0 }' "$2"
}

# Of eight submissions one has a step that compiles and runs: right, or wrong in one of several
# ways. The others are as handed out, have forbidden words or damaged marks, or are no programs.
readonly STEPS=(naiveRow naiveCol smem smemPad smemUnroll)
make_original() {
    local number=$1 step=${STEPS[$1 / 8]}
    case $((number % 8)) in
    0) region "$step" solutions/lab4-transpose/transpose.cu ;;
    1) cat labs/lab4-transpose/transpose.cu ;;
    2) printf '// BEGIN SOLUTION %s\n    asm("exit;");\n// END SOLUTION\n' "$step" ;;
    3) printf '// BEGIN SOLUTION %s\n    out[%d] = in[0]; }\n// END SOLUTION\n' "$step" "$number" ;;
    4) printf '// BEGIN SOLUTION %s\n    out[0] = in[%d];\n' "$step" "$number" ;;
    5) grep -v "BEGIN SOLUTION $step" labs/lab4-transpose/transpose.cu ;;
    6) head -c $((300 + number)) /dev/zero ;;
    7) echo "int main(void) { return $number; }" ;;
    esac
}

for number in $(seq 0 $((ORIGINALS - 1))); do make_original "$number" \
    >"$work/originals/$(printf 's%05d' "$number").cu"; done
for number in $(seq 0 $((students - 1))); do
    cp "$work/originals/$(printf 's%05d' $((number % ORIGINALS))).cu" \
        "$class/$(printf 's%05d' "$number").cu"
done

# make_grade SUBMISSIONS GRADES SETTING...
make_grade() {
    make --no-print-directory BUILD="$build" DEVICE=sim LAB=4 grade SUBMISSIONS="$1" GRADES="$2" \
        "${@:3}"
}

# What the class must come to: each copy's results are the original's, under another name.
make_grade "$work/originals" "$work/here" >"$work/here.log" 2>&1 || { cat "$work/here.log"; exit \
    1; }
say "$ORIGINALS submissions graded on this machine"
mkdir -p "$work/wanted/students"
for number in $(seq 0 $((students - 1))); do
    student=$(printf 's%05d' "$number") original=$(printf 's%05d' $((number % ORIGINALS)))
    cp -r "$work/here/students/$original" "$work/wanted/students/$student"
    sed -i "s/\b$original\b/$student/" "$work/wanted/students/$student"/{report.txt,row.csv}
done
"$build/bin/grade-class" collect --out "$work/wanted" "$class" >/dev/null

# ---- The trouble ----

graded() {
    find "$work/there/students" -name graded 2>/dev/null | wc -l
}

# graded_or_over COUNT: so many submissions are graded, or make has ended.
graded_or_over() {
    [ "$(graded)" -ge "$1" ] || ! kill -0 "$make" 2>/dev/null
}

# at PERCENT: waits until so much of the class is graded.
at() {
    until graded_or_over $((students * $1 / 100)); do sleep 0.5; done
    say "$(graded) of $students graded: $2"
}

# shellcheck disable=SC2317 # tell calls these
is_running() { kill -0 "$make" 2>/dev/null; }
# shellcheck disable=SC2317
wanted_bytes() { diff -r -x grader.log -x 'steps.*g' -x 'slurm-*' "$work/wanted" "$work/there"; }

CPUS_OF_NODE=1 start_cluster 2
say "a cluster of two nodes"
start=$SECONDS
set -m # a process group of its own, to end it by
make_grade "$class" "$work/there" ENGINE=slurm >"$work/there.log" 2>&1 &
make=$!
set +m
at 15 "node1 loses its power"
cut_power 1
at 30 "node1 comes back"
node_up 1
at 45 "the controller is stopped for five seconds"
end_daemon slurmctld
sleep 5
start_controller
at 60 "node2's disk is full"
fill_disk 2
tell "the trouble came in the middle" is_running
status=0
wait "$make" || status=$?
say \
    "the class is graded: $(((SECONDS - start) * 1000 / students)) ms by the clock for each submission"
tell "every submission is graded" test "$status" = 0
[ "$status" = 0 ] || tail -n 20 "$work/there.log"
tell "tasks of the lost node and of the full one were started again" test \
    "$(grep -oE '[Rr]equeu(e|ing) (job )?JobId=1_[0-9]+' "$cluster/slurmctld.log" | grep -o '1_.*' | sort -u | wc -l)" \
    -ge 2
tell "the same bytes as without trouble" wanted_bytes
if [ "$failed" != 0 ] || [ -n "${KEEP:-}" ]; then cp -r "$cluster"/*.log "$work/there.log" \
    "${KEEP:-/tmp}"; fi
exit "$failed"
