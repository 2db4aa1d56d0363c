# shellcheck shell=bash
# A Slurm of one's own, for tests that source it behind checks.sh: munged, slurmctld, and a slurmd for each of the nodes n1
# and n2, which have two CPUs each. All that it writes is in $work, and all that it starts has $work in its environment, by
# which it is found again: nothing else is ever killed.
slurm_conf=$work/slurm.conf

# With this Slurm for a cluster.
with_slurm() { SLURM_CONF=$slurm_conf "$@"; }

# The processes of this cluster: daemons, those that look after a job, and jobs. `processes NODE`: of a node. Those that look
# after a job do not say of which node they are: they are the parents of the jobs.
processes() {
    local all parents
    all=$(grep -lzxF "SLURM_CONF=$slurm_conf" /proc/[0-9]*/environ 2>/dev/null)
    [ -z "$all" ] || [ -z "${1-}" ] || all=$(xargs grep -lzxE "(SLURMD_NODENAME|TEST_NODE)=$1" <<<"$all" 2>/dev/null)
    [ -n "$all" ] || return 0
    parents=$(sed 's/environ$/status/' <<<"$all" | xargs awk '/^PPid:/ { print "/proc/" $2 "/comm" }' 2>/dev/null | sort -u)
    { echo "$all"; xargs grep -lx slurmstepd <<<"$parents" 2>/dev/null; } | cut -d/ -f3 | sort -u
}

# until_true SECONDS COMMAND...: false if it does not come true.
until_true() {
    local last=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $last ] || return 1
        sleep 0.2
    done
}

free_ports() {
    python3 -c '
import socket
sockets = [socket.socket() for _ in range(3)]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in sockets])'
}

# The times are short, so that a dead node is noticed soon and its jobs may start again soon.
write_slurm_conf() {
    local host user
    host=$(uname -n)
    host=${host%%.*}
    user=$(id -un)
    cat >"$slurm_conf" <<END
ClusterName=smsched
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobRequeue=0
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=6
MessageTimeout=5
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
StateSaveLocation=$work/state
SlurmctldPidFile=$work/slurmctld.pid
SlurmdSpoolDir=$work/spool.%n
SlurmdPidFile=$work/slurmd.%n.pid
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=2
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$3 CPUs=2
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE
END
}

start_node() {
    TEST_NODE=$1 SLURM_CONF=$slurm_conf slurmd -D -N "$1" -f "$slurm_conf" >>"$work/log/slurmd.$1" 2>&1 &
    disown
}

# As when its power fails: nobody is left who could tell of another's end.
freeze_node() { processes "$1" | xargs -r kill -STOP 2>/dev/null; }
kill_node() {
    freeze_node "$1"
    processes "$1" | xargs -r kill -KILL 2>/dev/null
}

nodes_are() { [ "$(with_slurm sinfo --noheader --Node --format='%N %T' 2>/dev/null | sort -u)" = "$1" ]; }

stop_slurm() {
    processes | xargs -r kill 2>/dev/null
    until_true 15 no_process || processes | xargs -r kill -KILL 2>/dev/null
}

no_process() { [ -z "$(processes)" ]; }

try_slurm() {
    mkdir -p "$work"/{state,log,spool.n1,spool.n2}
    # shellcheck disable=SC2046
    write_slurm_conf $(free_ports)
    head -c 128 /dev/urandom >"$work/munge.key"
    chmod 600 "$work/munge.key"
    SLURM_CONF=$slurm_conf munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" \
        --pid-file="$work/munge.pid" --log-file="$work/log/munged.log" --seed-file="$work/munge.seed" >"$work/log/munged" 2>&1 &
    disown
    until_true 30 test -S "$work/munge.socket" || return 1
    SLURM_CONF=$slurm_conf slurmctld -D -c -f "$slurm_conf" >"$work/log/slurmctld" 2>&1 &
    disown
    start_node n1
    start_node n2
    until_true 60 nodes_are "n1 idle
n2 idle"
}

# A port may be taken between its choice and its use: other ports then.
start_slurm() {
    chmod 711 "$work" # munged wants its socket to be within reach
    local i
    for i in 1 2 3; do
        try_slurm && return 0
        [ "$i" = 3 ] || { stop_slurm && rm -rf "$work"/{state,log,spool.n1,spool.n2,munge.*}; }
    done
    return 1
}

print_logs() { tail -n 40 "$work"/log/* 2>/dev/null; }
