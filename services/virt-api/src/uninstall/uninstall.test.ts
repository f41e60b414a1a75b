import { KubeError } from '@yagura/kube';
import { uninstallCheck } from './check.ts';
import { uninstallClean, withoutOurs } from './clean.ts';

const vmi = { metadata: { namespace: 'ns', name: 'vm' }, status: { phase: 'Running', nodeName: 'n1' } };

async function check(
  items: object[],
  annotations: Record<string, string> = {},
): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const client = {
    access: { namespace: 'yagura' },
    listAll: async () => ({ metadata: {}, items }),
    get: async () => ({ metadata: { annotations } }),
  };
  return { code: await uninstallCheck(client as never, (line) => lines.push(line), 'yagura'), lines };
}

test('without instances the way is free', async () => {
  expect(await check([])).toEqual({ code: 0, lines: [] });
});

test('instances stop the uninstallation and are listed', async () => {
  const { code, lines } = await check([vmi]);
  expect(code).toBe(1);
  expect(lines[0]).toBe('Not uninstalled: 1 virtual machine instance exists.');
  expect(lines[1]).toBe('  ns/vm  Running  n1');
});

test('a forced uninstallation lists them and goes on', async () => {
  const { code, lines } = await check([vmi, vmi], { 'yagura.kubevirt.io/force-uninstall': 'true' });
  expect(code).toBe(0);
  expect(lines[0]).toContain('2 virtual machine instances exist; the uninstallation is forced');
});

test('a capped list says so', async () => {
  const { lines } = await check(Array.from({ length: 60 }, () => vmi));
  expect(lines).toContain('  (50 of 60)');
});

test('a cluster whose CRDs are gone has no instances', async () => {
  const gone = new KubeError({ code: 404, reason: 'NotFound' }, 'GET');
  const client = { access: { namespace: 'yagura' }, listAll: async () => Promise.reject(gone), get: async () => ({}) };
  expect(await uninstallCheck(client as never, () => {})).toBe(0);
});

test('only our own labels and annotations leave a node', () => {
  const node = {
    metadata: {
      labels: {
        'kubevirt.io/schedulable': 'true',
        'cpu-model.node.kubevirt.io/EPYC': 'true',
        'kubernetes.io/os': 'linux',
        'mykubevirt.io/x': '1',
      },
      annotations: { 'kubevirt.io/heartbeat': 'now', other: 'kept' },
    },
  };
  expect(withoutOurs(node)).toEqual({
    metadata: {
      labels: { 'kubevirt.io/schedulable': null, 'cpu-model.node.kubevirt.io/EPYC': null },
      annotations: { 'kubevirt.io/heartbeat': null },
    },
  });
  expect(withoutOurs({ metadata: { labels: { a: 'b' } } })).toBeUndefined();
});

test('leases of virt-handlers go with what else was made, each by its name', async () => {
  const deleted: string[] = [];
  const client = {
    access: { namespace: 'yagura' },
    listAll: async ({ plural }: { plural: string }, query?: object) => {
      if (plural === 'nodes') return { metadata: {}, items: [] };
      expect([plural, query]).toEqual(['leases', { namespace: 'yagura', labelSelector: 'kubevirt.io=virt-handler' }]);
      return {
        metadata: {},
        items: [{ metadata: { name: 'virt-handler-n1' } }, { metadata: { name: 'virt-handler-n2' } }],
      };
    },
    delete: async ({ plural }: { plural: string }, { name }: { name: string }) => {
      if (name === 'virt-handler-n1') throw new KubeError({ code: 404, reason: 'NotFound' }, 'DELETE');
      deleted.push(`${plural}/${name}`);
      return {};
    },
  };
  await uninstallClean(client as never, { info: () => {} }, 'yagura');
  expect(deleted.filter((name) => name.startsWith('leases/'))).toEqual([
    'leases/virt-controller',
    'leases/virt-handler-n2',
  ]);
});
