#!/bin/sh
set -e
mkdir -p /sys/fs/cgroup/yagura-local
for c in $(cat /sys/fs/cgroup/cgroup.controllers); do echo +$c > /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true; done
mkdir -p /sys/fs/cgroup/yagura-local/node-b
for c in $(cat /sys/fs/cgroup/yagura-local/cgroup.controllers); do echo +$c > /sys/fs/cgroup/yagura-local/cgroup.subtree_control 2>/dev/null || true; done
mkdir -p /sys/fs/cgroup/yagura-local/node-b/init
for c in $(cat /sys/fs/cgroup/yagura-local/node-b/cgroup.controllers); do echo +$c > /sys/fs/cgroup/yagura-local/node-b/cgroup.subtree_control 2>/dev/null || true; done
echo $$ > /sys/fs/cgroup/yagura-local/node-b/init/cgroup.procs
exec unshare --mount --propagation private --net --uts --ipc --pid --fork --kill-child /bin/sh /var/lib/yagura-local/nodes/node-b/init.sh
