# cluster.bash: a Slurm cluster on this machine, with Debian's packages slurm-wlm and munge. Each
# node is a slurmd in namespaces of its own: to kill it is a power cut, which takes all of its
# processes at once. Each node's scratch is a small tmpfs, with the node's spool in it.
#
#   cluster=folder; . tests/cluster/cluster.bash; start_cluster 2; trap stop_cluster EXIT
#
# Only root can start daemons that start jobs.
# shellcheck disable=SC2154 # cluster is the caller's

# cluster_lacks: what keeps this machine from having a cluster; nothing if it can.
cluster_lacks() {
    local program
    for program in slurmctld slurmd munged sbatch; do
        PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || { echo \
            "$program is not installed"; return; }
    done
    [ "$(id -u)" = 0 ] || echo "only root can start a cluster"
}

# free_port: one that nobody listens on.
free_port() {
    python3 -c \
        'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# daemon NAME COMMAND...: in the background; its process id is kept, to stop it by.
daemon() {
    "${@:2}" >>"$cluster/$1.log" 2>&1 3>&- &
    echo $! >"$cluster/$1.pid"
    disown
}

# end_daemon NAME: stopped and gone: a daemon writes its state to the last.
end_daemon() {
    local pid
    pid=$(cat "$cluster/$1.pid")
    rm "$cluster/$1.pid"
    kill "$pid" 2>/dev/null || return 0
    for _ in $(seq 120); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.25
    done
    kill -9 "$pid" 2>/dev/null || true
}

# wait_for WHAT COMMAND...: until the command succeeds, five minutes at most.
wait_for() {
    for _ in $(seq 600); do
        ! "${@:2}" >/dev/null 2>&1 || return 0
        sleep 0.5
    done
    echo "no $1 after 300 s"
    tail -n 5 "$cluster"/*.log
    return 1
}

# write_configuration NODES
write_configuration() {
    local host node
    host=$(hostname -s)
    cat <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/%n/spool
SlurmctldPidFile=$cluster/slurmctld.own-pid
SlurmdPidFile=$cluster/%n.own-pid
SlurmdTimeout=20
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
CONF
    for node in $(seq "$1"); do
        echo \
            "NodeName=node$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=${CPUS_OF_NODE:-$(nproc)} State=UNKNOWN"
    done
    echo "PartitionName=main Nodes=ALL Default=YES State=UP"
}

# node_up NUMBER: a node comes up, with an empty scratch. Its scratch is $cluster/nodeN.
node_up() {
    mkdir -p "$cluster/node$1"
    # shellcheck disable=SC2016 # the inner shell's
    daemon "node$1" unshare --mount --pid --fork --kill-child --mount-proc sh -c '
        mount -t tmpfs -o size=4m,mode=755 scratch "$1" && mkdir "$1/spool" && ulimit -c 0 && exec slurmd -D -f "$SLURM_CONF" -N "$2"' \
        sh "$cluster/node$1" "node$1"
}

# cut_power NUMBER: the node is gone with all that ran on it.
cut_power() {
    kill -9 "$(cat "$cluster/node$1.pid")" 2>/dev/null || true
    rm "$cluster/node$1.pid"
}

# fill_disk NUMBER: nothing more can be written to the node's scratch, until the controller has
# noticed. A job that ends makes room.
fill_disk() {
    local node
    node=$(pgrep -P "$(cat "$cluster/node$1.pid")")
    for _ in $(seq 1000); do
        # shellcheck disable=SC2016 # the inner shell's
        nsenter --mount --target "$node" sh -c 'cat /dev/zero >>"$1/full"' sh "$cluster/node$1" \
            2>/dev/null || true
        ! sinfo --noheader --nodes "node$1" --format %T | grep -q drain || return 0
        sleep 0.1
    done
}

start_controller() {
    daemon slurmctld slurmctld -D -f "$SLURM_CONF" "$@"
}

# start_cluster NODES
start_cluster() {
    local node
    export PATH="$PATH:/usr/sbin" SLURM_CONF="$cluster/slurm.conf"
    mkdir -p "$cluster"/{munge,state}
    chmod 755 "$cluster" "$cluster/munge"
    (umask 077 && head -c 1024 /dev/urandom >"$cluster/munge/key")
    write_configuration "$1" >"$SLURM_CONF"
    daemon munged munged --force --foreground --key-file "$cluster/munge/key" --socket \
        "$cluster/munge/socket" --pid-file "$cluster/munge/pid" --log-file "$cluster/munge/log" \
        --seed-file "$cluster/munge/seed"
    wait_for munge munge -n --socket "$cluster/munge/socket"
    start_controller -c
    for node in $(seq "$1"); do node_up "$node"; done
    wait_for "cluster of $1 nodes" sh -c "sinfo -h -N -t idle | wc -l | grep -qx $1"
}

stop_cluster() {
    local name
    for name in slurmctld munged; do [ ! -e "$cluster/$name.pid" ] || end_daemon $name; done
    for name in "$cluster"/node*.pid; do [ ! -e "$name" ] || cut_power \
        "$(basename "$name" .pid | tr -d node)"; done
}
