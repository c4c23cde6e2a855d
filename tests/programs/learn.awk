# learn.awk -v arch=ARCH FILE.cu...: what programs say of themselves, KIND|NAME|WHAT a line. Kinds:
#
#   build     BUILD|ARCH|FLAGS|flags for simt|how many GPUs; BUILD is NAME or NAME-SUFFIX
#   case      ARGS|STATUS|REGEX|REGEX on simt
#   shared    the header that it shares with others
#   headers   two digits: whether it includes NVIDIA's libraries, and any header of the system's
#   part      another file of this folder that it includes
#   env, only, unchecked, alone    as in the source; see run

function say(kind, what) {
    print kind "|" name "|" what
}

function build(suffix, words,    i, n, word, own, flags, played, devices) {
    own = arch
    devices = 1
    n = split(words, word, " ")
    for (i = 1; i <= n; i++) {
        if (sub(/^arch=/, "", word[i])) own = word[i]
        else if (sub(/^gpu=/, "", word[i])) played = played " --gpu " word[i]
        else if (sub(/^devices=/, "", word[i])) {
            devices = word[i]
            played = played " --devices " devices
        } else {
            gsub(/SRC/, ".", word[i])
            flags = flags " " word[i]
        }
    }
    say("build", name suffix "|" own "|" flags "|" played "|" devices)
    built = 1
}

function shared(header) {
    if (!found) say("shared", header)
    found = 1
}

function program_ends() {
    if (!name) return
    if (!built) build("", "")
    say("headers", libraries + 0 "" any + 0)
}

FNR == 1 {
    program_ends()
    name = FILENAME
    sub(/\.cu$/, "", name)
    built = found = libraries = any = 0
}

/^\/\/ build / {
    suffix = $3
    text = $0
    sub(/^\/\/ build +[^ ]+/, "", text)
    build("-" suffix, text)
}

/^\/\/ case / {
    text = substr($0, 9)
    gsub(/ *\| */, "|", text)
    gsub(/^ *| *$/, "", text)
    say("case", text)
}

/^\/\/ env / { say("env", substr($0, 8)) }
/^\/\/ only simt/ { say("only", "simt") }
/^\/\/ unchecked / { say("unchecked", substr($0, 14)) }
/^\/\/ alone / { say("alone", substr($0, 10)) }
/^#include <(cooperative|cub\/|cuda\/|curand|mma|thrust)/ { libraries = 1 }
/^#include </ { any = 1 }
/^#include "check\.h"/ { shared("check.h") }
/^#include "[.\/]*\/common\/common\.h"/ { shared("../../common/common.h") }

/^#include "part_/ {
    shared("check.h")
    gsub(/"/, "", $2)
    say("part", $2)
}

END { program_ends() }
