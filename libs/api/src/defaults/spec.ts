import type { ClusterConfig } from '../config.ts';
import { cpuTopology, guestMemoryQuantity } from '../guest-size.ts';
import { completeHyperv } from '../hyperv.ts';
import { pullPolicyOf } from '../launcher-pod/container-disks.ts';
import type { Domain, Features, Probe, VirtualMachineInstanceSpec, Volume } from '../types.ts';
import { withDefaultDevices } from './devices.ts';

/** The spec with everything decided that the user left open and the product decides at creation. */
export function defaultSpec(
  spec: VirtualMachineInstanceSpec,
  config: ClusterConfig,
  uuid: () => string,
): VirtualMachineInstanceSpec {
  const withDevices = withDefaultDevices(spec, config);
  return {
    ...withDevices,
    architecture: spec.architecture || config.defaultArchitecture,
    evictionStrategy: spec.evictionStrategy || config.evictionStrategy,
    domain: defaultDomain(withDevices, config, uuid),
    ...(spec.volumes ? { volumes: spec.volumes.map(defaultVolume) } : {}),
    ...(spec.livenessProbe ? { livenessProbe: defaultProbe(spec.livenessProbe) } : {}),
    ...(spec.readinessProbe ? { readinessProbe: defaultProbe(spec.readinessProbe) } : {}),
  };
}

function defaultDomain(spec: VirtualMachineInstanceSpec, config: ClusterConfig, uuid: () => string): Domain {
  const { domain } = spec;
  const memory = guestMemoryQuantity(spec);
  return {
    ...domain,
    machine: { ...domain.machine, type: domain.machine?.type || config.machineType },
    cpu: { ...domain.cpu, ...cpuTopology(spec), model: domain.cpu?.model || config.cpuModel || 'host-model' },
    ...(memory === undefined ? {} : { memory: { ...domain.memory, guest: memory } }),
    ...(domain.resources ? { resources: defaultResources(domain.resources) } : {}),
    features: defaultFeatures(domain.features),
    firmware: { ...domain.firmware, uuid: domain.firmware?.uuid || uuid() },
  };
}

function defaultFeatures(features: Features | undefined): Features {
  return {
    ...features,
    acpi: { ...features?.acpi, enabled: features?.acpi?.enabled ?? true },
    ...(features?.hyperv ? { hyperv: completeHyperv(features.hyperv) } : {}),
  };
}

/** A limit without a request is a request too, as it is for pods. */
function defaultResources(resources: NonNullable<Domain['resources']>): NonNullable<Domain['resources']> {
  const limit = resources.limits?.['cpu'];
  if (limit === undefined || resources.requests?.['cpu'] !== undefined) return resources;
  return { ...resources, requests: { ...resources.requests, cpu: limit } };
}

function defaultVolume(volume: Volume): Volume {
  const { containerDisk } = volume;
  if (!containerDisk || containerDisk.imagePullPolicy) return volume;
  return { ...volume, containerDisk: { ...containerDisk, imagePullPolicy: pullPolicyOf(containerDisk.image) } };
}

function defaultProbe(probe: Probe): Probe {
  return {
    ...probe,
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}
