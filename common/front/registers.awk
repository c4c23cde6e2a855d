# registers.awk: write each kernel's .maxnreg, and which variables are managed, into clang's PTX:
# awk -v most=N -f registers.awk device.ll device.ptx
#
# clang has no __maxnreg__(n) and no __managed__. Our headers turn them into annotations, which the
# LLVM IR lists; those of variables have no argument:
#
#     @.str = ... c"maxnreg\00"           the annotation's name
#     @.args = ... { i32 } { i32 32 }     n
#     @llvm.global.annotations = ... [{ ... @kernel, ... @.str, ... @file, i32 line, ... @.args }, { ... }]
#
# most, if given, is nvcc's -maxrregcount. It does not apply to kernels with __launch_bounds__ or
# __maxnreg__.

BEGIN { name = "@[A-Za-z0-9_.$]+" }

FNR == NR && / c"maxnreg\\00"/ { label[$1] = 1 }
FNR == NR && / c"managed\\00"/ { shared[$1] = 1 }
FNR == NR && / constant \{ i[0-9]+ \} \{ i[0-9]+ [0-9]+ \}/ {
    argument[$1] = $0
    sub(/ \}, .*/, "", argument[$1])
    sub(/.* /, "", argument[$1])
}
FNR == NR && /^@llvm\.global\.annotations = / { annotations = $0 }
FNR == NR { next }

# The four names of each annotation: kernel, annotation, file, argument.
FNR == 1 {
    sub(/.*\] \[/, "", annotations)
    while (match(annotations, name)) {
        word[++words] = substr(annotations, RSTART, RLENGTH)
        annotations = substr(annotations, RSTART + RLENGTH)
    }
    for (i = 2; i <= words; i++)
        if (word[i] in label) bound[substr(word[i - 1], 2)] = argument[word[i + 2]]
        else if (word[i] in shared) managed[substr(word[i - 1], 2)] = 1
}

/^(\.[a-z]+ )?\.global / {
    variable = $0
    sub(/( = .*|;)$/, "", variable)
    sub(/\[.*/, "", variable)
    sub(/.* /, "", variable)
    if (variable in managed) sub(/\.global /, ".global .attribute(.managed) ")
}

/^(\.[a-z]+ )?\.(entry|func) / { limit = "" }
/^(\.[a-z]+ )?\.entry / {
    kernel = $0
    sub(/.*\.entry /, "", kernel)
    sub(/\(.*/, "", kernel)
    limit = kernel in bound ? bound[kernel] : most
}
/^\.(maxntid|reqntid|minnctapersm)/ && !(kernel in bound) { limit = "" }
/^\{/ { if (limit != "") print ".maxnreg " limit; limit = "" }
{ print }
