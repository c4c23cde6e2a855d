# ENGINE=slurm: a class graded as a job array gives the same grades.csv, byte for byte. The cluster is this machine, with a real
# slurmctld and slurmd (Debian's packages slurm-wlm and munge) that the test starts and stops. `make test-cluster` has two nodes,
# and trouble.
# needs nvcc

load ../helpers
. tests/cluster/cluster.bash

setup_file() {
    lacks=$(cluster_lacks)
    [ -z "$lacks" ] || skip "$lacks"
    copy_project
    export cluster="$BATS_FILE_TMPDIR/cluster" class="$BATS_FILE_TMPDIR/class"
    mkdir "$cluster" "$class"
    start_cluster 1
    cp tests/submissions/lab4-mistakes.cu "$class/anna.cu"
    cp tests/submissions/lab3-refused.cu "$class/ben.cu"
    cp labs/lab4-transpose/transpose.cu "$class/cleo smith.cu"
    ln -s ben.cu "$class/dan.cu"
}

teardown_file() {
    [ ! -d "${cluster:-}" ] || stop_cluster
}

@test "the same grades.csv from a job array as from this machine alone" {
    run -0 user_make grade SUBMISSIONS="$class" LAB=4 GRADES="$BATS_FILE_TMPDIR/here"
    run user_make grade SUBMISSIONS="$class" LAB=4 GRADES="$BATS_FILE_TMPDIR/cluster grades" ENGINE=slurm PARTITION=main
    assert_success
    assert_equal "$(find "$BATS_FILE_TMPDIR/cluster grades" -name 'slurm-*.log' | wc -l)" 4
    diff "$BATS_FILE_TMPDIR/here/grades.csv" "$BATS_FILE_TMPDIR/cluster grades/grades.csv"
    assert_grep '^anna,4,18,70,' <"$BATS_FILE_TMPDIR/here/grades.csv"
}

@test "a partition that does not exist is said, and nothing is graded" {
    run user_make grade SUBMISSIONS="$class" LAB=4 GRADES="$BATS_FILE_TMPDIR/none" ENGINE=slurm PARTITION=nowhere
    assert_failure 2
    assert_output --partial "invalid partition"
    assert [ ! -e "$BATS_FILE_TMPDIR/none/grades.csv" ]
}
