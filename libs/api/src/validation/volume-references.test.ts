import { causes } from './testing/causes.ts';

const volume = (of: object) => ({ volumes: [{ name: 'a', ...of }] });
const two = (of: object) => ({
  volumes: [
    { name: 'a', ...of },
    { name: 'b', ...of },
  ],
});
const V = 'spec.volumes[0]';

test.each<[string, object, string]>([
  [
    'a claim without a name',
    volume({ persistentVolumeClaim: { claimName: '' } }),
    `Required ${V}.persistentVolumeClaim.claimName`,
  ],
  [
    'a claim of a name that is none',
    volume({ persistentVolumeClaim: { claimName: 'A b' } }),
    `Invalid ${V}.persistentVolumeClaim.claimName`,
  ],
  ['an overlay above nothing', volume({ ephemeral: {} }), `Required ${V}.ephemeral.persistentVolumeClaim`],
  [
    'an overlay above a claim without a name',
    volume({ ephemeral: { persistentVolumeClaim: { claimName: '' } } }),
    `Required ${V}.ephemeral.persistentVolumeClaim.claimName`,
  ],
  ['a DataVolume without a name', volume({ dataVolume: { name: '' } }), `Required ${V}.dataVolume.name`],
  ['a ConfigMap without a name', volume({ configMap: {} }), `Required ${V}.configMap.name`],
  ['a Secret without a name', volume({ secret: {} }), `Required ${V}.secret.secretName`],
  [
    'a service account without a name',
    volume({ serviceAccount: {} }),
    `Required ${V}.serviceAccount.serviceAccountName`,
  ],
  ['answers of nowhere', volume({ sysprep: {} }), `Required ${V}.sysprep`],
  [
    'answers of two places',
    volume({ sysprep: { secret: { name: 's' }, configMap: { name: 'm' } } }),
    `Invalid ${V}.sysprep`,
  ],
  ['answers of a Secret without a name', volume({ sysprep: { secret: {} } }), `Required ${V}.sysprep.secret.name`],
  [
    'two service accounts',
    two({ serviceAccount: { serviceAccountName: 's' } }),
    'Duplicate spec.volumes[1].serviceAccount',
  ],
  ['two metrics disks', two({ downwardMetrics: {} }), 'Duplicate spec.volumes[1].downwardMetrics'],
  ['two memory dumps', two({ memoryDump: { claimName: 'c' } }), 'Duplicate spec.volumes[1].memoryDump'],
  ['a host disk without a path', volume({ hostDisk: { path: '', type: 'Disk' } }), `NotFound ${V}.hostDisk.path`],
  [
    'a host disk with a path upwards',
    volume({ hostDisk: { path: '/a/../b', type: 'Disk' } }),
    `Invalid ${V}.hostDisk.path`,
  ],
  ['a host disk of no type', volume({ hostDisk: { path: '/a', type: '' } }), `Required ${V}.hostDisk.type`],
  [
    'a host disk of another type',
    volume({ hostDisk: { path: '/a', type: 'Tape' } }),
    `NotSupported ${V}.hostDisk.type`,
  ],
  [
    'a new host disk without a size',
    volume({ hostDisk: { path: '/a', type: 'DiskOrCreate' } }),
    `Required ${V}.hostDisk.capacity`,
  ],
  [
    'a host disk that has a size',
    volume({ hostDisk: { path: '/a', type: 'Disk', capacity: '1Gi' } }),
    `Invalid ${V}.hostDisk.capacity`,
  ],
  [
    'a host disk of no size',
    volume({ hostDisk: { path: '/a', type: 'DiskOrCreate', capacity: 0 } }),
    `Invalid ${V}.hostDisk.capacity`,
  ],
  ['no field of the pod', volume({ downwardAPI: {} }), `Required ${V}.downwardAPI.fields`],
  [
    'a file outside',
    volume({ downwardAPI: { fields: [{ path: '../x', fieldRef: { fieldPath: 'a' } }] } }),
    `Invalid ${V}.downwardAPI.fields[0].path`,
  ],
  [
    'a file of no field',
    volume({ downwardAPI: { fields: [{ path: 'x' }] } }),
    `Required ${V}.downwardAPI.fields[0].fieldRef.fieldPath`,
  ],
  ['a relative directory', volume({ containerPath: { path: 'x' } }), `Invalid ${V}.containerPath.path`],
  [
    'another account than the one that is shown',
    { serviceAccountName: 'x', ...volume({ serviceAccount: { serviceAccountName: 'y' } }) },
    'Invalid spec.serviceAccountName',
  ],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});
