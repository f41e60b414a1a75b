import { kubernetesLayer } from './layer.ts';
import type { KubernetesView } from './view.ts';

const now = new Date('2026-01-01T00:01:00Z');
const none = { found: undefined };

/** Observations as `field: value (freshness)`, with the error where there is one. */
function lines(view: Partial<KubernetesView>): string[] {
  const full = { vm: none, vmi: none, pods: none, node: none, controllerLease: none, ...view };
  return kubernetesLayer(full, now).map(
    ({ field, value, freshness, error }) =>
      `${field}: ${value} (${freshness})${error === undefined ? '' : ` ${error}`}`,
  );
}

test('a running VM is told by its VM, VMI, pod and node', () => {
  expect(
    lines({
      vm: { found: { spec: { runStrategy: 'Always' }, status: { printableStatus: 'Running', ready: true } } },
      vmi: {
        found: {
          metadata: { name: 'vm' },
          status: { phase: 'Running', nodeName: 'n1', conditions: [{ type: 'Ready', status: 'True' }] },
        },
      },
      pods: {
        found: [
          {
            metadata: { name: 'virt-launcher-vm' },
            status: {
              phase: 'Running',
              podIP: '10.0.0.1',
              conditions: [{ type: 'Ready', status: 'True' }],
              containerStatuses: [{ name: 'compute', ready: true, restartCount: 0 }],
            },
          },
        ],
      },
      node: {
        found: {
          metadata: {
            labels: { 'kubevirt.io/schedulable': 'true' },
            annotations: { 'kubevirt.io/heartbeat': '2026-01-01T00:00:30Z' },
          },
          status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }] },
        },
      },
    }),
  ).toEqual([
    'vm.printableStatus: Running (live)',
    'vm.runStrategy: Always (live)',
    'vm.ready: true (live)',
    'vmi.phase: Running (live)',
    'vmi.deletionTimestamp: null (live)',
    'vmi.gracePeriodSeconds: 30 (live)',
    'vmi.nodeName: n1 (live)',
    'vmi.condition.Ready: True (live)',
    'vmi.paused: false (live)',
    'state: none (live)',
    'pod.name: virt-launcher-vm (live)',
    'pod.phase: Running (live)',
    'pod.ready: True (live)',
    'pod.ip: 10.0.0.1 (live)',
    'node.ready: True (live)',
    'node.schedulable: true (live)',
  ]);
});

test('what could not be looked up is unknown, not absent', () => {
  expect(
    lines({ vmi: { found: undefined, error: 'timeout' }, pods: { found: undefined, error: 'forbidden' } }),
  ).toEqual([
    'vm.printableStatus: no such object (live)',
    'vmi.phase: null (never) timeout',
    'pod.phase: null (never) forbidden',
  ]);
});

test('a VM without an instance says that there is none', () => {
  expect(lines({ vm: { found: { spec: { running: false }, status: { printableStatus: 'Stopped' } } } })).toEqual([
    'vm.printableStatus: Stopped (live)',
    'vm.runStrategy: Halted (live)',
    'vm.ready: false (live)',
    'vmi.phase: no such object (live)',
  ]);
});

test('an instance without its launcher pod is a finding', () => {
  expect(lines({ vmi: { found: { status: { phase: 'Running' } } }, pods: { found: [] } })).toContain(
    'pod.phase: no launcher pod (live)',
  );
});

test('a container that cannot start is told with its reason', () => {
  const pod = {
    metadata: { name: 'p' },
    status: {
      phase: 'Pending',
      containerStatuses: [
        { name: 'volumeroot', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
      ],
    },
  };
  expect(lines({ pods: { found: [pod] } })).toContain(
    'pod.container.volumeroot: ImagePullBackOff: no such image (live)',
  );
});

test('two launcher pods are told apart', () => {
  const pods = ['a', 'b'].map((name) => ({ metadata: { name }, status: { phase: 'Running' } }));
  expect(lines({ pods: { found: pods } })).toEqual(
    expect.arrayContaining(['pod[a].phase: Running (live)', 'pod[b].phase: Running (live)']),
  );
});

test('a node that is not ready says why, and an old heartbeat is stale', () => {
  const node = {
    metadata: {
      labels: { 'kubevirt.io/schedulable': 'true' },
      annotations: { 'kubevirt.io/heartbeat': '2025-12-31T23:00:00Z' },
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
        },
      ],
    },
  };
  expect(lines({ node: { found: node } })).toEqual([
    'vm.printableStatus: no such object (live)',
    'vmi.phase: no such object (live)',
    'node.ready: Unknown (live) NodeStatusUnknown: Kubelet stopped posting node status.',
    'node.schedulable: true (stale)',
  ]);
});

test('a silent kubelet is told for as long as it is silent, by the node controller', () => {
  const conditions = [
    {
      type: 'Ready',
      status: 'Unknown',
      lastHeartbeatTime: '2025-12-31T20:00:00Z',
      lastTransitionTime: '2025-12-31T20:00:40Z',
    },
    { type: 'MemoryPressure', status: 'True', reason: 'KubeletHasInsufficientMemory' },
    { type: 'DiskPressure', status: 'False' },
  ];
  expect(lines({ node: { found: { status: { conditions } } } })).toEqual(
    expect.arrayContaining([
      'node.ready: Unknown (live) ',
      'node.condition.MemoryPressure: True: KubeletHasInsufficientMemory (live)',
    ]),
  );
});

test('what diagnosis asks for: the scheduler’s words, refusals, and how a migration stands, with since when', () => {
  const since = '2026-01-01T00:00:10.000Z';
  const observations = kubernetesLayer(
    {
      vm: {
        found: {
          status: {
            printableStatus: 'Starting',
            startFailure: { consecutiveFailCount: 3 },
            conditions: [
              { type: 'Failure', status: 'True', reason: 'FailedCreate', message: 'denied' },
              { type: 'Ready', status: 'False' },
            ],
          },
        },
      },
      vmi: {
        found: {
          metadata: { name: 'vm', deletionTimestamp: since },
          status: {
            phase: 'Running',
            phaseTransitionTimestamps: [{ phase: 'Running', phaseTransitionTimestamp: since }],
            conditions: [{ type: 'Paused', status: 'True', lastTransitionTime: since }],
            migrationState: {
              sourceNode: 'a',
              targetNode: 'b',
              failed: true,
              failureReason: 'died',
              endTimestamp: since,
            },
          },
        },
      },
      pods: {
        found: [
          {
            status: {
              phase: 'Pending',
              conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/2 nodes' }],
            },
          },
        ],
      },
      node: none,
      controllerLease: none,
    },
    now,
  );
  const said = observations.map(
    (one) => `${one.layer} ${one.field}: ${one.value}${one.since ? ` since ${one.since}` : ''}`,
  );
  expect(said).toEqual(
    expect.arrayContaining([
      'kubernetes vm.startFailures: 3',
      'kubernetes vm.condition.Failure: True: FailedCreate: denied',
      `kubernetes vmi.phase: Running since ${since}`,
      `kubernetes vmi.deletionTimestamp: ${since}`,
      `kubernetes vmi.condition.Paused: True since ${since}`,
      'kubernetes vmi.paused: true',
      'kubernetes pod.condition.PodScheduled: False: Unschedulable: 0/2 nodes',
      `migration state: failed since ${since}`,
      'migration sourceNode: a',
      'migration targetNode: b',
      'migration failureReason: died',
    ]),
  );
});

test.each([
  ['a virt-controller that renews its lease lives', '2026-01-01T00:00:58Z', undefined, '2026-01-01T00:00:58Z', 'live'],
  ['one that did so too long ago does not', '2026-01-01T00:00:20Z', undefined, '2026-01-01T00:00:20Z', 'stale'],
  ['a clock that is behind kills none', '2025-12-31T23:50:58Z', '2026-01-01T00:00:58Z', '2026-01-01T00:00:58Z', 'live'],
])('%s', (_, renewTime, time, observedAt, freshness) => {
  const metadata = time === undefined ? {} : { managedFields: [{ time: '2026-01-01T00:00:00Z' }, { time }] };
  const controllerLease = { found: { metadata, spec: { renewTime, leaseDurationSeconds: 15 } } };
  const view = { vm: none, vmi: none, pods: none, node: none, controllerLease };
  expect(kubernetesLayer(view, now)).toContainEqual(
    expect.objectContaining({
      field: 'virt-controller.lease',
      value: renewTime,
      observedAt: new Date(observedAt).toISOString(),
      freshness,
    }),
  );
});
