#!/bin/sh
# Makes /out/boot/{vmlinuz,initrd} and /out/disk/tiny.img. Needs no mount, no loop device and no privilege.
set -eu
src=/src
root=/tmp/root
kernel=$(ls /lib/modules)

# Root file system: an initramfs that is never left.
mkdir -p "$root/bin" "$root/sbin" "$root/usr/sbin" "$root/lib/modules" "$root/proc" "$root/sys" "$root/dev" "$root/run" \
  "$root/tmp" "$root/var" "$root/root" "$root/data" "$root/mnt"
ln -s ../run "$root/var/run"
cp /bin/busybox "$root/bin/busybox"
for applet in $(busybox --list-full); do
  case $applet in bin/busybox | linuxrc) continue ;; esac
  mkdir -p "$root/$(dirname "$applet")"
  [ -e "$root/$applet" ] || ln -s /bin/busybox "$root/$applet"
done
cp -R "$src/rootfs/." "$root"
chmod 755 "$root/init" "$root"/usr/sbin/* "$root/etc/udhcpc/default.script" "$root"/etc/init.d/* "$root/etc/acpi/PWRF/00000080"
ln -sf /usr/sbin/shutdown "$root/sbin/shutdown"

# The agent and the libraries that it loads.
cp /usr/sbin/qemu-ga "$root/usr/sbin/qemu-ga"
ldd /usr/sbin/qemu-ga | grep -o '/[^ ]*' | sort -u | while read -r lib; do
  mkdir -p "$root$(dirname "$lib")"
  cp -L "$lib" "$root$lib"
done

# Modules, uncompressed, and the order to load them in: what the first service needs comes first.
order() {
  for module in "$@"; do
    modprobe --set-version "$kernel" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | awk '!seen[$0]++'
}
install_modules() { # LIST MODULE...
  list=$1
  shift
  for file in $(order "$@"); do
    name=$(basename "$file" .xz)
    [ -e "$root/lib/modules/$name" ] || xz -dc "$file" >"$root/lib/modules/$name"
    echo "/lib/modules/$name"
  done >"$root/lib/modules/$list"
}
install_modules power button evdev
install_modules early virtio_net virtio_blk
install_modules later virtio_balloon virtio_mem virtio-rng isofs vfat nls_cp437 nls_ascii virtio_scsi sd_mod ahci sr_mod

mkdir -p /out/boot /out/disk
cp "/boot/vmlinuz-$kernel" /out/boot/vmlinuz
find "$root" -exec touch -h -d @1577836800 {} +
# Compressed: while it is unpacked the kernel holds it twice, and a small guest would have no memory left for its drivers.
(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) | zstd -19 --quiet >/out/boot/initrd
ls -l /out/boot "$root/lib/modules" | sort -k5n | tail -n 30

# Disk: MBR, a FAT partition with a boot loader for BIOS and one for UEFI, and a small ext4 partition for the guest to write on.
disk=/tmp/tiny.raw
truncate -s 64M "$disk"
sfdisk --quiet "$disk" <<'TABLE'
label: dos
label-id: 0x79616775
start=2048, size=81920, type=e, bootable
start=83968, size=45056, type=83
TABLE
dd if=/usr/lib/syslinux/mbr/mbr.bin of="$disk" conv=notrunc status=none
boot="$disk@@1048576"
mformat -i "$boot" -h 64 -s 32 -T 81920 -H 2048 -v BOOT -N 79616775 ::
syslinux --install --offset 1048576 "$disk"
mcopy -i "$boot" /out/boot/vmlinuz /out/boot/initrd "$src/syslinux.cfg" ::
mmd -i "$boot" ::/EFI ::/EFI/BOOT ::/loader ::/loader/entries
mcopy -i "$boot" /usr/lib/systemd/boot/efi/systemd-bootx64.efi ::/EFI/BOOT/BOOTX64.EFI
sed -n 's/ *APPEND /options /p' "$src/syslinux.cfg" | sed '1i title tiny\nlinux /vmlinuz\ninitrd /initrd' |
  mcopy -i "$boot" - ::/loader/entries/tiny.conf
mke2fs -q -F -t ext4 -L data -U 79616775-7261-4000-8000-74696e790001 -E offset=42991616 "$disk" 22528k
qemu-img convert -f raw -O qcow2 "$disk" /out/disk/tiny.img
ls -l /out/disk
