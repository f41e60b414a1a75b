import type { VirtualMachineInstance, VolumeStatus } from '@yagura/api';
import { volumeNews } from './volume-events.ts';

const vmi = (...volumeStatus: VolumeStatus[]): VirtualMachineInstance => ({
  metadata: { name: 'demo' },
  spec: { domain: { devices: {} } },
  status: { volumeStatus },
});
const volume = (reason: string, message = 'm'): VolumeStatus => ({
  name: 'extra',
  target: '',
  hotplugVolume: {},
  reason,
  message,
});

test.each<[what: string, before: VolumeStatus[], after: VolumeStatus[], news: string[]]>([
  ['one that has left the pod and the list', [volume('VolumeUnMountedFromPod')], [], ['Normal VolumeUnplugged']],
  ['one that waits for its claim', [], [volume('PVCNotReady')], ['Normal PVCNotReady']],
  ['one whose claim is missing', [], [volume('FailedPvcNotFound')], ['Warning FailedPvcNotFound']],
  [
    'one without an attachment pod',
    [volume('PVCNotReady')],
    [volume('MissingAttachmentPod')],
    ['Normal MissingAttachmentPod'],
  ],
  ['other words for the same', [volume('PVCNotReady', 'a')], [volume('PVCNotReady', 'b')], []],
  ["virt-handler's words", [volume('PVCNotReady')], [volume('VolumeReady')], []],
  ['an ordinary volume', [{ name: 'root', target: 'vda' }], [], []],
])('%s', (_, before, after, news) => {
  const told = volumeNews(vmi(...before), vmi(...after));
  expect(told.map(({ warning, reason }) => `${warning ? 'Warning' : 'Normal'} ${reason}`)).toEqual(news);
});
