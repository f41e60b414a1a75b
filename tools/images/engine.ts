/** The programs that can build the images. Only command lines here; nothing runs. */
export type EngineName = 'docker' | 'buildah';

export interface BuildRequest {
  readonly containerfile: string;
  readonly context: string;
  readonly reference: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Image to build on, in place of the one that the Containerfile names. */
  readonly base?: string;
}

export interface ImageInfo {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Engine {
  readonly name: EngineName;
  build(request: BuildRequest): string[];
  /** Describes an image as JSON; fails if there is no such image. */
  inspect(reference: string): string[];
  /** Reads what `inspect` printed. */
  readInspect(stdout: string): ImageInfo;
  /** Writes an archive that containerd and Docker import under the reference. */
  save(reference: string, file: string): string[];
  /** Sends an image to a registry, as one or two commands. */
  push(reference: string, target: string): string[][];
}

const sortedLabels = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => ['--label', `${key}=${value}`]);

/** What both builders take in the same words, behind the flags of their own. */
const buildArguments = ({ labels, base, reference, containerfile, context }: BuildRequest) => [
  ...sortedLabels(labels),
  ...(base === undefined ? [] : ['--build-arg', `BASE=${base}`]),
  '--tag',
  reference,
  '--file',
  containerfile,
  context,
];

/** Such registries may speak plain HTTP, as with Docker. */
const onThisMachine = (target: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?\//.test(target);

export const buildah: Engine = {
  name: 'buildah',
  // chroot isolation and the host's network work in a container and without systemd, where buildah's defaults do not.
  build: (request) => [
    'buildah',
    'build',
    '--layers',
    '--pull-never',
    '--isolation=chroot',
    '--network=host',
    ...buildArguments(request),
  ],
  inspect: (reference) => ['buildah', 'inspect', '--type=image', reference],
  readInspect: (stdout) => {
    const { FromImageID, OCIv1 } = JSON.parse(stdout) as {
      FromImageID: string;
      OCIv1?: { config?: { Labels?: Record<string, string> } };
    };
    return { id: FromImageID, labels: OCIv1?.config?.Labels ?? {} };
  },
  save: (reference, file) => ['buildah', 'push', '--quiet', reference, `docker-archive:${file}:${reference}`],
  push: (reference, target) => [
    ['buildah', 'push', ...(onThisMachine(target) ? ['--tls-verify=false'] : []), reference, `docker://${target}`],
  ],
};

export const docker: Engine = {
  name: 'docker',
  build: (request) => ['docker', 'build', ...buildArguments(request)],
  inspect: (reference) => ['docker', 'image', 'inspect', reference],
  readInspect: (stdout) => {
    const [image] = JSON.parse(stdout) as { Id: string; Config?: { Labels?: Record<string, string> | null } }[];
    if (image === undefined) throw new Error('docker described no image');
    return { id: image.Id.replace(/^sha256:/, ''), labels: image.Config?.Labels ?? {} };
  },
  save: (reference, file) => ['docker', 'save', '--output', file, reference],
  push: (reference, target) => [
    ['docker', 'tag', reference, target],
    ['docker', 'push', target],
  ],
};
