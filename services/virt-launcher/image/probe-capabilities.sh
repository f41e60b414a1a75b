#!/bin/sh
# Image build only: has libvirt probe QEMU once, and keeps what it found as the template that /init stamps and installs.
# Runs unprivileged and without /dev/kvm, so the template describes emulation only.
set -eu
dir=$(mktemp -d)
chown 107:107 "$dir"
as_qemu() {
  setpriv --reuid 107 --regid 107 --clear-groups env HOME="$dir" XDG_RUNTIME_DIR="$dir" XDG_CACHE_HOME="$dir" XDG_CONFIG_HOME="$dir" LIBVIRT_AUTOSTART=0 "$@"
}
as_qemu /usr/sbin/libvirtd --timeout 30 &
daemon=$!
tries=0
until as_qemu virsh -q -c qemu:///session domcapabilities --virttype qemu >/dev/null 2>"$dir/error"; do
  tries=$((tries + 1))
  [ "$tries" -lt 50 ] || { cat "$dir/error" >&2; exit 1; }
  sleep 0.1
done
kill "$daemon"
wait "$daemon" || true
install -d /usr/share/yagura/qemu-capabilities
install -m 644 "$dir"/libvirt/qemu/cache/capabilities/*.xml /usr/share/yagura/qemu-capabilities/
if grep -q "<flag name='kvm'/>" /usr/share/yagura/qemu-capabilities/*.xml; then
  echo "the template must not describe this machine's KVM" >&2
  exit 1
fi
rm -rf "$dir"
