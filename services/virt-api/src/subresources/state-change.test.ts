import { StatusError } from '../http/status.ts';
import type { Vm, Vmi } from './objects.ts';
import { decideRestart, decideStart, decideStop, type StateChange } from './state-change.ts';

const vmOf = (spec: object, status?: object): Vm => ({
  metadata: { name: 'vm', namespace: 'ns' },
  spec,
  ...(status ? { status } : {}),
});
const vmiOf = (phase: string, spec: object = {}): Vmi => ({
  metadata: { name: 'vm', uid: 'U' },
  spec,
  status: { phase },
});
const start = { paused: false, dryRun: false };
const stop = { gracePeriod: undefined, dryRun: false };
const restart = { gracePeriodSeconds: undefined, dryRun: false };

/** A change in one line: the run strategy it sets, the requests it files, or the refusal. */
function outcome(decide: () => StateChange): string {
  try {
    const change = decide();
    const grace = change.vmi ? `grace ${value(change.vmi.patch.at(-1))}, ` : '';
    const last = change.vm?.patch.find(
      (operation) => operation.op !== 'test' && 'value' in operation && operation.path !== '/status',
    );
    if (last?.path === '/status/stateChangeRequests') {
      const requests = value(last) as { action: string; uid?: string; data?: object }[];
      return (
        grace +
        requests.map(({ action, uid, data }) => action + (uid ? `(${uid})` : '') + (data ? ' paused' : '')).join('+')
      );
    }
    return `${grace}${last?.path} = ${value(last)}`;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.code} ${error.message.replace(/^.*?(?:"vm"|occurred): /, '')}`;
  }
}
const value = (operation: object | undefined): unknown => (operation as { value?: unknown } | undefined)?.value;

describe('start', () => {
  test.each([
    ['Always', undefined, '409 Always does not support manual start requests'],
    ['Always', 'Running', '409 VM is already running'],
    ['Always', 'Pending', '409 VM is already running'],
    ['Once', undefined, '409 Once does not support manual start requests'],
    ['Halted', undefined, '/spec/runStrategy = Always'],
    ['Manual', undefined, 'Start'],
    ['Manual', 'Succeeded', 'Stop(U)+Start'],
    ['Manual', 'Failed', 'Stop(U)+Start'],
    ['Manual', 'Running', '409 VM is already running'],
    ['RerunOnFailure', undefined, 'Start'],
    ['RerunOnFailure', 'Succeeded', 'Stop(U)+Start'],
    ['RerunOnFailure', 'Failed', '409 RerunOnFailure does not support starting VM from failed state'],
  ])('%s with VMI %s: %s', (runStrategy, phase, expected) => {
    const vmi = phase === undefined ? undefined : vmiOf(phase);
    expect(outcome(() => decideStart(vmOf({ runStrategy }), vmi, start))).toBe(expected);
  });

  test('a paused start of a halted VM is a request that says so', () => {
    expect(outcome(() => decideStart(vmOf({ runStrategy: 'Halted' }), undefined, { ...start, paused: true }))).toBe(
      'Start paused',
    );
  });

  test('a VM that uses spec.running gets spec.running', () => {
    expect(outcome(() => decideStart(vmOf({ running: false }), undefined, start))).toBe('/spec/running = true');
  });

  test('a pending request is not overwritten', () => {
    const vm = vmOf({ runStrategy: 'Manual' }, { stateChangeRequests: [{ action: 'Start' }] });
    expect(outcome(() => decideStart(vm, undefined, start))).toBe(
      '500 unable to complete request: stop/start already underway',
    );
  });

  test('a VM without any status gets one', () => {
    expect(decideStart(vmOf({ runStrategy: 'Manual' }), undefined, start).vm?.patch).toEqual([
      { op: 'test', path: '/status', value: null },
      { op: 'add', path: '/status', value: {} },
      { op: 'add', path: '/status/stateChangeRequests', value: [{ action: 'Start' }] },
    ]);
  });

  test('a request clears the record of failed starts', () => {
    const vm = vmOf({ runStrategy: 'Manual' }, { startFailure: { consecutiveFailCount: 3 } });
    expect(decideStart(vm, undefined, start).vm?.patch).toContainEqual({ op: 'remove', path: '/status/startFailure' });
  });
});

describe('stop', () => {
  test.each([
    ['Always', 'Running', undefined, '/spec/runStrategy = Halted'],
    ['Always', undefined, undefined, '/spec/runStrategy = Halted'],
    ['Once', 'Running', undefined, '/spec/runStrategy = Halted'],
    ['Manual', 'Running', undefined, 'Stop(U)'],
    ['Manual', 'Succeeded', undefined, '409 VM is not running'],
    ['Manual', undefined, undefined, '409 VM is not running'],
    ['RerunOnFailure', 'Running', undefined, 'Stop(U)'],
    ['RerunOnFailure', undefined, undefined, '409 VM is not running'],
    ['Halted', undefined, undefined, '409 VM is not running'],
    ['Halted', 'Running', undefined, '409 Halted only supports manual stop requests with a shorter graceperiod'],
    ['Halted', 'Running', 5, 'grace 5, Stop(U)'],
    ['Always', 'Running', 0, 'grace 0, /spec/runStrategy = Halted'],
    ['Manual', 'Running', 600, 'Stop(U)'],
  ])('%s with VMI %s and grace %s: %s', (runStrategy, phase, gracePeriod, expected) => {
    const vmi = phase === undefined ? undefined : vmiOf(phase);
    expect(outcome(() => decideStop(vmOf({ runStrategy }), vmi, { ...stop, gracePeriod }))).toBe(expected);
  });

  test('a stop replaces a pending start', () => {
    const pending = [{ action: 'Start' }];
    const vm = vmOf({ runStrategy: 'Manual' }, { stateChangeRequests: pending });
    expect(decideStop(vm, vmiOf('Running'), stop).vm?.patch).toEqual([
      { op: 'test', path: '/status/stateChangeRequests', value: pending },
      { op: 'add', path: '/status/stateChangeRequests', value: [{ action: 'Stop', uid: 'U' }] },
    ]);
  });

  test('a shortened grace period can be taken back', () => {
    const change = decideStop(
      vmOf({ runStrategy: 'Always' }),
      vmiOf('Running', { terminationGracePeriodSeconds: 60 }),
      { ...stop, gracePeriod: 1 },
    );
    expect(change.vmi?.undo.at(-1)).toEqual({ op: 'replace', path: '/spec/terminationGracePeriodSeconds', value: 60 });
  });
});

describe('restart', () => {
  test.each([
    ['Always', 'Running', 'Stop(U)+Start'],
    ['Manual', 'Running', 'Stop(U)+Start'],
    ['RerunOnFailure', 'Failed', 'Stop(U)+Start'],
    ['Manual', undefined, '409 VM is not running'],
    ['Halted', 'Running', '409 Halted does not support manual restart requests'],
    ['Once', 'Running', '409 Once does not support manual restart requests'],
  ])('%s with VMI %s: %s', (runStrategy, phase, expected) => {
    const vmi = phase === undefined ? undefined : vmiOf(phase);
    expect(outcome(() => decideRestart(vmOf({ runStrategy }), vmi, restart))).toBe(expected);
  });

  test('a forced restart leaves the guest one second', () => {
    expect(
      outcome(() =>
        decideRestart(vmOf({ runStrategy: 'Always' }), vmiOf('Running'), { ...restart, gracePeriodSeconds: 0 }),
      ),
    ).toBe('grace 1, Stop(U)+Start');
  });
});

test('a VM with neither runStrategy nor running is told so', () => {
  expect(outcome(() => decideStart(vmOf({}), undefined, start))).toBe(
    '400 the VirtualMachine has neither spec.runStrategy nor spec.running',
  );
});
