/** An image of the project and all that its build reads, as paths below the repository. */
export interface ImageSpec {
  readonly name: string;
  readonly containerfile: string;
  readonly inputs: readonly string[];
}

const NODE = '.local/toolchain/node_modules/node-*/bin/node';

export const specs: readonly ImageSpec[] = [
  {
    name: 'virt-launcher',
    containerfile: 'services/virt-launcher/Containerfile',
    inputs: [
      NODE,
      '.local/toolchain/node_modules/node-*/include/node',
      'libs/libvirt/native/*.cc',
      'libs/libvirt/native/*.h',
      'libs/libvirt/native/build.sh',
      'libs/libvirt/node_modules/node-addon-api',
      'services/virt-launcher/image',
      'services/virt-launcher/probe',
      'services/virt-launcher/rootfs',
      'services/virt-launcher/dist/node_modules',
      'services/virt-launcher/dist/*.mjs',
    ],
  },
  {
    name: 'virt-handler',
    containerfile: 'services/virt-handler/Containerfile',
    inputs: [
      NODE,
      'services/virt-handler/container-disk',
      'services/virt-handler/yagura-node',
      'services/virt-handler/dist/*.mjs',
    ],
  },
  nodeService('virt-controller'),
  nodeService('virt-api'),
  { name: 'guest-tiny', containerfile: 'test/guests/tiny/Containerfile', inputs: ['test/guests/tiny'] },
  { name: 'guest-debian', containerfile: 'test/guests/debian/Containerfile', inputs: ['test/guests/debian'] },
];

function nodeService(name: string): ImageSpec {
  return {
    name,
    containerfile: `services/${name}/Containerfile`,
    inputs: [NODE, `services/${name}/dist/*.mjs`],
  };
}

/** The images named, in the order of the list; throws on a name that is none. */
export function selectSpecs(only: readonly string[] | undefined): ImageSpec[] {
  const unknown = only?.filter((name) => !specs.some((spec) => spec.name === name)) ?? [];
  if (unknown.length > 0) {
    throw new Error(`no image is named ${unknown.join(', ')}; there are ${specs.map(({ name }) => name).join(', ')}`);
  }
  return specs.filter(({ name }) => only?.includes(name) ?? true);
}
