import { LOCAL_SOCKET } from './rest/local-socket.ts';

/** Where virt-handler runs and where it finds what it works on; every path can be overridden for development. */
export interface HandlerConfig {
  nodeName: string;
  /** Of this process. */
  podName: string;
  /** Of the product. */
  version: string;
  /** Namespace of the product. */
  namespace: string;
  /** The kubelet's directory of pods, as this process sees it: short, because socket paths end at 107 bytes. */
  podsDir: string;
  /** The same directory as the node's first process sees it. */
  hostPodsDir: string;
  devicePluginsDir: string;
  /** Shared with the node: links to launcher sockets, the helper of container disks. */
  shareDir: string;
  /** The helper in this image that keeps a container disk's container alive. */
  containerDiskHelper: string;
  /** Where the launcher's image has left what it found out about the node. */
  capabilitiesDir: string;
  /** On the node, and there for good: what is recorded of instances. */
  timelineDir: string;
  /** Heartbeats are one to 2.2 times so far apart. */
  heartbeatPeriodMs: number;
  restPort: number;
  opsPort: number;
  /** Unix socket of the routes that only read, for a command in the container. */
  localSocket: string;
  /** Development only: `tls.crt`, `tls.key` and `ca.crt` in a directory, instead of the Secrets. */
  certsFromDir: string | undefined;
}

/** The configuration from environment and arguments; throws with the name of what is missing or wrong. */
export function readConfig(env: NodeJS.ProcessEnv, args: string[]): HandlerConfig {
  const nodeName = env['NODE_NAME'];
  if (nodeName === undefined || nodeName === '') {
    throw new Error('NODE_NAME is not set: it must be the name of the node (downward API, spec.nodeName)');
  }
  const kubelet = env['KUBELET_ROOT'] || '/var/lib/kubelet';
  return {
    nodeName,
    podName: env['POD_NAME'] || 'virt-handler',
    version: env['YAGURA_VERSION'] || 'development',
    namespace: env['POD_NAMESPACE'] || 'yagura',
    podsDir: env['PODS_DIR'] || '/pods',
    hostPodsDir: `${kubelet}/pods`,
    devicePluginsDir: env['DEVICE_PLUGINS_DIR'] || '/var/lib/kubelet/device-plugins',
    shareDir: env['SHARE_DIR'] || '/var/run/kubevirt',
    containerDiskHelper: env['CONTAINER_DISK_HELPER'] || '/usr/lib/yagura/container-disk',
    capabilitiesDir: env['CAPABILITIES_DIR'] || '/var/lib/yagura/node',
    timelineDir: env['TIMELINE_DIR'] || '/var/lib/yagura/timeline',
    heartbeatPeriodMs: seconds(env, 'HEARTBEAT_PERIOD_SECONDS', 60) * 1000,
    restPort: port(env, 'REST_PORT', 8186),
    opsPort: port(env, 'OPS_PORT', 8443),
    localSocket: env['LOCAL_SOCKET'] || LOCAL_SOCKET,
    certsFromDir: flag(args, '--certs-from-dir'),
  };
}

function seconds(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const value = Number(env[name] || otherwise);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name}=${env[name]} is no number of seconds above zero`);
  return value;
}

function port(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const value = env[name];
  if (value === undefined || value === '') return otherwise;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65535) throw new Error(`${name}=${value} is no port number`);
  return number;
}

function flag(args: string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (at < 0) return undefined;
  const value = args[at] === name ? args[at + 1] : args[at]?.slice(name.length + 1);
  if (value === undefined || value === '') throw new Error(`${name} needs a value`);
  return value;
}
