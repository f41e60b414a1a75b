#!/bin/sh
# pod.sh ROOT: what the kubelet, virt-handler and the image make of a launcher's pod, for tests on one machine. Runs as
# PID 1 of PID, mount and network namespaces of its own and becomes the supervisor, as uid 107, as in the image.
set -eu
root=$1
scan=$root/var/run/kubevirt-private/s6

# The device node that virt-handler would give to the pod.
mknod "$root/tun" c 10 200
chmod 666 "$root/tun"
mount --bind "$root/tun" /dev/net/tun

# libvirt wants to know who it is.
for file in passwd group; do cp "/etc/$file" "$root/$file"; done
echo 'qemu:x:107:107::/:/bin/false' >>"$root/passwd"
echo 'qemu:x:107:' >>"$root/group"
for file in passwd group; do mount --bind "$root/$file" "/etc/$file"; done

# The network that virt-handler would make for masquerade.
ip link set lo up
ip link add k6t-eth0 address 02:00:00:00:00:00 type bridge
ip address add 10.0.2.1/24 dev k6t-eth0
ip tuntap add dev tap0 mode tap user 107 group 107
ip link set tap0 master k6t-eth0
ip link set k6t-eth0 up
ip link set tap0 up
# For an interface that is plugged in later.
ip tuntap add dev tap1 mode tap user 107 group 107
ip link set tap1 up
ip neighbour replace 10.0.2.2 lladdr 52:54:00:12:34:56 dev k6t-eth0 nud stale
echo 3000 >/proc/sys/net/ipv4/neigh/k6t-eth0/base_reachable_time_ms
echo 1 >/proc/sys/net/ipv4/neigh/k6t-eth0/delay_first_probe_time
echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start

exec setpriv --reuid 107 --regid 107 --clear-groups --no-new-privs --bounding-set -all \
  env HOME="$root/var/run/kubevirt-private" XDG_RUNTIME_DIR="$root/var/run" \
  XDG_CONFIG_HOME="$root/var/run/kubevirt-private" XDG_CACHE_HOME="$root/var/run/kubevirt-private" \
  s6-svscan "$scan"
