import type { VirtualMachineInstance } from '@yagura/api';
import { kubectl, kubectlWith, list, nodeExec } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  eventsOf,
  freshNamespace,
  getVmi,
  guestFile,
  launcherPod,
  type PodObject,
  tinyImage,
  tinySpec,
  tinyVmi,
  untilAgent,
} from './support/machines.ts';

const ns = 'e2e-boot';

/** The tiny guest runs it; a server on the port that is listed, and one on a port that is not. */
const userdata = `#!/bin/sh
mkdir -p /run/www
echo 'the light is on' >/run/www/index.html
httpd -p 8080 -h /run/www
httpd -p 9090 -h /run/www
wget -q -O - http://127.0.0.1:9090/
`;

const kernelArgs =
  'console=ttyS0,115200 quiet no_timer_check tsc=reliable mitigations=off nokaslr random.trust_cpu=on lighthouse=1';

beforeAll(async () => {
  await freshNamespace(ns);
});

describe('a guest with a kernel of its own, a seed from a Secret and one port', () => {
  let vmi: VirtualMachineInstance;
  let pod: PodObject;
  const { domain, networks } = tinySpec();

  beforeAll(async () => {
    await apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'seed', namespace: ns },
      stringData: { userdata },
    });
    await apply(
      tinyVmi(ns, 'lighthouse', {
        domain: {
          ...domain,
          firmware: {
            kernelBoot: {
              container: { image: tinyImage, kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' },
              kernelArgs,
            },
          },
          devices: {
            disks: [{ name: 'seed', disk: { bus: 'virtio' } }],
            interfaces: [{ name: 'default', masquerade: {}, ports: [{ port: 8080 }] }],
          },
        },
        networks: networks ?? [],
        volumes: [{ name: 'seed', cloudInitNoCloud: { secretRef: { name: 'seed' } } }],
      }),
    );
    vmi = await untilAgent(ns, 'lighthouse', 240_000);
    pod = await launcherPod(vmi);
  }, 300_000);

  afterAll(async () => {
    await kubectl('-n', ns, 'delete', 'vmi', 'lighthouse', '--timeout=60s');
  }, 90_000);

  test('boots by the kernel and the arguments that it was given; it has no other disk to boot from', async () => {
    expect(await guestFile(pod, '/proc/cmdline')).toContain(kernelArgs);
  });

  test('has run the user data of the Secret', async () => {
    const log = await eventually('the log of the user data', 20_000, async () => {
      const text = await guestFile(pod, '/run/user-data.log');
      return text !== '' && text;
    });
    expect(log).toBe('the light is on');
  });

  test('answers at the pod address on the port that is listed, and not on another that it serves too', async () => {
    const fetch = (port: number) => {
      const get = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | busybox nc -w 5 ${pod.status?.podIP} ${port}`;
      return nodeExec(pod.spec.nodeName ?? '', 'sh', '-c', get);
    };
    expect(await eventually('an answer on port 8080', 20_000, () => fetch(8080))).toContain('the light is on');
    await expect(fetch(9090)).rejects.toThrow('Connection refused');
  });
});

describe('a launcher pod that the kubelet refuses', () => {
  const label = 'e2e-boot';
  let node: string;

  const podsOf = (uid: string) => list<PodObject>('pods', '-n', ns, '-l', `kubevirt.io/created-by=${uid}`);

  /** Does what a scheduler does, without asking whether the pod fits. */
  const bind = (pod: PodObject) =>
    kubectlWith(
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.metadata.name, namespace: ns },
        target: { apiVersion: 'v1', kind: 'Node', name: node },
      },
      'create',
      '--raw',
      `/api/v1/namespaces/${ns}/pods/${pod.metadata.name}/binding`,
      '-f',
      '-',
    );

  beforeAll(async () => {
    node = (await list<{ metadata: { name: string } }>('nodes')).at(-1)?.metadata.name ?? '';
    await kubectl('label', 'node', node, `${label}-`);
  });

  afterAll(async () => {
    await kubectl('label', 'node', node, `${label}-`);
    await kubectl('delete', 'namespace', ns, '--wait=false');
  });

  test('is replaced, and its instance runs as if nothing had been', async () => {
    // A node may have lost a label between the scheduler's look and the kubelet's.
    await apply(tinyVmi(ns, 'refused', { nodeSelector: { [label]: 'here' }, schedulerName: 'nobody' }));
    const unbound = async (uid: string) => (await podsOf(uid)).find(({ spec }) => spec.nodeName === undefined);
    const uid = (await getVmi(ns, 'refused'))?.metadata.uid ?? '';
    const first = await eventually('a launcher pod', 20_000, () => unbound(uid));
    await bind(first);
    const refused = await eventually('a refusal by the kubelet', 20_000, async () =>
      (await podsOf(uid)).find(
        ({ metadata, status }) => metadata.uid === first.metadata.uid && status?.phase === 'Failed',
      ),
    );
    expect(refused.status?.reason).toBe('NodeAffinity');
    await kubectl('label', 'node', node, `${label}=here`);
    const running = await eventually('the instance runs in another pod', 60_000, async () => {
      const fresh = await unbound(uid);
      // Again, if the kubelet had not yet heard of the label.
      if (fresh !== undefined) await bind(fresh);
      const vmi = await getVmi(ns, 'refused');
      expect(vmi?.status?.phase).not.toBe('Failed');
      return vmi?.status?.phase === 'Running' && vmi;
    });
    expect(running.metadata.uid).toBe(uid);
    expect(Object.keys(running.status?.activePods ?? {})).not.toContain(first.metadata.uid);
    expect((await eventsOf(ns, 'refused')).filter(({ type }) => type === 'Warning')).toEqual([]);
    const left = await eventually('the refused pods are gone', 20_000, async () => {
      const pods = await podsOf(uid);
      return pods.length === 1 && pods;
    });
    expect(running.status?.activePods).toEqual({ [left[0]?.metadata.uid ?? '']: node });
    await kubectl('-n', ns, 'delete', 'vmi', 'refused', '--timeout=60s');
  }, 300_000);
});
