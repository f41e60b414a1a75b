#!/bin/sh
# Runs in the guest's root file system while the image is built.
set -eu

# Nothing that costs an emulated machine seconds and that a test would not miss.
systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
  fstrim.timer motd-news.timer systemd-networkd-wait-online.service systemd-hwdb-update.service \
  systemd-journal-catalog-update.service systemd-update-done.service systemd-pcrmachine.service \
  systemd-rfkill.socket ldconfig.service systemd-sysusers.service systemd-udev-load-credentials.service \
  systemd-network-generator.service systemd-binfmt.service systemd-boot-update.service systemd-pstore.service \
  modprobe@.service dev-hugepages.mount dev-mqueue.mount sys-fs-fuse-connections.mount sys-kernel-config.mount \
  sys-kernel-debug.mount sys-kernel-tracing.mount keyboard-setup.service console-setup.service \
  systemd-journald-audit.socket systemd-creds.socket systemd-hostnamed.socket systemd-mountfsd.socket systemd-nsresourced.socket \
  systemd-tpm2-setup-early.service systemd-tpm2-setup.service systemd-pcrphase.service systemd-pcrphase-sysinit.service
mkdir -p /etc/systemd/system-generators
for path in /usr/lib/systemd/system-generators/*; do
  case ${path##*/} in
    cloud-init-generator | systemd-fstab-generator | systemd-getty-generator) ;;
    *) ln -s /dev/null "/etc/systemd/system-generators/${path##*/}" ;;
  esac
done
systemctl enable systemd-networkd systemd-resolved ssh ssh-host-key getty@tty2

groupadd -f utmp
useradd -m -s /bin/bash -G sudo carol
useradd -m -s /bin/bash alice
useradd -m -s /bin/bash bob
# Console and ssh logins of a test guest: the password is the name.
printf '%s\n' root:root carol:carol alice:alice bob:bob | chpasswd
echo 'carol ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/carol
chmod 440 /etc/sudoers.d/carol

rm -f /etc/ssh/ssh_host_* /etc/systemd/system/*/e2scrub*
: >/etc/machine-id
mkdir -p /data /scratch /boot
