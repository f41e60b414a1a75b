#!/bin/sh
set -e
hostname node-b
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/netns /run/kubevirt /run/kubevirt-private
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/var-lib-kubelet /var/lib/kubelet
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/var-lib-containerd /var/lib/containerd
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/var-lib-cni /var/lib/cni
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/var-lib-kubevirt /var/lib/kubevirt
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/var-lib-kubevirt-node-labeller /var/lib/kubevirt-node-labeller
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/var-lib-yagura /var/lib/yagura
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/var-log-pods /var/log/pods
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/var-log-containers /var/log/containers
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/etc-cni-net.d /etc/cni/net.d
mount --bind /var/lib/yagura-local/nodes/node-b/dirs/opt-cni-bin /opt/cni/bin
[ ! -e /etc/machine-id ] || mount --bind /var/lib/yagura-local/nodes/node-b/machine-id /etc/machine-id
mkdir /run/sysctl
[ ! -e /proc/sys/vm/overcommit_memory ] || { echo 1 > /run/sysctl/vm.overcommit_memory; mount --bind /run/sysctl/vm.overcommit_memory /proc/sys/vm/overcommit_memory; }
[ ! -e /proc/sys/vm/panic_on_oom ] || { echo 0 > /run/sysctl/vm.panic_on_oom; mount --bind /run/sysctl/vm.panic_on_oom /proc/sys/vm/panic_on_oom; }
[ ! -e /proc/sys/kernel/panic ] || { echo 10 > /run/sysctl/kernel.panic; mount --bind /run/sysctl/kernel.panic /proc/sys/kernel/panic; }
[ ! -e /proc/sys/kernel/panic_on_oops ] || { echo 1 > /run/sysctl/kernel.panic_on_oops; mount --bind /run/sysctl/kernel.panic_on_oops /proc/sys/kernel/panic_on_oops; }
[ ! -e /proc/sys/kernel/keys/root_maxkeys ] || { echo 1000000 > /run/sysctl/kernel.keys.root_maxkeys; mount --bind /run/sysctl/kernel.keys.root_maxkeys /proc/sys/kernel/keys/root_maxkeys; }
[ ! -e /proc/sys/kernel/keys/root_maxbytes ] || { echo 25000000 > /run/sysctl/kernel.keys.root_maxbytes; mount --bind /run/sysctl/kernel.keys.root_maxbytes /proc/sys/kernel/keys/root_maxbytes; }
n=0; until [ -e /sys/class/net/eth0 ]; do n=$((n+1)); [ $n -lt 300 ] || { echo "no eth0 after 30 s"; exit 1; }; sleep 0.1; done
ip link set lo up
ip addr add 10.89.123.12/24 dev eth0
ip link set eth0 up
ip route add default via 10.89.123.1
ip route add 10.244.1.0/24 via 10.89.123.11
ip link add br-lan type bridge
ip link set eth1 master br-lan up
ip link set br-lan up
echo 1 > /proc/sys/net/ipv4/ip_forward
[ ! -e /proc/sys/net/ipv6/conf/all/forwarding ] || echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
mount --make-rshared /
exec s6-svscan /var/lib/yagura-local/nodes/node-b/services
