#!/bin/sh
# Makes /out/disk/debian.img of /rootfs.
set -eu
root=/rootfs
kernel=$(ls "$root/lib/modules")
mkdir -p /out/disk

# What the container engine had in its place.
rm -rf "$root/.dockerenv" "$root/run" "$root/tmp" "$root/dev" "$root/proc" "$root/sys"
mkdir -p "$root/run" "$root/tmp" "$root/dev" "$root/proc" "$root/sys"
chmod 1777 "$root/tmp"
echo debian >"$root/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 debian\n' >"$root/etc/hosts"
rm -f "$root/etc/resolv.conf"
ln -s ../run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"

# An initrd that does one thing: finds the root file system.
initrd=/tmp/initrd
mkdir -p "$initrd/bin" "$initrd/dev" "$initrd/proc" "$initrd/sys" "$initrd/root" "$initrd/lib"
cp /bin/busybox "$initrd/bin/busybox"
install -m 755 /src/init "$initrd/init"
modules() {
  for module in "$@"; do
    modprobe -d "$root" --set-version "$kernel" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | awk '!seen[$0]++'
}
for list in 'first virtio_blk' 'second virtio_scsi sd_mod ahci'; do
  set -- $list
  name=$1
  shift
  for file in $(modules "$@"); do
    module=$(basename "$file" .xz)
    [ -e "$initrd/lib/$module" ] || xz -dc "$file" >"$initrd/lib/$module"
    echo "/lib/$module"
  done >"$initrd/lib/$name"
done
(cd "$initrd" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) >/tmp/initrd.img

# MBR; FAT with the boot loader (/boot), the root, and two more for the guest to have several.
disk=/tmp/debian.raw
rm -f "$disk"
truncate -s 1536M "$disk"
sfdisk --quiet "$disk" <<'TABLE'
label: dos
label-id: 0x79616764
start=2048, size=65536, type=e, bootable
start=67584, size=2617344, type=83
start=2684928, size=131072, type=83
start=2816000, size=329728, type=83
TABLE
dd if=/usr/lib/syslinux/mbr/mbr.bin of="$disk" conv=notrunc status=none
boot="$disk@@1048576"
mformat -i "$boot" -h 64 -s 32 -T 65536 -H 2048 -v BOOT -N 79616764 ::
syslinux --install --offset 1048576 "$disk"
mcopy -i "$boot" "$root/boot/vmlinuz-$kernel" ::vmlinuz
mcopy -i "$boot" /tmp/initrd.img ::initrd
mcopy -i "$boot" /src/syslinux.cfg ::
rm -rf "$root/boot" && mkdir "$root/boot"
mke2fs -q -F -t ext4 -L root -m 1 -O ^metadata_csum_seed,^orphan_file -d "$root" -E offset=34603008 "$disk" 1308672k
mke2fs -q -F -t ext4 -L data -m 0 -E offset=1374683136 "$disk" 65536k
mke2fs -q -F -t ext4 -L scratch -m 0 -E offset=1441792000 "$disk" 164864k
qemu-img convert -c -f raw -O qcow2 -o compression_type=zstd "$disk" /out/disk/debian.img
rm "$disk"
ls -l /out/disk
