import type { PersistentVolumeClaim, VirtualMachineInstance } from '@yagura/api';
import type { Series } from '@yagura/runtime/metrics';
import { documentedMetrics, exportedMetrics } from '@yagura/runtime/testing';
import { config, machine, running, world } from '../testing/metrics.ts';
import { vmiOf } from '../testing/objects.ts';
import { vmiNetworkSeries } from './networks.ts';
import { vmResourceSeries } from './vm-resources.ts';
import { vmStatusSeries } from './vm-status.ts';
import { countSeries, instanceSeries } from './vmi-info.ts';

/** The series in short: name without its prefix, labels, value. */
function lines(series: readonly Series[]): string[] {
  return series.map(({ family, labels, value }) => {
    const inside = Object.entries(labels).filter(([, text]) => text !== undefined && text !== '');
    return `${family.name.replace('kubevirt_', '')}{${inside.map(([key, text]) => `${key}=${text}`).join()}} ${value}`;
  });
}

test('an instance is described by its status and its annotations; what is empty is left out', () => {
  const pods = [
    {
      metadata: { name: 'virt-launcher-x' },
      spec: { containers: [], nodeName: 'node-1' },
      status: { phase: 'Running' as const },
    },
  ];
  const kind =
    'node=node-1,phase=running,os=debian,guest_os_kernel_release=6.12,guest_os_machine=pc-q35-10.0,guest_os_arch=x86_64,guest_os_name=Debian,guest_os_version_id=13';
  expect(
    lines([
      ...instanceSeries(running, pods, config),
      ...instanceSeries(vmiOf('Pending', { name: 'new' }), [], config),
      ...countSeries([running, vmiOf('Pending', { name: 'new' })]),
    ]),
  ).toEqual([
    `vmi_info{namespace=n,name=demo,${kind},evictable=true,outdated=false,vmi_pod=virt-launcher-x} 1`,
    'vmi_non_evictable{node=node-1,namespace=n,name=demo} 0',
    `vmi_launcher_memory_overhead_bytes{namespace=n,name=demo} ${200 * 1024 * 1024}`,
    'vmi_info{namespace=n,name=new,phase=pending,evictable=true,outdated=false} 1',
    'vmi_non_evictable{namespace=n,name=new} 0',
    expect.stringMatching(/^vmi_launcher_memory_overhead_bytes\{namespace=n,name=new\} \d{9}$/),
    `vmi_phase_count{${kind}} 1`,
    'vmi_phase_count{phase=pending} 1',
    'vmi_number_of_outdated{} 0',
  ]);
});

test('instances of one kind are counted together, and those with an old launcher', () => {
  const outdated = vmiOf('Running', { name: 'b', labels: { 'kubevirt.io/outdatedLauncherImage': '' } });
  const series = lines(countSeries([vmiOf('Running', { name: 'a' }), outdated]));
  expect(series).toContain('vmi_phase_count{node=node-1,phase=running} 2');
  expect(series).toContain('vmi_number_of_outdated{} 1');
});

test.each([
  ['None', undefined, 0],
  ['LiveMigrate', 'True', 0],
  ['LiveMigrate', 'False', 1],
  ['LiveMigrate', undefined, 1],
  ['LiveMigrateIfPossible', 'False', 0],
] as const)(
  'with eviction strategy %s and LiveMigratable %s, non_evictable is %s',
  (evictionStrategy, status, value) => {
    const vmi = vmiOf('Running');
    const conditions = status ? [{ type: 'LiveMigratable', status }] : [];
    const changed = { ...vmi, spec: { ...vmi.spec, evictionStrategy }, status: { ...vmi.status, conditions } };
    expect(lines(instanceSeries(changed, [], config))).toContain(
      `vmi_non_evictable{node=node-1,namespace=n,name=demo} ${value}`,
    );
  },
);

test('addresses come from the status, bindings from the spec', () => {
  const vmi: VirtualMachineInstance = {
    ...running,
    spec: {
      ...running.spec,
      domain: {
        devices: {
          interfaces: [
            { name: 'default', masquerade: {} },
            { name: 'lan', bridge: {}, model: 'e1000' },
            { name: 'lost' },
          ],
        },
      },
      networks: [
        { name: 'default', pod: {} },
        { name: 'lan', multus: { networkName: 'n/lan' } },
      ],
    },
  };
  expect(lines(vmiNetworkSeries(vmi))).toEqual([
    'vmi_status_addresses{node=node-1,namespace=n,name=demo,vnic_name=default,interface_name=eth0,address=10.244.0.7,type=ExternalInterface} 1',
    'vmi_status_addresses{node=node-1,namespace=n,name=demo,interface_name=lo0,type=SystemInterface} 1',
    'vmi_vnic_info{name=demo,namespace=n,vnic_name=default,binding_type=core,binding_name=masquerade,network=pod networking,model=<none>} 1',
    'vmi_vnic_info{name=demo,namespace=n,vnic_name=lan,binding_type=core,binding_name=bridge,network=n/lan,model=e1000} 1',
  ]);
});

test('a virtual machine tells since when it is as it is, by the conditions that count', () => {
  expect(lines(vmStatusSeries(machine()))).toEqual([
    'vm_info{name=demo,namespace=n,os=debian,machine_type=q35,status=running,status_group=running} 1',
    'vm_create_date_timestamp_seconds{name=demo,namespace=n} 1767225600',
    'vm_labels{name=demo,namespace=n,label_example_org_a=b,label_role=db} 1',
    'vm_starting_status_last_transition_timestamp_seconds{name=demo,namespace=n} 0',
    'vm_running_status_last_transition_timestamp_seconds{name=demo,namespace=n} 1767225610',
    'vm_migrating_status_last_transition_timestamp_seconds{name=demo,namespace=n} 0',
    'vm_non_running_status_last_transition_timestamp_seconds{name=demo,namespace=n} 0',
    'vm_error_status_last_transition_timestamp_seconds{name=demo,namespace=n} 0',
  ]);
  const { status: _, ...fresh } = machine();
  expect(lines(vmStatusSeries(fresh))).toEqual(
    expect.arrayContaining([
      'vm_info{name=demo,namespace=n,os=debian,machine_type=q35,status_group=<unknown>} 1',
      'vm_error_status_last_transition_timestamp_seconds{name=demo,namespace=n} -1',
    ]),
  );
});

test('resources are told with where they stand in the template', () => {
  const vm = machine({
    domain: {
      devices: {},
      cpu: { cores: 2, sockets: 3 },
      memory: { guest: '64Mi', hugepages: { pageSize: '2Mi' } },
      resources: { requests: { memory: '1Ki', cpu: '500m' }, limits: { memory: '2Ki', cpu: '1' } },
    },
    volumes: [
      { name: 'root', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'gone', persistentVolumeClaim: { claimName: 'gone' } },
      { name: 'image', containerDisk: { image: 'x' } },
    ],
  });
  const claim: PersistentVolumeClaim = {
    metadata: { name: 'data' },
    spec: { volumeMode: 'Block', resources: { requests: { storage: '1Gi' } } },
  };
  const own = 'name=demo,namespace=n';
  expect(lines(vmResourceSeries(vm, (name) => (name === 'data' ? claim : undefined)))).toEqual([
    `vm_resource_requests{${own},resource=memory,unit=bytes,source=domain} 1024`,
    `vm_resource_requests{${own},resource=memory,unit=bytes,source=guest} 67108864`,
    `vm_resource_requests{${own},resource=memory,unit=bytes,source=hugepages} 2097152`,
    `vm_resource_requests{${own},resource=memory,unit=bytes,source=guest_effective} 67108864`,
    `vm_resource_limits{${own},resource=memory,unit=bytes} 2048`,
    `vm_resource_requests{${own},resource=cpu,unit=cores,source=domain} 2`,
    `vm_resource_requests{${own},resource=cpu,unit=sockets,source=domain} 3`,
    `vm_resource_requests{${own},resource=cpu,unit=cores,source=requests} 0.5`,
    `vm_resource_requests{${own},resource=cpu,unit=cores,source=guest_effective} 6`,
    `vm_resource_limits{${own},resource=cpu,unit=cores} 1`,
    `vm_disk_allocated_size_bytes{${own},persistentvolumeclaim=data,volume_mode=Block,device=root} 1073741824`,
  ]);
  expect(lines(vmResourceSeries(machine(), () => undefined)).filter((line) => line.includes('default'))).toHaveLength(
    3,
  );
});

test.each([
  [true, 1],
  [false, 0],
])('objects are told by the leader alone: leading %s', async (leading, count) => {
  const text = await world(leading).registry.metrics();
  expect(text.match(/^kubevirt_vmi_info\{/gm) ?? []).toHaveLength(count);
  expect(text).toContain(`kubevirt_virt_controller_leading_status ${Number(leading)}`);
});

test('an object that cannot be told of costs only its own series, and is named', async () => {
  const bad = machine({
    domain: { devices: {}, memory: { guest: 'plenty' }, resources: { requests: { memory: 'x' } } },
  });
  const { registry, warned } = world(true, [{ ...bad, metadata: { ...bad.metadata, name: 'bad' } }]);
  const text = await registry.metrics();
  expect(text).toContain('kubevirt_vm_info{name="demo"');
  expect(text).toContain('kubevirt_vmi_info{');
  expect(text).not.toContain('name="bad"');
  expect(warned).toEqual([expect.objectContaining({ object: 'n/bad', reason: expect.any(String) })]);
});

test('the way from phase to phase is measured once it is seen', async () => {
  const { registry, changed } = world(true);
  const at = (phase: 'Scheduled' | 'Running' | 'Succeeded', second: number) => ({
    phase,
    phaseTransitionTimestamp: `2026-01-01T00:00:0${second}Z`,
  });
  const scheduled = vmiOf('Scheduled', { creationTimestamp: '2026-01-01T00:00:00Z' });
  const up: VirtualMachineInstance = {
    ...scheduled,
    status: { phase: 'Running', phaseTransitionTimestamps: [at('Scheduled', 2), at('Running', 5)] },
  };
  const over: VirtualMachineInstance = {
    ...up,
    metadata: { ...up.metadata, deletionTimestamp: '2026-01-01T00:00:06Z' },
    status: { phase: 'Succeeded', phaseTransitionTimestamps: [at('Running', 5), at('Succeeded', 8)] },
  };
  changed({ type: 'added', object: up });
  changed({ type: 'updated', old: up, object: up });
  changed({ type: 'updated', old: scheduled, object: up });
  changed({ type: 'updated', old: up, object: over });
  const text = await registry.metrics();
  const sum = (name: string, labels: string) =>
    text.includes(`${name}_sum{${labels}}`) && text.split(`${name}_sum{${labels}} `)[1]?.split('\n')[0];
  expect(sum('kubevirt_vmi_phase_transition_time_seconds', 'phase="Running",last_phase="Scheduled"')).toBe('3');
  expect(sum('kubevirt_vmi_phase_transition_time_from_creation_seconds', 'phase="Running"')).toBe('5');
  expect(sum('kubevirt_vmi_phase_transition_time_from_deletion_seconds', 'phase="Succeeded"')).toBe('2');
});

test('docs/metrics.md names what virt-controller exports', () => {
  expect(documentedMetrics('virt-controller')).toEqual(exportedMetrics(world(true).registry));
});
