# The order of the ladders on simt, at the labs' default sizes: what `make claims` has just measured beside what is recorded of an H200.
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
    run "${BUILD:-build}/bin/compare" order "${files[@]}"
    assert_success
}
