import { causes, domain } from './testing/causes.ts';

const empty = { emptyDisk: { capacity: '1Gi' } };
const cloudInit = (source: object) => ({ volumes: [{ name: 'a', cloudInitNoCloud: source }] });
const kernel = (kernelBoot: object) => ({ domain: domain({ firmware: { kernelBoot } }) });
const V = 'spec.volumes[0]';
const K = 'spec.domain.firmware.kernelBoot';

test.each<[string, object, string]>([
  [
    'two volumes of one name',
    {
      volumes: [
        { name: 'a', ...empty },
        { name: 'a', ...empty },
      ],
    },
    'Duplicate spec.volumes[1].name',
  ],
  ['a name that is no label', { volumes: [{ name: 'A', ...empty }] }, `Invalid ${V}.name`],
  ['no source', { volumes: [{ name: 'a' }] }, `Required ${V}`],
  ['two sources', { volumes: [{ name: 'a', ...empty, containerDisk: { image: 'x' } }] }, `Invalid ${V}`],
  [
    'a container disk without an image',
    { volumes: [{ name: 'a', containerDisk: { image: '' } }] },
    `Required ${V}.containerDisk.image`,
  ],
  [
    'a path with ..',
    { volumes: [{ name: 'a', containerDisk: { image: 'x', path: '/disk/../etc' } }] },
    `Invalid ${V}.containerDisk.path`,
  ],
  [
    'an unknown pull policy',
    { volumes: [{ name: 'a', containerDisk: { image: 'x', imagePullPolicy: 'Soon' } }] },
    `NotSupported ${V}.containerDisk.imagePullPolicy`,
  ],
  [
    'an empty disk without a size',
    { volumes: [{ name: 'a', emptyDisk: { capacity: 0 } }] },
    `Invalid ${V}.emptyDisk.capacity`,
  ],
  ['empty cloud-init', cloudInit({}), `Required ${V}.cloudInitNoCloud`],
  ['user data twice', cloudInit({ userData: 'x', secretRef: { name: 's' } }), `Invalid ${V}.cloudInitNoCloud`],
  ['a secret without a name', cloudInit({ secretRef: {} }), `Required ${V}.cloudInitNoCloud.secretRef.name`],
  ['user data that is too long', cloudInit({ userData: 'ü'.repeat(1025) }), `Invalid ${V}.cloudInitNoCloud.userData`],
  [
    'user data that is not base64',
    cloudInit({ userDataBase64: '#cloud' }),
    `Invalid ${V}.cloudInitNoCloud.userDataBase64`,
  ],
  ['kernel arguments without a kernel', kernel({ kernelArgs: 'quiet' }), `Invalid ${K}.kernelArgs`],
  ['a kernel image without a kernel', kernel({ container: { image: 'k' } }), `Required ${K}.container.kernelPath`],
  [
    'a relative kernel path',
    kernel({ container: { image: 'k', kernelPath: 'vmlinuz' } }),
    `Invalid ${K}.container.kernelPath`,
  ],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});

test('2048 bytes of user data are possible', () => {
  expect(causes(cloudInit({ userData: 'x'.repeat(2048) }))).toEqual([]);
});
