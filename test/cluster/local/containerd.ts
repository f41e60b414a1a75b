import { join } from 'node:path';
import { logs, nodeDir } from '../paths.ts';
import type { NodePlan } from './plan.ts';
import type { Service } from './s6.ts';

export const pauseImage = 'localhost/yagura/pause:dev';
export const cniBinDir = '/opt/cni/bin';

export const containerdConfigPath = (node: NodePlan): string => join(nodeDir(node.name), 'containerd.toml');

/** The usual paths: inside the node they are the node's own. */
export const containerdConfig = `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"

[grpc]
  address = "/run/containerd/containerd.sock"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  max_concurrent_downloads = 4

  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"

    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"

      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false

  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniBinDir}"
    conf_dir = "/etc/cni/net.d"
`;

export function containerdService(node: NodePlan): Service {
  return {
    name: 'containerd',
    log: join(logs, `${node.name}-containerd.log`),
    command: ['containerd', '--config', containerdConfigPath(node)],
  };
}
