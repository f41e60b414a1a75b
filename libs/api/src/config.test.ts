import { kubevirtConfig } from './config.ts';
import type { KubeVirtConfiguration } from './types.ts';

const of = (configuration: KubeVirtConfiguration) =>
  kubevirtConfig({ metadata: { name: 'kubevirt' }, spec: { configuration } });

test('without an object everything is at the default of the contract', () => {
  const { featureGates, ...config } = kubevirtConfig(undefined);
  expect(config).toMatchObject({
    useEmulation: false,
    cpuAllocationRatio: 10,
    memoryOvercommit: 100,
    defaultArchitecture: 'amd64',
    machineType: 'q35',
    emulatedMachines: ['q35*', 'pc-q35*'],
    ovmfPath: '/usr/share/edk2/ovmf',
    cpuRequest: '100m',
    evictionStrategy: 'None',
    imagePullPolicy: 'IfNotPresent',
    defaultNetworkInterface: 'bridge',
    permitBridgeInterfaceOnPodNetwork: true,
    memBalloonStatsPeriod: 10,
    smbios: { manufacturer: 'KubeVirt', family: 'KubeVirt', product: 'None' },
    supportedGuestAgentVersions: ['2.*', '3.*', '4.*', '5.*'],
    vmRolloutStrategy: 'LiveUpdate',
    liveUpdate: { maxHotplugRatio: 4 },
    migrations: {
      parallelMigrationsPerCluster: 5,
      parallelOutboundMigrationsPerNode: 2,
      completionTimeoutPerGiB: 150,
      progressTimeout: 150,
      allowAutoConverge: false,
      allowPostCopy: false,
      nodeDrainTaintKey: 'kubevirt.io/drain',
    },
    logVerbosity: { api: 2, controller: 2, handler: 2, launcher: 2 },
  });
  expect(featureGates.has('LiveMigration')).toBe(true);
});

test('what the object says wins, what it leaves out stays at the default', () => {
  const config = of({
    developerConfiguration: { useEmulation: true, logVerbosity: { virtLauncher: 5 } },
    network: { defaultNetworkInterface: 'masquerade' },
    migrations: { allowPostCopy: true },
    memBalloonStatsPeriod: 0,
    architectureConfiguration: { amd64: { machineType: 'pc-q35-10.0' } },
  });
  expect(config).toMatchObject({
    useEmulation: true,
    defaultNetworkInterface: 'masquerade',
    memBalloonStatsPeriod: 0,
    machineType: 'pc-q35-10.0',
    emulatedMachines: ['q35*', 'pc-q35*'],
    logVerbosity: { launcher: 5, handler: 2 },
    migrations: { allowPostCopy: true, progressTimeout: 150 },
  });
});

test.each([[0], [-1]])('a ratio of %s is no ratio', (ratio) => {
  expect(of({ developerConfiguration: { cpuAllocationRatio: ratio, memoryOvercommit: ratio } })).toMatchObject({
    cpuAllocationRatio: 10,
    memoryOvercommit: 100,
  });
});

test('a text that is no number leaves the overhead ratio at one', () => {
  expect(of({ additionalGuestMemoryOverheadRatio: 'lots' }).additionalGuestMemoryOverheadRatio).toBe(1);
  expect(of({ additionalGuestMemoryOverheadRatio: '1.25' }).additionalGuestMemoryOverheadRatio).toBe(1.25);
});

test.each([
  ['LiveMigration', [], [], true],
  ['LiveMigration', [], ['LiveMigration'], true],
  ['Snapshot', [], [], true],
  ['Snapshot', [], ['Snapshot'], false],
  ['Snapshot', ['Snapshot'], ['Snapshot'], true],
  ['HostDisk', [], [], false],
  ['HostDisk', ['HostDisk'], [], true],
])('gate %s enabled in %j and disabled in %j is %s', (gate, featureGates, disabledFeatureGates, on) => {
  expect(of({ developerConfiguration: { featureGates, disabledFeatureGates } }).featureGates.has(gate)).toBe(on);
});
