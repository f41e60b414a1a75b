#!/bin/sh
set -e
mkdir -p /sys/fs/cgroup/memory/yagura-local
mkdir -p /sys/fs/cgroup/memory/yagura-local/node-b
mkdir -p /sys/fs/cgroup/memory/yagura-local/node-b/init
mkdir -p /sys/fs/cgroup/cpuset/yagura-local
[ -n "$(cat /sys/fs/cgroup/cpuset/yagura-local/cpuset.cpus)" ] || cat /sys/fs/cgroup/cpuset/cpuset.cpus > /sys/fs/cgroup/cpuset/yagura-local/cpuset.cpus
[ -n "$(cat /sys/fs/cgroup/cpuset/yagura-local/cpuset.mems)" ] || cat /sys/fs/cgroup/cpuset/cpuset.mems > /sys/fs/cgroup/cpuset/yagura-local/cpuset.mems
mkdir -p /sys/fs/cgroup/cpuset/yagura-local/node-b
[ -n "$(cat /sys/fs/cgroup/cpuset/yagura-local/node-b/cpuset.cpus)" ] || cat /sys/fs/cgroup/cpuset/yagura-local/cpuset.cpus > /sys/fs/cgroup/cpuset/yagura-local/node-b/cpuset.cpus
[ -n "$(cat /sys/fs/cgroup/cpuset/yagura-local/node-b/cpuset.mems)" ] || cat /sys/fs/cgroup/cpuset/yagura-local/cpuset.mems > /sys/fs/cgroup/cpuset/yagura-local/node-b/cpuset.mems
mkdir -p /sys/fs/cgroup/cpuset/yagura-local/node-b/init
[ -n "$(cat /sys/fs/cgroup/cpuset/yagura-local/node-b/init/cpuset.cpus)" ] || cat /sys/fs/cgroup/cpuset/yagura-local/node-b/cpuset.cpus > /sys/fs/cgroup/cpuset/yagura-local/node-b/init/cpuset.cpus
[ -n "$(cat /sys/fs/cgroup/cpuset/yagura-local/node-b/init/cpuset.mems)" ] || cat /sys/fs/cgroup/cpuset/yagura-local/node-b/cpuset.mems > /sys/fs/cgroup/cpuset/yagura-local/node-b/init/cpuset.mems
echo $$ > /sys/fs/cgroup/memory/yagura-local/node-b/init/cgroup.procs
echo $$ > /sys/fs/cgroup/cpuset/yagura-local/node-b/init/cgroup.procs
exec unshare --mount --propagation private --net --uts --ipc --pid --fork --kill-child /bin/sh /var/lib/yagura-local/nodes/node-b/init.sh
