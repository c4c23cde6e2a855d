# regions.awk: print a submission in which a region that names several steps stands once for each of
# them:
#
#     // BEGIN SOLUTION reduceUnroll2(2) reduceUnroll4(4)    a region of each; $1 in it is 2, or 4;
#                                                           a(2,x) has $1 and $2
/^\/\/ BEGIN SOLUTION / { n = split($0, step, " "); body = ""; inside = 1; next }
/^\/\/ END SOLUTION/ {
    for (i = 4; i <= n; i++) {
        split(step[i], part, /[(),]/)
        text = body
        for (k = 1; k <= 9; k++) gsub("\\$" k, part[k + 1], text)
        printf "// BEGIN SOLUTION %s\n%s// END SOLUTION\n", part[1], text
        delete part
    }
    inside = 0
    next
}
inside { body = body $0 "\n"; next }
{ print }
