#!/usr/bin/env bash
# container.sh: carry out the Containerfile in a chroot (system.bash), as no container engine is
# needed for that, and prove what it makes: `make lab3` works, the complete program of lab 3 counts
# and times the same on each machine, and so do the tests.
#
#   MACHINES='amd64 arm64'    processors, as Debian names them; this machine's, if not given. Others
#                             run under qemu: half an hour
#   TESTS='make test'         a command that tests the first machine; TESTS= runs none
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
. "$(dirname "$0")/system.bash"
MACHINES=${MACHINES:-$(dpkg --print-architecture)}
# qemu keeps notes on each page that a program reserves: simt gets less address space than it asks
# for
QEMU_KB=20000000

# run_foreign ARCHITECTURE: have the kernel start qemu for its programs, until this script ends.
run_foreign() {
    local processor formats=/proc/sys/fs/binfmt_misc
    processor=qemu-$(sed 's/amd64/x86_64/; s/arm64/aarch64/' <<<"$1")
    [ -e "/usr/lib/binfmt.d/$processor.conf" ] || fail \
        "there is no qemu for $1: common/tools/setup.sh bare"
    ulimit -v $QEMU_KB
    [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats
    [ ! -e "$formats/$processor" ] || return 0
    cat "/usr/lib/binfmt.d/$processor.conf" >$formats/register
    # shellcheck disable=SC2064 # now
    trap "echo -1 >$formats/$processor" EXIT
}

# carry_out ARCHITECTURE: the Containerfile, line by line.
carry_out() {
    local instruction rest
    while read -r instruction rest; do
        case $instruction in
        FROM) SUITE=${rest##*:} && make_system "$1" apt "$1" && mount_system ;;
        RUN) in_labs "$rest" >"$base/log" 2>&1 || { tail -n 20 "$base/log" >&2; fail \
            "RUN $rest: failed"; } ;;
        WORKDIR) folder=$rest && mkdir -p "$root$folder" ;;
        COPY) copy_project "$folder" ;;
        CMD | '#'* | '') ;;
        *) fail "Containerfile: $instruction: this script does not know it" ;;
        esac
    done <"$project/Containerfile"
}

# in_labs COMMAND: in the folder that the Containerfile has come to.
in_labs() {
    inside bash -c "cd $folder && $1" </dev/null
}

for machine in $MACHINES; do
    folder=/
    [ "$machine" = "$(dpkg --print-architecture)" ] || run_foreign "$machine"
    say "$machine: the Containerfile, on debootstrap's Debian"
    carry_out "$machine"
    say "$machine: make lab3"
    in_labs "make lab3" | tee "$base/output"
    grep -q 'next: labs/lab3-reduction/reduction.cu' "$base/output" || fail \
        "the run did not end with the first task"
    say "$machine: the complete program, 1000003 integers: every counter and time"
    in_labs "make lab3 FROM=solutions SIZE=1000003 >/dev/null &&
        build/bin/simt --quiet --profile profile.csv build/solutions/lab3/reduction --size 1000003 --csv steps.csv"
    for table in profile.csv steps.csv; do
        cmp "$root$folder/$table" "$base/${MACHINES%% *}$folder/$table" || fail \
            "$machine gives another $table than ${MACHINES%% *}"
        echo "$table: $(md5sum <"$root$folder/$table")"
    done
    inside uname -m
done

root=$base/${MACHINES%% *}
if [ -n "${TESTS-make test}" ]; then
    say "${MACHINES%% *}: ${TESTS-make test}"
    in_labs "rm -f profile.csv steps.csv && ${TESTS-make test}"
fi
say "all is well in the container"
