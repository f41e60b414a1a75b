#!/bin/sh
# build-guest.sh OUT: a kernel and an initrd for tests on real QEMU, from the machine's own Debian packages (busybox-static,
# qemu-guest-agent, kmod, cpio) and the root file system of the tiny guest. The kernel package is only unpacked.
set -eu
out=$1
src=$(cd "$(dirname "$0")/../../../../test/guests/tiny" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
(cd "$work" && apt-get -o APT::Sandbox::User=root download "$package" >/dev/null 2>&1)
dpkg-deb -x "$work"/*.deb "$work/kernel"
kernel=$(ls "$work/kernel/lib/modules" 2>/dev/null || ls "$work/kernel/usr/lib/modules")
[ -d "$work/kernel/lib" ] || ln -s usr/lib "$work/kernel/lib"
depmod -b "$work/kernel" "$kernel"

root=$work/root
mkdir -p "$root/bin" "$root/sbin" "$root/usr/sbin" "$root/usr/bin" "$root/lib/modules" "$root/proc" "$root/sys" "$root/dev" \
  "$root/run" "$root/tmp" "$root/var" "$root/root" "$root/data" "$root/mnt"
ln -s ../run "$root/var/run"
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in $(busybox --list-full); do
  case $applet in bin/busybox | linuxrc) continue ;; esac
  mkdir -p "$root/$(dirname "$applet")"
  [ -e "$root/$applet" ] || ln -s /bin/busybox "$root/$applet"
done
cp -R "$src/rootfs/." "$root"
chmod 755 "$root/init" "$root"/usr/sbin/* "$root/etc/udhcpc/default.script" "$root"/etc/init.d/* "$root/etc/acpi/PWRF/00000080"
ln -sf /usr/sbin/shutdown "$root/sbin/shutdown"
cp /usr/sbin/qemu-ga "$root/usr/sbin/qemu-ga"
ldd /usr/sbin/qemu-ga | grep -o '/[^ ]*' | sort -u | while read -r lib; do
  mkdir -p "$root$(dirname "$lib")"
  cp -L "$lib" "$root$lib"
done

install_modules() { # LIST MODULE...
  list=$1
  shift
  for module in "$@"; do
    modprobe -d "$work/kernel" --set-version "$kernel" --show-depends "$module" 2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | awk '!seen[$0]++' | while read -r file; do
    name=$(basename "$file" .xz)
    case $file in
      *.xz) xz -dc "$file" >"$root/lib/modules/$name" ;;
      *) cp "$file" "$root/lib/modules/$name" ;;
    esac
    echo "/lib/modules/$name"
  done >"$root/lib/modules/$list"
}
install_modules early virtio_console virtio_pci virtio_net af_packet virtio_blk
install_modules later fuse button evdev virtio_balloon virtio_mem virtio-rng isofs vfat nls_cp437 nls_ascii virtio_scsi sd_mod ahci sr_mod

cp "$work/kernel/boot/vmlinuz-$kernel" "$out/vmlinuz"
(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) >"$out/initrd.new"
mv "$out/initrd.new" "$out/initrd"
