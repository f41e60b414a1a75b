import type { VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec, Volume } from '../types.ts';
import { followPlugged, openVolumeRequests, withoutPlugged, withVolumeRequests } from './plugged-volumes.ts';

const root: Volume = { name: 'root', containerDisk: { image: 'a:1' } };
const plugged = (name: string, claimName = name): Volume => ({
  name,
  persistentVolumeClaim: { claimName, hotpluggable: true },
});
const spec = (...volumes: Volume[]): VirtualMachineInstanceSpec => ({
  domain: { devices: { disks: volumes.map(({ name }) => ({ name, disk: { bus: 'scsi' } })) } },
  volumes,
});
const vmi = (volumes: Volume[], more: { status?: string[]; own?: string } = {}): VirtualMachineInstance => ({
  metadata: { name: 'a', ...(more.own ? { annotations: { 'kubevirt.io/ephemeral-hotplug-volumes': more.own } } : {}) },
  spec: spec(...volumes),
  status: { volumeStatus: (more.status ?? []).map((name) => ({ name, target: '' })) },
});
const names = ({ volumes }: VirtualMachineInstanceSpec) => (volumes ?? []).map(({ name }) => name).join();

test.each<[what: string, vmi: VirtualMachineInstance, template: Volume[], after: string, complete: boolean]>([
  ['nothing to do', vmi([root, plugged('x')]), [root, plugged('x')], 'root,x', true],
  ['a new one', vmi([root]), [root, plugged('x')], 'root,x', true],
  ['one that is gone', vmi([root, plugged('x')]), [root], 'root', true],
  ['one of the instance alone', vmi([root, plugged('x')], { own: 'x' }), [root], 'root,x', true],
  ['one that is still leaving', vmi([root], { status: ['x'] }), [root, plugged('x')], 'root', false],
  ['another claim', vmi([root, plugged('x', 'old')]), [root, plugged('x', 'new')], 'root', false],
  ['one that needs a restart', vmi([root]), [root, { name: 'y', emptyDisk: { capacity: '1Gi' } }], 'root', true],
])('a running instance follows: %s', (_, instance, template, after, complete) => {
  const followed = followPlugged(instance, spec(...template));
  expect(names(followed.spec)).toBe(after);
  expect(followed.complete).toBe(complete);
  expect(followed.spec.domain.devices.disks).toHaveLength(after.split(',').length);
});

test('a spec that is followed already stays the same object', () => {
  const instance = vmi([root, plugged('x')]);
  expect(followPlugged(instance, instance.spec).spec).toBe(instance.spec);
  expect(names(withoutPlugged(instance.spec))).toBe('root');
});

test('requests go into the template, and are open until they are there', () => {
  const vm: VirtualMachine = {
    metadata: { name: 'a' },
    spec: { template: { spec: spec(root, plugged('old')) } },
    status: {
      volumeRequests: [
        { addVolumeOptions: { name: 'x', disk: { name: '', disk: {} }, volumeSource: { dataVolume: { name: 'dv' } } } },
        { removeVolumeOptions: { name: 'old' } },
      ],
    },
  };
  const after = withVolumeRequests(vm);
  expect(after.spec.template.spec.volumes).toEqual([
    root,
    { name: 'x', dataVolume: { name: 'dv', hotpluggable: true } },
  ]);
  expect(after.spec.template.spec.domain.devices.disks?.map(({ name }) => name)).toEqual(['root', 'x']);
  expect(openVolumeRequests(vm)).toHaveLength(2);
  expect(openVolumeRequests(after)).toEqual([]);
  expect(withVolumeRequests(after)).toBe(after);
});
