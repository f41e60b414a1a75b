import type { VirtualMachineInstance } from '@yagura/api';
import { local, nodeExec, untilBuilt, yagura } from './support/cluster.ts';
import { apply, freshNamespace, tinyVmi, untilAgent } from './support/machines.ts';

const ns = 'e2e-grpc';
let vmi: VirtualMachineInstance;
let grpcurl: (...args: string[]) => Promise<string>;

beforeAll(async () => {
  await untilBuilt('grpcurl');
  await freshNamespace(ns);
  await apply(tinyVmi(ns, 'demo'));
  vmi = await untilAgent(ns, 'demo');
  const socket = `/var/run/kubevirt/vmi/${vmi.metadata?.uid}.sock`;
  grpcurl = (...args) =>
    nodeExec(
      vmi.status?.nodeName ?? '',
      local('bin/grpcurl'),
      '-plaintext',
      '-unix',
      ...args.slice(0, -1),
      socket,
      args.at(-1) ?? '',
    );
}, 480_000);

test('list and describe need no proto file', async () => {
  expect(await grpcurl('list')).toMatch(/^yagura\.launcher\.v1\.Launcher$/m);
  const node = vmi.status?.nodeName ?? '';
  const socket = `/var/run/kubevirt/vmi/${vmi.metadata?.uid}.sock`;
  const described = await nodeExec(
    node,
    local('bin/grpcurl'),
    '-plaintext',
    '-unix',
    socket,
    'describe',
    'yagura.launcher.v1.Launcher',
  );
  expect(described).toContain('rpc GetDomainStats');
});

test('GetDomainStats, GetGuestInfo and GuestPing answer for a running guest', async () => {
  const stats = JSON.parse(await grpcurl('-d', '{}', 'yagura.launcher.v1.Launcher/GetDomainStats')) as {
    cpu: { timeNanoseconds: string };
  };
  expect(BigInt(stats.cpu.timeNanoseconds)).toBeGreaterThan(0n);
  const info = JSON.parse(await grpcurl('-d', '{}', 'yagura.launcher.v1.Launcher/GetGuestInfo')) as {
    agentVersion: string;
  };
  expect(info.agentVersion).toMatch(/^\d+\.\d+/);
  const ping = JSON.parse(await grpcurl('-d', '{}', 'yagura.launcher.v1.Launcher/GuestPing')) as { roundTrip: string };
  expect(ping.roundTrip).toMatch(/s$/);
});

test('the health service says SERVING', async () => {
  expect(JSON.parse(await grpcurl('-d', '{}', 'grpc.health.v1.Health/Check'))).toEqual({ status: 'SERVING' });
});

test('yagura grpc reaches the launcher through the API server alone', async () => {
  const { code, stdout, stderr } = await yagura('grpc', `${ns}/demo`, 'GuestPing');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveProperty('roundTrip');
});
