# copies.awk: print a lab's program in which each step has the text of an earlier one, that many
# places before it (back), and to the file `pairs` a line for each step: step, earlier step, and
# what the text is there. `copied`; `same`, what the step's own text says, too; `unfit`, it takes
# parameters that the step lacks. A step without such an earlier step is still to do.
#
#     awk -v back=1 -v pairs=FILE -f copies.awk SOLUTION SOLUTION
#
# Steps are the functions with a region, and the given ones that the program's table of steps names.

# Splits "const float *in, unsigned int n" into name[k, 1], type[k, 1] and so on; returns how many.
function split_parameters(k, text,    n, i, part) {
    n = split(text, part, /, */)
    for (i = 1; i <= n; i++) {
        match(part[i], /[A-Za-z_0-9]+$/)
        name[k, i] = substr(part[i], RSTART)
        type[k, i] = substr(part[i], 1, RSTART - 1)
        if (type[k, i] == "") { type[k, i] = name[k, i]; name[k, i] = "" } # it has no name
    }
    return n
}

function with_name(text, from, to,    out) {
    while (match(text, "(^|[^A-Za-z_0-9.])" from "([^A-Za-z_0-9]|$)")) {
        at = RSTART + (substr(text, RSTART, length(from)) != from)
        out = out substr(text, 1, at - 1) to
        text = substr(text, at + length(from))
    }
    return out text
}

function has_name(k, wanted,    i) {
    for (i = 1; i <= parameters[k]; i++) if (name[k, i] == wanted) return 1
    return 0
}

# The text of step k for the parameters of step `to`; "" if they lack one.
function text_for(k, to,    text, i, j, used) {
    text = body[k]
    for (i = 1; i <= parameters[k]; i++) {
        if (name[k, i] == "" || has_name(to, name[k, i])) continue
        for (j = 1; j <= parameters[to]; j++)
            if (!used[j] && type[to, j] == type[k, i] && name[to, j] != "" &&
                !has_name(k, name[to, j]))
                break
        if (j > parameters[to]) return ""
        used[j] = 1
        text = with_name(text, name[k, i], name[to, j])
    }
    if (size_name[k] != "" && size_name[to] == "")
        text = with_name(text, size_name[k], "blockDim.x")
    return text
}

# The text without comments and white space.
function bare(text) {
    gsub(/\/\/[^\n]*/, "", text)
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", text)
    gsub(/[ \n]/, "", text)
    return text
}

FNR == NR && match($0, /^    \{"[A-Za-z_0-9]+"/) { listed[substr($0, 7, RLENGTH - 7)] = 1; next }
FNR == NR { next }

{ line[FNR] = $0 }
/^(template|__global__|static) / && !/;$/ { header = ""; at_header = 1 }
at_header { header = header " " $0 }
at_header && /\{$/ {
    at_header = 0
    if (match(header, /[A-Za-z_0-9]+\([^()]*\) \{$/)) {
        split(substr(header, RSTART, RLENGTH - 3), part, /\(/)
        steps++
        step[steps] = part[1]
        parameters[steps] = split_parameters(steps, part[2])
        if (match(header, /template <unsigned int [A-Za-z_0-9]+/))
            size_name[steps] = substr(header, RSTART + 23, RLENGTH - 23)
        body[steps] = ""
        inside = 1
        next
    }
}
/\/\/ BEGIN SOLUTION / && inside { begin[steps] = FNR; body[steps] = ""; next }
/\/\/ END SOLUTION/ && inside {
    end[steps] = FNR; region_at[begin[steps]] = steps; inside = 0
    next
}
/^}/ && inside {
    inside = 0
    if (!listed[step[steps]]) steps--
    else body[steps] = "{\n" body[steps] "}\n"
    next
}
inside { body[steps] = body[steps] $0 "\n" }

END {
    for (i = 1; i <= FNR; i++) {
        print line[i]
        if (!(i in region_at)) continue
        k = region_at[i]
        text = k > back ? text_for(k - back, k) : ""
        what = text == "" ? "unfit" : bare(text) == bare(body[k]) ? "same" : "copied"
        if (k > back) print step[k] "\t" step[k - back] "\t" what >pairs
        printf "%s", what == "copied" ? text : "    TODO(\"\", \"\");\n"
        i = end[k] - 1
    }
}
