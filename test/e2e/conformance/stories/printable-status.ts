import { kubectl, kubectlWith } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { fullNs, Machine, nothingToBoot, ns } from '../machine.ts';
import { story } from '../rows.ts';

// The words of printableStatus that no other story comes by. Not to be had here: Migrating and WaitingForReceiver, as nothing
// migrates, and Provisioning, which needs CDI.

const claim = (namespace: string, name: string) =>
  kubectlWith(
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace, name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'local',
        resources: { requests: { storage: '16Mi' } },
      },
    },
    'create',
    '-f',
    '-',
  );
const withClaim = (claimName: string): typeof nothingToBoot => ({
  ...nothingToBoot,
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
});

const claimless = new Machine(ns, 'claimless');
const unbound = new Machine(fullNs, 'unbound');
const homeless = new Machine(ns, 'homeless');
const imageless = new Machine(ns, 'imageless');
const leaving = new Machine(ns, 'leaving');

export const printableStatusStories = [
  story('storage', [
    [
      'a claim that does not exist → ErrorPvcNotFound',
      async () => {
        await claimless.create({ runStrategy: 'Always' }, withClaim('later'));
        await claimless.is('ErrorPvcNotFound');
      },
    ],
    [
      'it appears, and waits for its first consumer → Running',
      async () => {
        await claim(ns, 'later');
        await claimless.is('Running');
        await claimless.patch({ runStrategy: 'Halted' });
      },
    ],
    [
      'a claim that waits for its first consumer, and no instance is possible → WaitingForVolumeBinding',
      async () => {
        await claim(fullNs, 'unused');
        await unbound.create({ runStrategy: 'Always' }, withClaim('unused'));
        await unbound.is('WaitingForVolumeBinding');
      },
    ],
  ]),
  story('placement and images', [
    [
      'no node that fits → ErrorUnschedulable',
      async () => {
        await homeless.create({ runStrategy: 'Always' }, { ...nothingToBoot, nodeSelector: { 'e2e/none': 'such' } });
        await homeless.is('ErrorUnschedulable');
      },
    ],
    [
      'its pod is deleted before a guest ran → CrashLoopBackOff, and another attempt',
      async () => {
        const before = await homeless.vmi();
        await kubectl('-n', ns, 'delete', 'pod', '-l', `kubevirt.io/created-by=${before?.metadata.uid}`);
        const { status } = await homeless.is('CrashLoopBackOff');
        expect(status?.startFailure).toMatchObject({ consecutiveFailCount: 1, lastFailedVMIUID: before?.metadata.uid });
        await homeless.is('ErrorUnschedulable');
        await homeless.patch({ runStrategy: 'Halted' });
      },
    ],
    [
      'an image that cannot be pulled → ImagePullBackOff',
      async () => {
        const volumes = [{ name: 'root', containerDisk: { image: 'localhost:1/no/such:image' } }];
        await imageless.create({ runStrategy: 'Always' }, { ...nothingToBoot, volumes });
        await imageless.is('ImagePullBackOff');
        await imageless.patch({ runStrategy: 'Halted' });
      },
    ],
    [
      'a machine that is deleted while its guest has time to obey → Terminating',
      async () => {
        await leaving.create({ runStrategy: 'Always' }, { ...nothingToBoot, terminationGracePeriodSeconds: 8 });
        await leaving.runs();
        await kubectl('-n', ns, 'delete', 'vm', leaving.name, '--wait=false');
        await eventually(`${leaving.name} is Terminating`, 8_000, async () => {
          return (await leaving.vm()).status?.printableStatus === 'Terminating';
        });
      },
    ],
  ]),
];
