import { LAUNCHER_DIRECTORIES, LAUNCHER_SOCKET, TERMINATION_MESSAGE_PATH } from '@yagura/api';

// Every path that the launcher uses, in one place, so that a test can put them all under a directory of its own.

export interface Paths {
  /** gRPC socket. */
  socket: string;
  /** Sockets of the domain, records, libvirt's configuration and logs; lives as long as the pod. */
  privateDirectory: string;
  ephemeralDisks: string;
  /** Directory of device nodes. */
  devices: string;
  libvirtRuntime: string;
  libvirtSocket: string;
  libvirtPidFile: string;
  /** Directory of QEMU's pid files, named after the domain. */
  qemuRun: string;
  qemuLog: string;
  runRecord: string;
  dhcpConfig: string;
  /** Socket of virt-probe, which has this path too. */
  probeSocket: string;
  /** Written when the pod got SIGTERM: seconds since the epoch. */
  terminating: string;
  endPod: string;
  /** The container's termination message. */
  terminationMessage: string;
}

export function pathsFrom(env: Readonly<Record<string, string | undefined>>): Paths {
  const root = env['LAUNCHER_ROOT'] ?? '';
  const privateDirectory = root + LAUNCHER_DIRECTORIES.private;
  const libvirtRuntime = root + LAUNCHER_DIRECTORIES.libvirtRuntime;
  return {
    socket: root + LAUNCHER_SOCKET,
    privateDirectory,
    ephemeralDisks: root + LAUNCHER_DIRECTORIES.ephemeralDisks,
    devices: `${root}/dev`,
    libvirtRuntime,
    libvirtSocket: `${libvirtRuntime}/libvirt-sock`,
    libvirtPidFile: `${libvirtRuntime}/libvirtd.pid`,
    qemuRun: `${libvirtRuntime}/qemu/run`,
    qemuLog: `${privateDirectory}/libvirt/qemu/log`,
    runRecord: `${privateDirectory}/run.json`,
    dhcpConfig: `${privateDirectory}/dhcp.json`,
    probeSocket: `${privateDirectory}/probe.sock`,
    terminating: `${privateDirectory}/terminating`,
    endPod: env['LAUNCHER_END_POD'] ?? '/usr/libexec/yagura/end-pod',
    terminationMessage: root + TERMINATION_MESSAGE_PATH,
  };
}
