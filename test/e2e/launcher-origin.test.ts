import { kubectl, tryKubectl } from './support/cluster.ts';
import { freshNamespace } from './support/machines.ts';

const ns = 'e2e-launcher-origin';

const pod = (name: string, labels: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: ns, name, labels },
  spec: { containers: [{ name: 'compute', image: 'localhost/yagura/pause:dev' }], terminationGracePeriodSeconds: 0 },
});

beforeAll(async () => {
  await freshNamespace(ns);
});

afterAll(async () => {
  await kubectl('delete', 'namespace', ns, '--wait=false');
});

test('nobody but virt-controller makes a pod that looks like a launcher', async () => {
  const { code, stderr } = await tryKubectl(pod('forged', { 'kubevirt.io': 'virt-launcher' }), 'create', '-f', '-');
  expect(code).not.toBe(0);
  expect(stderr).toContain('mark the pods that virt-controller makes');
});

test('nobody makes one of a pod that is there', async () => {
  await tryKubectl(pod('plain', { app: 'plain' }), 'create', '-f', '-');
  const { code, stderr } = await tryKubectl(undefined, '-n', ns, 'label', 'pod', 'plain', 'kubevirt.io=virt-launcher');
  expect(code).not.toBe(0);
  expect(stderr).toContain('choose another label');
});
