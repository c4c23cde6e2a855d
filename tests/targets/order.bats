# The order of the ladders on simt, at the labs' default sizes: what `make claims` has just measured
# beside what is recorded of an H200.
# needs nvcc
# shellcheck disable=SC2154 # bats sets status, output and lines

load ../helpers

measured=${BUILD:-build}/solutions

@test "launches and steps that follow one another and differ by more than 10 % on an H200 are in its order on simt, in all labs" {
    files=()
    for recorded in plots/reference/h200-simt/lab*.csv; do
        name=$(basename "$recorded" .csv) # lab1-debug is the build debug of lab 1
        [[ $name != *-metrics ]] || continue
        files+=("plots/reference/h200/$name.csv" "$measured/${name%%-*}/profiled${name#"${name%%-*}"}.csv")
    done
    assert [ ${#files[@]} -ge 28 ]
    run -0 "${BUILD:-build}/bin/compare" order "${files[@]}"
}

@test "the table's mark for modelled times that are too close: as wide as simt's mean error, and wide enough for the labs' pairs" {
    mark=$(sed -n 's/^static const double MODEL_ERROR = \(.*\);/\1/p' common/harness/report.h)
    off=$(sed -n 's/^| Labs: mean absolute error of the time, % | [^|]* | \([0-9.]*\) .*/\1/p' plots/reference/truth.md)
    assert awk "BEGIN { exit !($off <= 100 * $mark && $off > 100 * $mark - 1) }"
    # Launches of two steps that follow one another: none farther apart on simt is in another order
    # on an H200.
    for recorded in plots/reference/h200-simt/lab[0-9]*.csv; do
        [[ $recorded != *-metrics.csv && $recorded != *-*-*.csv ]] || continue
        awk -F, -v mark="$mark" 'FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; launch = ""; next }
            $column["clock"] == "measured" && FILENAME ~ /simt/ { next }
            { at = $3 $4 $5; ms = $column["time_ms"] + 0 }
            NR == FNR { gpu[at] = ms; next }
            ms > 0 && gpu[at] > 0 {
                ratio = was / ms; apart = ratio > 1 ? ratio : ratio > 0 ? 1 / ratio : 1
                if (launch != "" && $2 != step && apart > 1 + mark && (ratio > 1) != (gpu[launch] / gpu[at] >= 1)) {
                    print FILENAME ": " launch " and " at ": " ratio " on simt, " gpu[launch] / gpu[at] " on the GPU"; bad = 1
                }
                launch = at; was = ms; step = $2 }
            END { exit bad }' "plots/reference/h200/$(basename "$recorded")" "$recorded"
    done
}
