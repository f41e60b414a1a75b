import { kubevirtConfig } from '../config.ts';
import { defaultVirtualMachine } from '../defaults/defaults.ts';
import type { Domain, VirtualMachine, VirtualMachineInstance } from '../types.ts';
import { instanceOf } from './instance.ts';
import { templateDrift } from './live-update.ts';

const config = kubevirtConfig(undefined);
const source = { uuid: () => 'random', now: () => '2026-01-01T00:00:00Z' };

function vmOf(domain: Partial<Domain>): VirtualMachine {
  const vm = {
    metadata: { name: 'demo', namespace: 'shop', uid: 'vm-uid', generation: 3 },
    spec: { runStrategy: 'Always' as const, template: { spec: { domain: { devices: {}, ...domain } } } },
  };
  return defaultVirtualMachine(vm, config, source);
}

/** The instance of the machine, of whose guest libvirt has asked so much, and whose spec has come to ask for so much. */
function running(started: Partial<Domain>, requested?: string, asked = requested): VirtualMachineInstance {
  const vmi = instanceOf(vmOf(started), config, source);
  if (asked !== undefined) vmi.spec.domain.memory = { ...vmi.spec.domain.memory, guest: asked };
  const memory = { ...vmi.status?.memory, ...(requested === undefined ? {} : { guestRequested: requested }) };
  return { ...vmi, status: { ...vmi.status, phase: 'Running', memory } };
}

const drift = (started: Partial<Domain>, now: Partial<Domain>, vmi = running(started), of = config) =>
  templateDrift(vmOf(now), vmi, vmOf(started).spec, of);

const guest = (size: string, more: object = {}): Partial<Domain> => ({ memory: { guest: size, ...more } });
const huge = { hugepages: { pageSize: '2Mi' } };
const stage = kubevirtConfig({ metadata: { name: 'k' }, spec: { configuration: { vmRolloutStrategy: 'Stage' } } });
const starting: VirtualMachineInstance = { ...running(guest('1Gi')), status: { phase: 'Scheduling' } };
const GUEST = 'domain.memory.guest';

test.each<[string, ReturnType<typeof drift>, memory: string, restartFor: string[]]>([
  ['more', drift(guest('1Gi'), guest('2Gi')), '2Gi', []],
  ['as much as it may have', drift(guest('1Gi'), guest('4Gi')), '4Gi', []],
  ['too much', drift(guest('1Gi'), guest('5Gi')), '1Gi', [`${GUEST} (the guest was started for at most 4Gi)`]],
  [
    'too much for its own limit',
    drift(guest('1Gi', { maxGuest: '2Gi' }), guest('3Gi', { maxGuest: '2Gi' })),
    '1Gi',
    [`${GUEST} (the guest was started for at most 2Gi)`],
  ],
  [
    'more for a small guest',
    drift(guest('128Mi'), guest('256Mi')),
    '128Mi',
    [`${GUEST} (the guest was started without room for more)`],
  ],
  [
    'more huge pages',
    drift(guest('1Gi', huge), guest('2Gi', huge)),
    '1Gi',
    [`${GUEST} (the guest was started without room for more)`],
  ],
  ['a crooked size', drift(guest('1Gi'), guest('1025Mi')), '1Gi', [`${GUEST} (it is no multiple of 2Mi)`]],
  ['less', drift(guest('2Gi'), guest('1Gi')), '2Gi', [`${GUEST} (a running guest gives none back)`]],
  [
    'less than it was given meanwhile',
    drift(guest('1Gi'), guest('1Gi'), running(guest('1Gi'), '2Gi')),
    '2Gi',
    [`${GUEST} (a running guest gives none back)`],
  ],
  ['less than it waits for', drift(guest('1Gi'), guest('2Gi'), running(guest('1Gi'), '1Gi', '4Gi')), '2Gi', []],
  [
    'more before it runs',
    drift(guest('1Gi'), guest('2Gi'), starting),
    '1Gi',
    [`${GUEST} (the guest does not run yet)`],
  ],
  [
    'another maximum',
    drift(guest('1Gi', { maxGuest: '2Gi' }), guest('2Gi', { maxGuest: '4Gi' })),
    '2Gi',
    ['domain.memory.maxGuest'],
  ],
  ['the same in other words', drift(guest('1Gi'), guest('1024Mi')), '1Gi', []],
  [
    'a request alone',
    drift({ resources: { requests: { memory: '1Gi' } } }, { resources: { requests: { memory: '2Gi' } } }),
    '1Gi',
    ['domain.resources.requests.memory'],
  ],
  ['more under Stage', drift(guest('1Gi'), guest('2Gi'), running(guest('1Gi')), stage), '1Gi', [GUEST]],
])('%s', (_what, { instance, restartFor }, memory, restart) => {
  expect(instance.spec.domain.memory?.guest).toBe(memory);
  expect(restartFor).toEqual(restart);
});

test('memory that was asked for explicitly grows by as much as comes, and is taken back with it', () => {
  const resources = { requests: { memory: '512Mi', cpu: '100m' }, limits: { memory: '3Gi' } };
  const started = { ...guest('1Gi'), resources };
  const { instance, failure } = drift(started, { ...guest('2Gi'), resources });
  expect(instance.spec.domain.resources).toEqual({
    requests: { memory: '1536Mi', cpu: '100m' },
    limits: { memory: '4Gi' },
  });
  expect(failure).toBe('HotPlugMemoryError');
  const waiting = { ...instance, status: { ...instance.status, memory: { guestRequested: '1Gi' } } };
  expect(drift(started, started, waiting).instance.spec.domain.resources).toEqual(resources);
});

test('CPUs and memory grow together', () => {
  const { instance, restartFor } = drift(
    { ...guest('1Gi'), cpu: { sockets: 1 } },
    { ...guest('2Gi'), cpu: { sockets: 2 } },
  );
  expect(instance.spec.domain).toMatchObject({ memory: { guest: '2Gi' }, cpu: { sockets: 2 } });
  expect(restartFor).toEqual([]);
});
