# ENGINE=slurm: a class graded as a job array gives the same grades.csv, byte for byte. The cluster is this machine, with a real
# slurmctld and slurmd (Debian's packages slurm-wlm and munge) that the test starts and stops.
# needs nvcc

load ../helpers

# Daemons must be root to start jobs; without that, or without the packages, there is no cluster to test on.
need_slurm() {
    for program in slurmctld slurmd munged sbatch; do
        command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || skip "$program is not installed"
    done
    [ "$(id -u)" = 0 ] || skip "only root can start a cluster"
}

# free_port: one that nobody listens on.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# daemon NAME COMMAND...: in the background; its process id is kept, to stop it by.
daemon() {
    "${@:2}" >"$cluster/$1.log" 2>&1 3>&- &
    echo $! >>"$cluster/pids"
}

# wait_for WHAT COMMAND...: until the command succeeds, two minutes at most.
wait_for() {
    for _ in $(seq 240); do
        ! "${@:2}" >/dev/null 2>&1 || return 0
        sleep 0.5
    done
    echo "no $1 after 120 s"
    tail -n 5 "$cluster"/*.log
    return 1
}

write_configuration() {
    local host
    host=$(hostname -s)
    cat >"$cluster/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES State=UP
CONF
}

start_cluster() {
    export PATH="$PATH:/usr/sbin" SLURM_CONF="$cluster/slurm.conf"
    mkdir -p "$cluster"/{munge,state,spool}
    chmod 755 "$cluster" "$cluster/munge"
    (umask 077 && head -c 1024 /dev/urandom >"$cluster/munge/key")
    write_configuration
    daemon munged munged --force --foreground --key-file "$cluster/munge/key" --socket "$cluster/munge/socket" \
        --pid-file "$cluster/munge/pid" --log-file "$cluster/munge/log" --seed-file "$cluster/munge/seed"
    wait_for munge munge -n --socket "$cluster/munge/socket"
    daemon slurmctld slurmctld -D -c -f "$SLURM_CONF"
    daemon slurmd slurmd -D -f "$SLURM_CONF" -N "$(hostname -s)"
    wait_for "node" sh -c 'sinfo -h -t idle | grep -q main'
}

setup_file() {
    need_slurm
    copy_project
    export cluster="$BATS_FILE_TMPDIR/cluster" class="$BATS_FILE_TMPDIR/class"
    start_cluster
    mkdir "$class"
    cp tests/submissions/lab4-mistakes.cu "$class/anna.cu"
    cp tests/submissions/lab3-refused.cu "$class/ben.cu"
    cp labs/lab4-transpose/transpose.cu "$class/cleo smith.cu"
    ln -s ben.cu "$class/dan.cu"
}

# Stopped and gone: a daemon writes its state to the last, into folders that are removed after this.
teardown_file() {
    [ -f "${cluster:-}/pids" ] || return 0
    for pid in $(tac "$cluster/pids"); do
        kill "$pid" 2>/dev/null || continue
        for _ in $(seq 120); do
            kill -0 "$pid" 2>/dev/null || continue 2
            sleep 0.25
        done
        kill -9 "$pid" 2>/dev/null || true
    done
}

@test "the same grades.csv from a job array as from this machine alone" {
    run user_make grade SUBMISSIONS="$class" LAB=4 GRADES="$BATS_FILE_TMPDIR/here"
    assert_success
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
