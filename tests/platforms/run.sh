#!/usr/bin/env bash
# run.sh: what make course writes, run as the platforms run it, on bare systems
# (tests/bare/system.bash). The systems are Debian's, which debootstrap makes; Gradescope's images
# are Ubuntu's.
#
#   tests/platforms/run.sh                     all platforms
#   PLATFORMS=gradescope tests/platforms/run.sh    one of gradescope, autolab, classroom50
#   LABS='3 11' tests/platforms/run.sh         Autolab with these labs; default: all
#
# An image is built with Debian's packages alone. A submission is graded without a network, in a
# chroot, where nobody can make user namespaces, so that bubblewrap cannot run; with half a
# processor, 768 MB and 10 minutes (Gradescope's smallest container). classroom50 builds the grader
# for each submission, on GitHub's machines of two processors, in at most 15 minutes. Every planted
# submission must earn what tests/submissions/expected.tsv says, attacks nothing, and the complete
# program all points in at most 5 minutes.
# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2046,SC2086 # lists of folders, packages and limits, without spaces in them
set -euo pipefail
. "$(dirname "$0")/../bare/system.bash"

HALF="50 768 600" GITHUB="200 7000 900" # percent of a processor, MB, seconds
ENOUGH=300                              # seconds for a complete program
cd "$project"

# ---- Limits ----

# Control groups of version 2, or of version 1 with a folder for each controller.
groups=/sys/fs/cgroup group=cuda-labs.$$
at_version_2() { [ -e $groups/cgroup.controllers ]; }
folders() { if at_version_2; then echo $groups/$group; else echo \
    $groups/{cpu,cpuacct,memory}/$group; fi; }

# The limits; what else runs here may take no share of the processor away from the group.
set_limits() {
    if at_version_2; then
        echo "+cpu +memory" >$groups/cgroup.subtree_control
        cd $groups/$group
        echo "$(($1 * 1000)) 100000" >cpu.max
        echo 10000 >cpu.weight
        echo "$2M" >memory.max
    else
        echo "$(($1 * 1000))" >$groups/cpu/$group/cpu.cfs_quota_us
        echo 262144 >$groups/cpu/$group/cpu.shares
        echo "$2M" >$groups/memory/$group/memory.limit_in_bytes
    fi
}

# limited PERCENT MB SECONDS COMMAND...: run it in the system, in a group with these limits. Sets
# what it took: seconds by the clock, and busy, those of a processor.
limited() {
    local percent=$1 most=$2 limit=$3 before=$SECONDS status=0
    shift 3
    mkdir -p $(folders)
    (set_limits "$percent" "$most")
    (
        for folder in $(folders); do echo $BASHPID >"$folder/cgroup.procs"; done
        exec unshare --net timeout "$limit" env -i \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot \
            "$root" "$@"
    ) || status=$?
    seconds=$((SECONDS - before))
    if at_version_2; then \
        busy=$(awk '$1 == "usage_usec" { print int($2 / 1e6) }' $groups/$group/cpu.stat); else
        busy=$(($(<$groups/cpuacct/$group/cpuacct.usage) / 1000000000)); fi
    rmdir $(folders)
    return $status
}

# ---- Results ----

# points <FILE: each step and its points, of a result as Gradescope, Autolab or classroom50 read it.
points() {
    python3 -c 'import json, sys
result = json.load(sys.stdin)
tests = [(test.get("name") or test["test-name"], test["score"]) for test in result.get("tests", [])]
for step, score in result.get("scores", dict(tests)).items(): print(step, score, sep="\t")'
}

# Where the grader failed: its messages, and a result without points.
no_result() {
    tail -n 20 "$base/log" >&2
    echo '{}'
}

# judge PLATFORM NAME <RESULT: it has the points that expected.tsv names, or all points for a lab's
# complete program.
judge() {
    local wrong of=''
    points >"$base/points"
    case $2 in
    lab*-solution)
        of=$(awk -F'\t' '!/^#/ && $1 != "step" { sum += $2 } END { print sum }' "$(lab_folder "$(lab_of "$2")")/rubric.tsv")
        wrong=$(awk -F'\t' -v of="$of" '{ sum += $2 } END { if (sum != of) print sum " of " of }' "$base/points")
        [ "$seconds" -le $ENOUGH ] || wrong+=" in $seconds s"
        ;;
    *)
        wrong=$(awk -F'\t' -v name="$2" 'NR == FNR { earned[$1] = $2; next }
            $1 == name && earned[$3] != $4 { print $3 ": " earned[$3] ", not " $4 }' "$base/points" tests/submissions/expected.tsv)
        ;;
    esac
    printf '%-11s %-15s %3d points  %3d s, of a processor %3d s  %s\n' "$1" "$2" \
        "$(awk '{ sum += $NF } END { print sum }' "$base/points")" "$seconds" "$busy" \
        "${wrong:+WRONG: }$wrong" | tee -a "$base/table"
}

# ---- Systems and submissions ----

# use NAME: from here on the commands work in this system; it begins as a copy of the base.
use() {
    [ -e "$base/base" ] || make_system base ca-certificates
    root=$base/$1
    cp -a "$base/base" "$root"
    mount_system
}

lab_folder() {
    echo solutions/lab"$1"-*
}

# submission NAME: the path of a planted submission, or of a lab's complete program.
submission() {
    case $1 in
    *-solution) echo "$(lab_folder "$(lab_of "$1")")"/*.cu ;;
    *) echo "tests/submissions/$1.cu" ;;
    esac
}

# program LAB: the file name that students hand in.
program() {
    basename "$(lab_folder "$1")"/*.cu
}

# lab_of NAME: its lab's number.
lab_of() {
    local name=${1#lab}
    echo "${name%%-*}"
}

course() {
    env -u MAKEFLAGS -u MFLAGS MAKELEVEL=1 make --no-print-directory course FOR="$1" LAB="$2" \
        >/dev/null
}

# ---- Gradescope ----

# gradescope LAB NAME...: build the lab's image, and grade these submissions.
gradescope() {
    local lab=$1
    course gradescope "$lab"
    mkdir -p "$root"/autograder/{source,results,submission}
    rm -rf "$root"/autograder/source/{labs,solutions}
    bsdtar -C "$root/autograder/source" -xf "build/course/gradescope-lab$lab/autograder.zip"
    cp "$root/autograder/source/run_autograder" "$root/autograder/"
    say "gradescope: setup.sh of lab $lab"
    inside bash -c 'apt-get update && /autograder/source/setup.sh' >"$base/log" 2>&1 || { tail -n \
        20 "$base/log" >&2; fail "setup.sh failed"; }
    say "gradescope: submissions of lab $lab"
    for name in "${@:2}"; do
        rm -f "$root"/autograder/{results,submission}/*
        cp "$(submission "$name")" "$root/autograder/submission/$(program "$lab")"
        limited $HALF bash -c 'cd /autograder && ./run_autograder' >"$base/log" 2>&1 || no_result \
            >"$root/autograder/results/results.json"
        judge gradescope "$name" <"$root/autograder/results/results.json"
    done
}

# What runs beside a submission reads nothing of the grader, and reaches nobody.
spy() {
    local seen
    inside make -C /autograder/source FRONT=clang build/bin/sandbox >"$base/log" 2>&1
    seen=$(unshare --net chroot "$root" bash -c 'cd /autograder/source && build/bin/sandbox -- bash -c "
        cat /autograder/source/solutions/lab3-reduction/*.tsv /autograder/results/results.json /etc/shadow; echo x >/autograder/results/results.json
        exec 3<>/dev/tcp/127.0.0.1/80; unshare -Ur true && echo nests; su -c true; id -u" 2>/dev/null')
    [[ $seen =~ ^6[1-5][0-9]{3}$ ]] || fail "a submission sees: $seen"
}

run_gradescope() {
    use gradescope
    gradescope 3 lab3-solution \
        lab3-{right,mistakes,refused,hostile,leaks,leftovers,thefts,attacks,words}
    spy
    gradescope 11 lab11-solution lab11-{attacks,system,order,mistakes}
}

# ---- Autolab ----

# The commands of the Dockerfile, but for what comes from Tango's image: a stand-in for its program
# autodriver.
build_autolab() {
    local folder=build/course/autolab-lab$1
    printf \
        '#!/bin/sh\ncd /home/autograde/autolab && exec runuser -u autograde -- env -i PATH=/usr/bin:/bin make\n' \
        >"$root/usr/bin/autodriver"
    mkdir -p "$root/opt/cuda-labs"
    bsdtar -C "$root/opt/cuda-labs" -xf "$folder/lab/autograde.tar"
    sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$folder/Dockerfile" | sed -n 's/^RUN //p' \
        >"$root/tmp/commands"
    inside bash -e /tmp/commands >"$base/log" 2>&1 || { tail -n 20 "$base/log" >&2; fail \
        "a command of the Dockerfile failed"; }
}

# autolab NAME: the lab's two files and the submission, as Tango puts them down.
autolab() {
    local lab folder=$root/home/autograde/autolab
    lab=$(lab_of "$1")
    course autolab "$lab"
    rm -rf "$folder"
    mkdir "$folder"
    bsdtar -C "$folder" --strip-components 1 -xf "build/course/autolab-lab$lab/lab.tar"
    mv "$folder/autograde-Makefile" "$folder/Makefile"
    cp "$(submission "$1")" "$folder/$(program "$lab")"
    inside chown -R autograde:autograde /home/autograde/autolab
    limited $HALF autodriver >"$base/feedback" 2>"$base/log" || no_result >"$base/feedback"
    tail -n 1 "$base/feedback" | judge autolab "$1"
}

run_autolab() {
    local labs
    read -ra labs <<<"${LABS:-$(awk 'NR > 1 { print $1 }' labs/labs.tsv | paste -sd' ')}"
    use autolab
    course autolab "${labs[0]}"
    say "autolab: the Dockerfile's commands"
    build_autolab "${labs[0]}"
    say "autolab: the complete program of each lab"
    for lab in "${labs[@]}"; do autolab "lab$lab-solution"; done
}

# ---- classroom50 ----

run_classroom50() {
    use classroom50
    course classroom50 3
    inside bash -c "apt-get update && apt-get install -y --no-install-recommends sudo python3 &&
        useradd --create-home runner && echo 'runner ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/runner" >"$base/log" 2>&1
    inside apt-get install -y --no-install-recommends \
        $(python3 -c 'import json; print(*json.load(open("build/course/classroom50-lab3/runtime.json"))["apt"])') \
        >>"$base/log" 2>&1
    mkdir "$root/home/runner/checkout"
    cp -r build/course/classroom50-lab3/lab3 "$root/home/runner/bundle"
    cp tests/submissions/lab3-right.cu "$root/home/runner/checkout/reduction.cu"
    inside chown -R runner:runner /home/runner
    say "classroom50: autograder.py, which builds the grader"
    limited $GITHUB runuser -u runner -- env CLASSROOM=cs ASSIGNMENT=lab3 SUBMISSION_TAG=submit/1 \
        COMMIT_URL=c RELEASE_URL=r bash -c \
        'cd /home/runner/checkout && python3 ../bundle/autograder.py' >"$base/log" 2>&1 ||
        no_result >"$root/home/runner/checkout/result.json"
    judge classroom50 lab3-right <"$root/home/runner/checkout/result.json"
}

for platform in ${PLATFORMS:-gradescope autolab classroom50}; do "run_$platform"; done
printf '\n'
cat "$base/table"
refused=$(grep -c WRONG "$base/table" || true)
[ "$refused" = 0 ] || fail "$refused submissions have other points than expected"
say "all is well on the platforms"
