import type { PersistentVolumeClaim, Pod, VirtualMachineInstance, Volume, VolumeStatus } from '@yagura/api';
import { attachmentPodName, kubevirtConfig, renderAttachmentPod } from '@yagura/api';
import { planAttachments } from './attachments.ts';
import { type DataVolumeView, storageReadiness } from './storage.ts';
import { volumeStatuses } from './volume-status.ts';

const vmi = (volumes: Volume[], volumeStatus: VolumeStatus[] = []): VirtualMachineInstance => ({
  metadata: { name: 'demo', namespace: 'n', uid: 'vmi' },
  spec: { domain: { devices: {} }, volumes },
  status: { phase: 'Running', volumeStatus },
});
const claim = (name: string, phase: 'Bound' | 'Pending' = 'Bound', volumeMode?: 'Block'): PersistentVolumeClaim => ({
  metadata: { name, namespace: 'n' },
  spec: { accessModes: ['ReadWriteOnce'], ...(volumeMode ? { volumeMode } : {}) },
  status: { phase, capacity: { storage: '1Gi' } },
});
const claims = (...all: PersistentVolumeClaim[]) => new Map(all.map((one) => [one.metadata.name, one]));
const own: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
const plugged: Volume = { name: 'extra', persistentVolumeClaim: { claimName: 'extra', hotpluggable: true } };
const imported: Volume = { name: 'root', dataVolume: { name: 'dv' } };

const launcher: Pod = {
  metadata: { name: 'virt-launcher-demo', namespace: 'n', uid: 'pod' },
  spec: { nodeName: 'node-a', containers: [] },
  status: { phase: 'Running' },
};
const attachment = (volume: Volume, phase: 'Pending' | 'Running' | 'Failed' = 'Running'): Pod => {
  const pod = renderAttachmentPod(vmi([volume]), launcher, volume, 'Filesystem', kubevirtConfig(undefined), 'i:1');
  return { ...pod, metadata: { ...pod.metadata, uid: 'hp' }, status: { phase } };
};

test.each<[what: string, volume: Volume, there: string[], dataVolume: DataVolumeView | undefined, expected: string]>([
  ['a claim that exists', own, ['data'], undefined, 'ready'],
  ['a claim that does not', own, [], undefined, 'FailedPvcNotFound'],
  ['a claim that is plugged in later', plugged, [], undefined, 'ready'],
  ['a DataVolume that is filled', imported, ['dv'], 'ready', 'ready AllDVsReady'],
  ['one that is filled, its claim not seen yet', imported, [], 'ready', 'waits NotAllDVsReady'],
  ['one that is being filled', imported, ['dv'], 'provisioning', 'waits NotAllDVsReady'],
  ['one that has failed', imported, ['dv'], 'error', 'FailedDataVolumeImport NotAllDVsReady'],
  ['one that was cleaned up', imported, ['dv'], 'missing', 'ready AllDVsReady'],
  ['its claim, without CDI', imported, ['dv'], 'no-cdi', 'ready AllDVsReady'],
  ['nothing, without CDI', imported, [], 'no-cdi', 'FailedPvcNotFound NotAllDVsReady'],
])('%s', (_, volume, there, dataVolume, expected) => {
  const dataVolumes = new Map(dataVolume ? [['dv', dataVolume] as const] : []);
  const view = { claims: claims(...there.map((name) => claim(name))), dataVolumes };
  const { ready, trouble, dataVolumesReady } = storageReadiness(vmi([volume]), view);
  const words = [ready ? 'ready' : (trouble?.reason ?? 'waits'), dataVolumesReady?.reason];
  expect(words.filter(Boolean).join(' ')).toBe(expected);
  if (dataVolume === 'no-cdi' && !ready) expect(trouble?.message).toContain('CDI, which makes DataVolumes');
});

test('volumes are told by name, with their claims, and not again while nothing differs', () => {
  const view = { claims: claims(claim('data', 'Bound', 'Block')), attachments: [] };
  const statuses = volumeStatuses(vmi([own, { name: 'blank', emptyDisk: { capacity: '1Gi' } }]), view);
  expect(statuses).toEqual([
    { name: 'blank', target: '' },
    {
      name: 'data',
      target: '',
      persistentVolumeClaimInfo: {
        claimName: 'data',
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Block',
        capacity: { storage: '1Gi' },
      },
    },
  ]);
  const again = vmi([own, { name: 'blank', emptyDisk: { capacity: '1Gi' } }], statuses);
  expect(volumeStatuses(again, view)).toBe(statuses);
});

test.each<
  [what: string, of: PersistentVolumeClaim[], pods: Pod[], before: string | undefined, phase: string, reason: string]
>([
  ['no claim', [], [], undefined, 'Pending', 'FailedPvcNotFound'],
  [
    'an unbound claim',
    [claim('extra', 'Pending')],
    [attachment(plugged, 'Pending')],
    undefined,
    'Pending',
    'PVCNotReady',
  ],
  ['no pod yet', [claim('extra')], [], undefined, 'Bound', 'MissingAttachmentPod'],
  ['a pod that starts', [claim('extra')], [attachment(plugged, 'Pending')], undefined, 'Bound', 'PVCNotReady'],
  ['a pod that runs', [claim('extra')], [attachment(plugged)], undefined, 'AttachedToNode', 'SuccessfulCreate'],
  ['what virt-handler says', [claim('extra')], [attachment(plugged)], 'Ready', 'Ready', 'said'],
])('a plugged volume with %s', (_, of, attachments, before, phase, reason) => {
  const known = before ? [{ name: 'extra', target: 'sda', phase: before, reason: 'said' }] : [];
  expect(volumeStatuses(vmi([plugged], known), { claims: claims(...of), attachments })[0]).toMatchObject({
    phase,
    reason,
  });
});

test('a volume that is taken out stays in the list until its pod has gone', () => {
  const pod = attachment(plugged);
  const entry = { name: 'extra', target: 'sda', phase: 'Ready', hotplugVolume: { attachPodName: pod.metadata.name } };
  const view = { claims: claims(), attachments: [pod] };
  const [leaving] = volumeStatuses(vmi([], [entry]), view);
  expect(leaving).toMatchObject({ phase: 'Detaching' });
  const out = { ...entry, phase: 'UnMountedFromPod' } as VolumeStatus;
  expect(volumeStatuses(vmi([], [out]), view)).toEqual([out]);
  expect(volumeStatuses(vmi([], [out]), { claims: claims(), attachments: [] })).toEqual([]);
});

test('attachment pods come when the launcher has a node, and go when their volume has left it', () => {
  const world = { vmi: vmi([plugged]), launcher, claims: claims(claim('extra')), attachments: [] as Pod[] };
  expect(planAttachments(world).create).toEqual([{ volume: plugged, mode: 'Filesystem' }]);
  expect(planAttachments({ ...world, launcher: { ...launcher, spec: { containers: [] } } }).create).toEqual([]);
  expect(planAttachments({ ...world, claims: claims() }).create).toEqual([]);
  const pod = attachment(plugged);
  expect(pod.metadata.name).toBe(attachmentPodName(launcher, plugged));
  expect(planAttachments({ ...world, attachments: [pod] })).toEqual({ create: [], remove: [] });
  expect(planAttachments({ ...world, attachments: [attachment(plugged, 'Failed')] }).remove).toHaveLength(1);
  const entry = (phase: string): VolumeStatus[] => [
    { name: 'extra', target: '', phase, hotplugVolume: { attachPodName: pod.metadata.name } },
  ];
  const gone = (phase: string) => planAttachments({ ...world, vmi: vmi([], entry(phase)), attachments: [pod] }).remove;
  expect(gone('Detaching')).toEqual([]);
  expect(gone('UnMountedFromPod')).toEqual([pod]);
});
