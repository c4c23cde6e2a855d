# together.awk -v here=FOLDER -v header=SHARED FILE...: a source of several programs, which runs
# the one by whose name it is called. Each is a namespace; what cannot be in one comes first: the
# system's headers, and the shared one. No program sees another's macros.

BEGIN { print "#include <cstring>" | "sort -u" }

FILENAME !~ /^part_/ && FNR == 1 {
    names[++n] = FILENAME
    sub(/\.cu$/, "", names[n])
}

/^#include </ { print | "sort -u" }

/^ *# *define / {
    sub(/^ *# *define /, "")
    sub(/[^A-Za-z0-9_].*/, "")
    defined[n] = defined[n] "#undef " $0 "\n"
}

END {
    close("sort -u")
    printf "#include \"%s/%s\"\n", here, header
    for (i = 1; i <= n; i++) {
        printf "namespace program_%s {\n#include \"%s/%s.cu\"\n}\n", names[i], here, names[i]
        printf "%s", defined[i]
    }
    print "static int start(int (*program)(), int, char **) { return program(); }"
    print "static int start(int (*program)(int, char **), int count, char **words) {"
    print "    return program(count, words);\n}"
    print "int main(int count, char **words) {"
    print "    const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0];"
    print "    size_t length = strcspn(name, \"-\");"
    for (i = 1; i <= n; i++) {
        printf "    if (length == %d && ", length(names[i])
        printf "!strncmp(name, \"%s\", length))\n", names[i]
        printf "        return start(program_%s::main, count, words);\n", names[i]
    }
    print "    return 2;\n}"
}
