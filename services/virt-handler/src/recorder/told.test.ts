import { alsoTold, domainEvent } from './told.ts';

test.each([
  ['lifecycle', 'suspended paused', 'domain', 'libvirt'],
  ['io-error', 'vda pause enospc', 'domain', 'libvirt'],
  ['daemon-lost', 'end of file', 'domain', 'virt-launcher'],
  ['monitor-silent', '', 'domain', 'virt-launcher'],
  ['agent-lifecycle', 'connected channel', 'guest', 'libvirt'],
  ['agent-mute', 'no answer in 4 s', 'guest', 'virt-launcher'],
  ['guest-agent-ping-failed', 'no answer', 'guest', 'virt-launcher'],
])('%s is told as of its layer and source', (type, detail, layer, source) => {
  expect(domainEvent({ type, detail })).toEqual({ layer, field: type, source, message: detail });
});

test('that the agent has answered otherwise is told by the change itself', () => {
  expect(domainEvent({ type: 'guest-info', detail: 'interfaces' })).toBeUndefined();
});

test('Kubernetes events go where they went, and are told', () => {
  const written: unknown[] = [];
  const told: unknown[] = [];
  const events = alsoTold(
    { normal: (...args) => written.push(args), warning: (...args) => written.push(args) },
    (uid, { field, message, warning }) => told.push([uid, field, message, warning]),
  );
  const subject = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'demo', uid: 'u' };
  events.normal(subject, 'Started', 'started.');
  events.warning(subject, 'SyncFailed', 'no disk');
  events.warning({ ...subject, uid: undefined } as never, 'SyncFailed', 'of nobody');
  expect(written).toEqual([
    [subject, 'Started', 'started.'],
    [subject, 'SyncFailed', 'no disk'],
    [{ ...subject, uid: undefined }, 'SyncFailed', 'of nobody'],
  ]);
  expect(told).toEqual([
    ['u', 'Started', 'started.', undefined],
    ['u', 'SyncFailed', 'no disk', true],
  ]);
});
