# join.awk: put the style and the modules into the page. Each module becomes a function that returns
# what it exports, so that names of two modules do not meet:
#
#   import { html } from "./draw.js";      ->   const { html } = draw;
#   export function step(...) {            ->   function step(...) {     and, at the end, return { step };
function name_of(file) {
    sub(/.*\//, "", file)
    sub(/\.js$/, "", file)
    return "module_" file
}

function put_module(file,   line, exports, words) {
    printf "// %s\nconst %s = (() => {\n", file, name_of(file)
    while ((getline line < file) > 0) {
        if (match(line, /^import .* from "\.\/.*";$/)) {
            split(line, words, /[{}"]/)
            line = "const {" words[2] "} = " name_of(words[4]) ";"
        }
        if (match(line, /^export (function|const|class) [A-Za-z_]+/)) {
            split(line, words, /[ (=]+/)
            exports = exports (exports == "" ? "" : ", ") words[3]
            sub(/^export /, "", line)
        }
        print line
    }
    close(file)
    printf "return { %s };\n})();\n", exports
}

function put_file(file,   line) {
    while ((getline line < file) > 0) print line
    close(file)
}

/^\/\* style\.css \*\/$/ { put_file(style); next }
/^\/\* script \*\/$/ { n = split(modules, list, " "); for (i = 1; i <= n; i++) put_module(list[i]); next }
# A file whose name the environment has.
/^\/\* [a-z]+ \*\/$/ && $2 in ENVIRON { put_file(ENVIRON[$2]); next }
{ print }
