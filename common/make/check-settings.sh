#!/usr/bin/env bash
# check-settings.sh NAME=VALUE...: print in one line what is wrong with a call of make, and fail;
# print nothing where all is well. The settings come in the environment, the goals in GOALS. The
# arguments are what the user gave on make's command line: a setting that nothing reads gets a
# warning.
# shellcheck disable=SC2153 # not misspelt: these come from the environment
set -uf
read -ra goals <<<"$GOALS"
mapfile -t labs < <(sed -n '1d; s/\t.*//p' labs/labs.tsv)

# wrong TEXT...: print the text, in one line.
wrong() {
    echo "$*"
    exit 1
}

# matches WORD PATTERN...: is the word like one of the patterns?
matches() {
    local word=$1 pattern
    shift
    # shellcheck disable=SC2053 # a pattern, not a word
    for pattern; do [[ $word != $pattern ]] || return 0; done
    return 1
}

# goal PATTERN...: sets found to the first goal that is like one of the patterns; false if none is.
goal() {
    for found in "${goals[@]}"; do ! matches "$found" "$@" || return 0; done
    return 1
}

# goal_beside PATTERN...: sets found to the first goal that is like none of the patterns; false if
# all are.
goal_beside() {
    for found in "${goals[@]}"; do matches "$found" "$@" || return 0; done
    return 1
}

# one_of NAME VALUE...: the setting must have one of these values.
one_of() {
    matches "${!1}" "${@:2}" || wrong "$1=${!1}: give one of: ${*:2}"
}

# ---- The folder to build in: make and the shell read these characters, quoted or not ----------

[[ $BUILD =~ ^[^[:space:]]+$ ]] ||
    wrong "BUILD=$BUILD: give one folder, without a space in its path"
special="\"'\`:;%=*?[]()<>&|~\\#\$"
for ((i = 0; i < ${#special}; i++)); do
    [[ $BUILD != *"${special:i:1}"* ]] ||
        wrong "BUILD=$BUILD: make cannot build in a folder with ${special:i:1} in its path:" \
            "give another folder"
done


if goal run || { [ -n "$FILE" ] && goal profile; }; then
    [ -n "$FILE" ] || wrong "give the program: make run FILE=own.cu"
    [ ! -d "$FILE" ] || wrong "FILE=$FILE: this is a folder; name the .cu file in it"
    [ -e "$FILE" ] || [ ! -e "$FILE.cu" ] ||
        wrong "FILE=$FILE: there is no such file; there is $FILE.cu"
    [ -e "$FILE" ] || wrong "FILE=$FILE: there is no such file (looked in $PWD)"
    [[ $FILE == *.cu ]] ||
        wrong "FILE=$FILE: its name must end in .cu, by which the compiler knows a CUDA program"
    [ -r "$FILE" ] || wrong "FILE=$FILE: cannot be read; allow it: chmod u+r"
fi
if [ -n "$FILE" ] && [ "$MAKELEVEL" = 0 ] && goal_beside help run profile; then
    wrong "FILE=$FILE: goes with run and profile, not with $found"
fi


one_of FROM labs solutions
# What `make help` names for instructors and developers. Most of it needs the solutions.
full_project=(demo grade course release new-lab skeletons format compare compare-ncu compare-model
    model-runs random-runs truth sweep-gpus calibrate measure-timeline claims 'bench-*' 'record-*' 'handouts-*'
    'test-*' '@(demo|diff|reset|grade|rubric|compare|race|sizes|front)-lab*')
if [ ! -e solutions ] &&
    { goal "${full_project[@]}" || { found=FROM=$FROM && [ "$FROM" = solutions ]; }; }; then
    wrong "$found: is for instructors and developers: the students' edition has no solutions"
fi
if [ "${PREDICT:-0}" != 0 ] && [ "$MAKELEVEL" = 0 ] &&
    { [ "${#goals[@]}" != 1 ] || goal_beside 'lab[0-9]*' || [ "$FROM" != labs ]; }; then
    wrong "PREDICT=$PREDICT: goes with one lab, and with your own program, as in" \
        "make lab3 PREDICT=1"
fi
one_of DEVICE auto gpu sim
read -ra gpus < <(sed -n 's/^constant\tunit\t\(.*\)\tsource$/\1/p' common/simt/gpus.tsv)
one_of SIM_GPU "${gpus[@]}"
IFS=, read -ra two_gpus <<<"$GPUS"
for gpu in "${two_gpus[@]}"; do
    if [ ${#two_gpus[@]} != 2 ] || ! matches "$gpu" "${gpus[@]}"; then
        wrong "GPUS=$GPUS: give two of: ${gpus[*]}; as in GPUS=h200,gtx1060"
    fi
done
[[ $SIM_DEVICES =~ ^([1-9]|1[0-6])$ ]] ||
    wrong "SIM_DEVICES=$SIM_DEVICES: give how many GPUs to simulate, from 1 to 16"
one_of FRONT nvcc clang
[ "$FRONT $DEVICE" != "clang gpu" ] ||
    wrong "DEVICE=gpu needs nvcc: \`make setup CUDA=1\` installs it, or say where it is:" \
        "NVCC=/path/to/nvcc"
[[ $ARCH =~ ^(native|[0-9]*)$ ]] || wrong "ARCH=$ARCH: give native or a number such as 86"
[[ $SIZE =~ ^([0-9]+(x[0-9]+)?)?$ ]] ||
    wrong "SIZE=$SIZE: give a whole number such as 5000, or for a matrix 77x131"
[[ $STEP =~ ^[A-Za-z0-9_]*$ ]] || wrong "STEP=$STEP: give a step's number or name, as in STEP=3"
[[ $STEPS =~ ^([A-Za-z0-9_]+,[A-Za-z0-9_]+)?$ ]] ||
    wrong "STEPS=$STEPS: give two steps, by number or name, as in STEPS=2,3"
lab_verbs=('' profile plot check see watch hint answers timeline demo slides diff reset record
    compare grade rubric front)
for goal in "${goals[@]}"; do
    [[ $goal =~ ^(([a-z]+)-)?lab(.*)$ ]] || continue
    number=${BASH_REMATCH[3]}
    matches "${BASH_REMATCH[2]}" "${lab_verbs[@]}" || continue
    matches "$goal" labs labprof || matches "$number" "${labs[@]}" ||
        wrong "$goal: there is no such lab; \`make list\` names those there are"
done

# ---- A setting that nothing reads is most likely misspelt: a warning, as a program may read it -

# is_read NAME: does a part of the project read it, as a variable of make, of a shell script or of
# the environment?
is_read() {
    [[ $help == *[\ \;]"$1="* ]] ||
        LC_ALL=C grep -rqsE --include={Makefile,'*.mk','*.sh','*.[ch]'} \
            "[\$][({]?$1\\>|^$1 *[?:]?=|env[a-z_]*\\(\"$1\"|(call on,|one_of )$1\\>" \
            Makefile common tests/rules.mk tests/bare tests/platforms
}
help=$(<common/make/help.txt)
for setting; do
    is_read "${setting%%=*}" ||
        echo "$setting: nothing reads a setting of this name; \`make help\` names them" >&2
done


no_compiler=(help test-bare test-container test-platforms list clean setup doctor format skeletons
    new-lab install uninstall progress report '@(plot|diff|reset|hint|answers)-lab*')
if goal_beside "${no_compiler[@]}"; then
    if [ "$FRONT" = clang ]; then
        can_install() { [ "${NO_INSTALL:-0}" = 0 ] && command -v apt-get >/dev/null; }
        command -v "$CLANG" >/dev/null || can_install ||
            wrong "neither nvcc nor clang is here: install clang; or say" \
                "where one is: CLANG=/path/to/clang++ or NVCC=/path/to/nvcc"
    else
        # shellcheck disable=SC2086 # there may be a word before it, such as ccache
        command -v $NVCC >/dev/null ||
            wrong "$NVCC is not here: install the CUDA toolkit (11.8 or newer; no GPU" \
                "needed); or use clang: NVCC= ; or say where it is: NVCC=/path/to/nvcc"
        # It hands the folder's name to a shell and to the assembler, in quotes that these two end.
        for character in '"' '`'; do
            [[ $CURDIR != *"$character"* ]] ||
                wrong "the folder $CURDIR has $character in its path, at which nvcc" \
                    "stops: rename the folder, or use clang: NVCC="
        done
    fi
fi
# The time model's constants are those of nvcc's code.
if [ "$FRONT" = clang ] && goal calibrate; then
    wrong "$found needs nvcc, but no GPU: \`make setup CUDA=1\` installs it, or say where it is:" \
        "NVCC=/path/to/nvcc"
fi


if goal_beside help list clean doctor setup test-bare test-container test-platforms uninstall; then
    folder=$BUILD
    until [ -e "$folder" ]; do folder=$(dirname "$folder"); done
    [ -w "$folder" ] ||
        wrong "the folder $BUILD cannot be written: work in a copy of the project that is yours," \
            "or name another folder: BUILD=/path/to/folder"
fi


if [ -z "$SUBMISSION" ] && goal 'grade-lab*'; then
    wrong "say what to grade, as in \`make $found SUBMISSION=path\`: a file, a folder, or a zip" \
        "or tar archive"
fi
if goal course; then
    one_of FOR gradescope autolab classroom50 moodle canvas
    one_of LAB "${labs[@]}"
    [[ $FOR != moodle && $FOR != canvas ]] || [ -n "$SUBMISSIONS" ] ||
        wrong "say what to grade, as in \`make course" \
            "FOR=$FOR LAB=$LAB SUBMISSIONS=class.zip\`: the archive of all submissions, as $FOR" \
            "lets an instructor download it"
fi
[[ $HINTS_PER_DAY =~ ^[0-9]*$ ]] ||
    wrong "HINTS_PER_DAY=$HINTS_PER_DAY: give a whole number, such as 3"
[ -z "$HINTS_PER_DAY" ] || ! goal course || ! matches "$FOR" autolab classroom50 ||
    wrong "HINTS_PER_DAY=$HINTS_PER_DAY: $FOR does not tell a grader of earlier submissions," \
        "only gradescope does: leave it out"
[ -z "$DUE" ] || { [[ $DUE != *\'* ]] && date -d "$DUE" >/dev/null 2>&1; } ||
    wrong "DUE=$DUE: give a time, such as 2026-12-01T23:59"
if goal grade report; then
    one_of LAB "${labs[@]}"
fi
if goal grade; then
    one_of ENGINE local slurm
    [ -n "$SUBMISSIONS" ] ||
        wrong "say what to grade, as in \`make grade SUBMISSIONS=folder LAB=3\`: a folder with a" \
            "file, a folder or an archive for each student, or one archive of them all"
fi
exit 0
