import {
  kubevirtConfig,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceSpec,
} from '@yagura/api';
import { vmiSubject, vmSubject } from './objects.ts';
import { addVolume, checkAdded, vmiPatch, vmPatch } from './volume-calls.ts';

const spec: VirtualMachineInstanceSpec = {
  domain: { devices: { disks: [{ name: 'root', disk: {} }] } },
  volumes: [
    { name: 'root', containerDisk: { image: 'a:1' } },
    { name: 'old', persistentVolumeClaim: { claimName: 'old', hotpluggable: true } },
  ],
};
const vm = (status: VirtualMachine['status'] = {}): VirtualMachine => ({
  metadata: { name: 'demo' },
  spec: { template: { spec } },
  status,
});
const vmi = (status: VirtualMachineInstance['status'] = { phase: 'Running' }): VirtualMachineInstance => ({
  metadata: { name: 'demo' },
  spec,
  status,
});
const body = (name = 'x', claimName = 'c') => ({
  name,
  disk: { disk: { bus: 'scsi' } },
  volumeSource: { persistentVolumeClaim: { claimName } },
});

test.each([
  [{ ...body(), name: '' }, 'name of the volume is required'],
  [{ ...body(), name: 'A_b' }, 'DNS label'],
  [{ ...body(), disk: null }, 'disk is required'],
  [{ ...body(), disk: { cdrom: {} } }, 'disk.cdrom'],
  [{ ...body(), disk: { disk: { bus: 'sata' } } }, 'scsi or virtio'],
  [{ ...body(), volumeSource: {} }, 'exactly one'],
  [{ ...body(), volumeSource: { dataVolume: {} } }, 'names no claim'],
])('%j is a 400', (asked, message) => {
  expect(() => addVolume(asked)).toThrow(
    expect.objectContaining({ code: 400, message: expect.stringContaining(message) }),
  );
});

test.each([
  ['addvolume', body('root'), 'already exists'],
  ['addvolume', body('x', 'old'), 'already exists as volume old'],
  ['removevolume', { name: 'x' }, 'does not exist'],
  ['removevolume', { name: 'root' }, 'not hotpluggable'],
] as const)('%s of %j is a 409 on both', (verb, asked, message) => {
  const refused = expect.objectContaining({ code: 409, message: expect.stringContaining(message) });
  expect(() => vmPatch(vm(), verb, asked, vmSubject('demo'))).toThrow(refused);
  expect(() => vmiPatch(vmi(), verb, asked, vmiSubject('demo'))).toThrow(refused);
});

test('on a machine it is a request, of which there is one for a volume', () => {
  const patch = vmPatch(vm(), 'addvolume', body(), vmSubject('demo'));
  expect(patch.at(-1)).toMatchObject({ path: '/status/volumeRequests', value: [{ addVolumeOptions: { name: 'x' } }] });
  const again = vm({ volumeRequests: [{ removeVolumeOptions: { name: 'x' } }] });
  expect(() => vmPatch(again, 'addvolume', body(), vmSubject('demo'))).toThrow('under way already');
});

test('on an instance it changes the spec, and marks the volume as one of the instance alone', () => {
  const patch = vmiPatch(vmi(), 'addvolume', body(), vmiSubject('demo'));
  expect(patch.find(({ path, op }) => op === 'add' && path === '/spec/volumes')).toMatchObject({
    value: [...(spec.volumes ?? []), { name: 'x', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } }],
  });
  expect(patch.at(-1)).toMatchObject({ value: { 'kubevirt.io/ephemeral-hotplug-volumes': 'x' } });
  expect(() => vmiPatch(vmi({ phase: 'Scheduled' }), 'addvolume', body(), vmiSubject('demo'))).toThrow('not running');
  const leaving = vmi({ phase: 'Running', volumeStatus: [{ name: 'x', target: '' }] });
  expect(() => vmiPatch(leaving, 'addvolume', body(), vmiSubject('demo'))).toThrow('still being taken out');
});

test.each([
  [{ ...body(), disk: { disk: { bus: 'scsi' }, cache: 'bogus' } }, 'disks[1].cache'],
  [{ ...body(), disk: { disk: { bus: 'scsi' }, serial: '"/>' } }, 'serial'],
  [{ ...body(), disk: { disk: { bus: 'virtio' }, lun: { bus: 'scsi' } } }, 'disk and lun at once'],
  [{ ...body(), disk: { disk: { bus: 'scsi' }, bootOrder: 'first' } }, 'bootOrder'],
])('%j is refused as the webhook would have it, for what it adds alone', (asked, message) => {
  const gates = ['HotplugVolumes'];
  const config = kubevirtConfig({
    metadata: { name: 'kubevirt' },
    spec: { configuration: { developerConfiguration: { featureGates: gates } } },
  });
  const faulty = { ...spec, volumes: [...(spec.volumes ?? []), { name: 'Odd', containerDisk: { image: '' } }] };
  expect(() => checkAdded(spec, addVolume(asked), config)).toThrow(
    expect.objectContaining({ code: 400, message: expect.stringContaining(message) }),
  );
  for (const before of [spec, faulty]) expect(() => checkAdded(before, addVolume(body()), config)).not.toThrow();
});
