import type { KubeVirt, KubeVirtStatus } from '@yagura/api';
import { installationStatus } from './plan.ts';

const NOW = '2026-01-01T00:00:00Z';

function statusOf(before: KubeVirtStatus | undefined, available: [api: number, handlers: number]) {
  const kubevirt = {
    metadata: { name: 'kubevirt', namespace: 'yagura', generation: 2 },
    spec: {},
    ...(before ? { status: before } : {}),
  } as KubeVirt;
  const workloads = [
    { name: 'virt-api', wanted: 1, available: available[0] },
    { name: 'virt-handler', wanted: 2, available: available[1] },
  ];
  return installationStatus({ kubevirt, workloads, version: '1.2.3', now: NOW });
}
const short = (status: KubeVirtStatus) => [
  status.phase,
  ...(status.conditions ?? []).map(({ type, status: value }) => `${type}=${value}`),
];

test('it is Deployed once everything is available, and says what is missing until then', () => {
  const deploying = statusOf(undefined, [1, 1]);
  expect(short(deploying)).toEqual(['Deploying', 'Available=False', 'Progressing=True', 'Degraded=False']);
  expect(deploying.conditions?.[0]?.message).toBe('virt-handler: 1 of 2 available');
  const deployed = statusOf(deploying, [1, 2]);
  expect(short(deployed)).toEqual(['Deployed', 'Available=True', 'Progressing=False', 'Degraded=False']);
  expect(deployed).toMatchObject({ observedGeneration: 2, observedKubeVirtVersion: '1.2.3' });
  expect(statusOf(deployed, [1, 2])).toEqual(deployed);
});

test('what is deployed and loses a pod is degraded, not back at its beginning', () => {
  expect(short(statusOf(statusOf(undefined, [1, 2]), [0, 2]))).toEqual([
    'Deployed',
    'Available=False',
    'Progressing=False',
    'Degraded=True',
  ]);
});
