import type { KubeVirt, KubeVirtStatus } from '@yagura/api';
import { installationStatus } from './plan.ts';

const NOW = '2026-01-01T00:00:00Z';

function statusOf(
  before: KubeVirtStatus | undefined,
  available: [api: number, handlers: number],
  spec: KubeVirt['spec'] = {},
) {
  const kubevirt = {
    metadata: { name: 'kubevirt', namespace: 'yagura', generation: 2 },
    spec,
    ...(before ? { status: before } : {}),
  } as KubeVirt;
  const workloads = [
    { name: 'virt-api', wanted: 1, available: available[0] },
    { name: 'virt-handler', wanted: 2, available: available[1] },
  ];
  return installationStatus({ kubevirt, workloads, version: '1.2.3', outdatedInstances: 1, now: NOW });
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
  expect(deployed).toMatchObject({
    observedGeneration: 2,
    observedKubeVirtVersion: '1.2.3',
    defaultArchitecture: 'amd64',
    outdatedVirtualMachineInstanceWorkloads: 1,
  });
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

test('settings without effect are named for as long as they are set', () => {
  const spec = { configuration: { virtualMachineInstancesPerNode: 3, cpuModel: 'qemu64' } };
  const deployed = statusOf(statusOf(undefined, [1, 2], spec), [1, 2], spec);
  expect(deployed.conditions?.at(-1)).toMatchObject({
    type: 'SettingsIgnored',
    status: 'True',
    message: 'no effect in this version: spec.configuration.virtualMachineInstancesPerNode',
  });
  expect(short(statusOf(deployed, [1, 2]))).not.toContain('SettingsIgnored=True');
});
