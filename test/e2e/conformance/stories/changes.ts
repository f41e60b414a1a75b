import { isConditionTrue } from '@yagura/api';
import { list } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { condition } from '../../support/machines.ts';
import { Machine, nothingToBoot, ns } from '../machine.ts';
import { story } from '../rows.ts';

const changing = new Machine(ns, 'changing');
const template = (spec: object) => changing.patch({ template: { spec } });
const untilRestartIsRequired = (required: boolean) =>
  eventually(`RestartRequired is ${required}`, 20_000, async () => {
    const vm = await changing.vm();
    const told = vm.status?.desiredGeneration === vm.metadata.generation;
    return told && isConditionTrue(vm, 'RestartRequired') === required && vm;
  });
const revisions = async () => {
  const { metadata } = await changing.vm();
  const all = await list<{ metadata: { name: string } }>('controllerrevisions', '-n', ns);
  return all.map((one) => one.metadata.name).filter((name) => name.includes(metadata.uid ?? '')).length;
};

export const changesStory = story('a machine that is changed while its guest runs', [
  [
    'the run strategy → the instance is of the new generation',
    async () => {
      await changing.create({ runStrategy: 'Always' });
      await changing.is('Running');
      await changing.patch({ runStrategy: 'Manual' });
      await eventually('the generation is observed', 20_000, async () => {
        const { metadata, status } = await changing.vm();
        return metadata.generation === 2 && status?.observedGeneration === 2;
      });
    },
  ],
  [
    'nodeSelector and tolerations → the instance has them at once',
    async () => {
      const [nodeSelector, tolerations] = [{ 'kubernetes.io/os': 'linux' }, [{ key: 'e2e', operator: 'Exists' }]];
      await template({ nodeSelector, tolerations });
      await eventually(
        'the instance follows',
        20_000,
        async () => (await changing.vmi())?.spec.tolerations !== undefined,
      );
      expect((await changing.vmi())?.spec).toMatchObject({ nodeSelector, tolerations });
      await untilRestartIsRequired(false);
    },
  ],
  [
    'cores → RestartRequired, which names them',
    async () => {
      await template({ domain: { cpu: { cores: 2 } } });
      const vm = await untilRestartIsRequired(true);
      expect(condition(vm, 'RestartRequired')?.message).toContain('domain.cpu');
      expect((await changing.vmi())?.status?.currentCPUTopology?.cores).toBe(1);
    },
  ],
  [
    'the change is taken back → no RestartRequired',
    async () => {
      await template({ domain: { cpu: null } });
      await untilRestartIsRequired(false);
    },
  ],
  [
    'memory, then a restart → no RestartRequired, and the revision of this start alone',
    async () => {
      await template({ domain: { memory: { guest: '48Mi' } } });
      await untilRestartIsRequired(true);
      const before = await changing.runs();
      expect(await changing.call('restart')).toBe('202');
      const after = await changing.runs(before);
      expect(after.status?.memory?.guestAtBoot).toBe('48Mi');
      await untilRestartIsRequired(false);
      await eventually('one revision is left', 20_000, async () => (await revisions()) === 1);
    },
  ],
  [
    'a change, then a stop → no RestartRequired',
    async () => {
      await template({ domain: { cpu: { cores: 2 } } });
      await untilRestartIsRequired(true);
      expect(await changing.call('stop')).toBe('202');
      await changing.isGone();
      await untilRestartIsRequired(false);
    },
  ],
  [
    'a data volume without CDI → DataVolumeError, and Failure names CDI',
    async () => {
      const filled = new Machine(ns, 'filled');
      const spec = { storage: { resources: { requests: { storage: '1Mi' } } }, source: { blank: {} } };
      await filled.create(
        { runStrategy: 'Always' },
        { ...nothingToBoot, volumes: [{ name: 'root', dataVolume: { name: 'filled' } }] },
        [{ metadata: { name: 'filled' }, spec }],
      );
      const vm = await filled.is('DataVolumeError');
      expect(condition(vm, 'Failure')?.message).toMatch(/CDI.* is not installed/);
      expect(await filled.vmi()).toBeUndefined();
    },
  ],
]);
