import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { exec, tryExec } from './exec.ts';
import { readText, writeIfChanged } from './files.ts';
import { bin, cache, checkout, kubeconfigPath } from './paths.ts';
import type { Step } from './steps.ts';

export const kubernetesVersion = 'v1.34.4';
const clusterModules = join(checkout, 'test/cluster');

export type Tool =
  | {
      readonly kind: 'module';
      readonly name: string;
      readonly module: string;
      readonly version: string;
      readonly ldflags?: string;
    }
  | {
      readonly kind: 'source';
      readonly name: string;
      readonly dir: string;
      /** What to build of the module or of what it depends on; its own main package unless told otherwise. */
      readonly package?: string;
      readonly ldflags?: string;
    };

const versionFlags = (path: string, version: string): string => {
  const [major = '', minor = ''] = version.slice(1).split('.');
  return `-X ${path}.gitVersion=${version} -X ${path}.gitMajor=${major} -X ${path}.gitMinor=${minor}`;
};

export const kubernetesTool: Tool = {
  kind: 'source',
  name: 'kubernetes',
  dir: join(clusterModules, 'kubernetes'),
  ldflags: versionFlags('k8s.io/component-base/version', kubernetesVersion),
};
export const networksTool: Tool = { kind: 'source', name: 'yagura-networks', dir: join(clusterModules, 'cni') };
/** Of the module that Kubernetes is built from, so that the two share the packages that both are made of: it is minutes else. */
export const helmTool: Tool = {
  kind: 'source',
  name: 'helm',
  dir: join(clusterModules, 'kubernetes'),
  package: 'helm.sh/helm/v3/cmd/helm',
  ldflags: '-X helm.sh/helm/v3/internal/version.version=v3.19.5',
};
export const grpcurlTool: Tool = {
  kind: 'module',
  name: 'grpcurl',
  module: 'github.com/fullstorydev/grpcurl/cmd/grpcurl',
  version: 'v1.9.4',
};
export const kindTool: Tool = { kind: 'module', name: 'kind', module: 'sigs.k8s.io/kind', version: 'v0.30.0' };
export const corednsTool: Tool = {
  kind: 'module',
  name: 'coredns',
  module: 'github.com/coredns/coredns',
  version: 'v1.14.7',
};

/** What nothing that `up` does needs. */
export const laterTools: readonly Tool[] = [grpcurlTool];

const installGo =
  'Debian 13: apt-get install golang-go. Debian 12: apt-get install -t bookworm-backports golang-go. Elsewhere: https://go.dev/dl';

/** Go 1.21 and later fetch the version that a module asks for by themselves. */
async function goVersion(signal: AbortSignal): Promise<string> {
  const answer = await exec('go', ['env', 'GOVERSION'], { cwd: '/' }, signal).catch((error: Error) => {
    if (!error.message.includes('not found')) throw error;
    throw new Error(
      `Go is needed to build Kubernetes and its tools (1.24, or 1.21 and later if it may fetch that), and there is no \`go\` in PATH.\n${installGo}`,
    );
  });
  const version = answer.trim();
  const [, minor = '0'] = /^go1\.(\d+)/.exec(version) ?? [];
  if (Number(minor) < 21) throw new Error(`${version} is too old to build Kubernetes and its tools.\n${installGo}`);
  return version;
}

/** What the binary is made of: for a module its version, for our own sources their contents. */
async function keyOf(tool: Tool): Promise<string> {
  if (tool.kind === 'module') return tool.version;
  const hash = createHash('sha256')
    .update(tool.ldflags ?? '')
    .update(tool.package ?? '');
  for (const file of (await readdir(tool.dir)).filter((name) => name.endsWith('.go') || name.startsWith('go.')).sort())
    hash.update(file).update(await readFile(join(tool.dir, file)));
  return hash.digest('hex').slice(0, 12);
}

export async function toolPath(tool: Tool): Promise<string> {
  return join(cache, `${tool.name}-${await keyOf(tool)}`, tool.name);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export async function isBuilt(tool: Tool): Promise<boolean> {
  return exists(await toolPath(tool));
}

/** What a killed build left. */
async function removePartials(): Promise<void> {
  for (const name of await readdir(cache).catch(() => [])) {
    const pid = /^partial-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !(await exists(`/proc/${pid}`)))
      await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function buildTool(tool: Tool, path: string, signal: AbortSignal): Promise<void> {
  const version = await goVersion(signal);
  await removePartials();
  const partial = join(cache, `partial-${process.pid}-${tool.name}`);
  await mkdir(partial, { recursive: true });
  // What is stripped at the end is not made in the first place: a tenth of the compiler's time.
  const flags = [
    '-trimpath',
    '-buildvcs=false',
    '-gcflags=all=-dwarf=false',
    '-ldflags',
    `-s -w ${tool.ldflags ?? ''}`.trim(),
  ];
  // The compiler is short-lived: a heap that may grow is collected less often.
  const env = { ...process.env, CGO_ENABLED: '0', GOBIN: partial, GOFLAGS: '', GOGC: '400' };
  try {
    if (tool.kind === 'module')
      await exec(
        'go',
        ['install', ...flags, `${tool.module}@${tool.version}`],
        { env, log: `build-${tool.name}.log` },
        signal,
      );
    else
      await exec(
        'go',
        ['build', ...flags, '-o', join(partial, tool.name), tool.package ?? '.'],
        { env, cwd: tool.dir, log: `build-${tool.name}.log` },
        signal,
      );
    const dir = join(path, '..');
    await rm(dir, { recursive: true, force: true });
    await rename(partial, dir);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${(error as Error).message}\n(built with ${version})`);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Builds the tool unless this machine has it, and puts it into .local/bin. */
export async function ensureTool(tool: Tool, signal: AbortSignal): Promise<string> {
  const path = await toolPath(tool);
  const there = await exists(path);
  if (!there) await buildTool(tool, path, signal);
  await mkdir(bin, { recursive: true });
  await link(tool.name, path);
  return there ? 'already built' : 'built';
}

/** Builds the tools that `up` itself does not need, after everything else. */
export const laterToolSteps = (others: readonly string[]): Step[] =>
  laterTools.map((tool) => ({
    name: tool.name,
    lane: 'build',
    after: others,
    run: ({ signal }) => ensureTool(tool, signal),
  }));

/** helm and kubectl use the cluster of this checkout unless told otherwise. */
const usesKubeconfig = new Set(['helm']);

async function link(name: string, path: string): Promise<void> {
  if (usesKubeconfig.has(name)) {
    await writeLauncher(name, `exec ${path}`);
    return;
  }
  const target = join(bin, name);
  if ((await tryExec('readlink', [target]))?.trim() === path) return;
  await rm(`${target}.new`, { force: true });
  await symlink(path, `${target}.new`);
  await rename(`${target}.new`, target);
}

export async function writeLauncher(name: string, command: string): Promise<void> {
  const target = join(bin, name);
  // A symlink of an earlier version must not be written through.
  if ((await readText(target)) === undefined || (await tryExec('test', ['-L', target])) !== undefined)
    await rm(target, { force: true });
  await writeIfChanged(
    target,
    `#!/bin/sh\n[ -n "$KUBECONFIG" ] || export KUBECONFIG=${kubeconfigPath}\n${command} "$@"\n`,
    0o755,
  );
}

export async function ensureKubernetes(signal: AbortSignal): Promise<string> {
  const remark = await ensureTool(kubernetesTool, signal);
  const path = await toolPath(kubernetesTool);
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'])
    await link(name, path);
  await writeLauncher('kubectl', `exec ${path} kubectl`);
  return remark;
}

/** For providers that bring their own Kubernetes: the machine's kubectl if it has one, else ours, which takes minutes to build. */
export async function ensureKubectl(signal: AbortSignal): Promise<string> {
  const elsewhere = (process.env['PATH'] ?? '').split(':').filter((dir) => dir !== bin);
  const found = await tryExec('sh', ['-c', 'command -v kubectl'], {
    env: { ...process.env, PATH: elsewhere.join(':') },
  });
  if (found === undefined) return ensureKubernetes(signal);
  await mkdir(bin, { recursive: true });
  await writeLauncher('kubectl', `exec ${found.trim()}`);
  return found.trim();
}
