import type { ClusterConfig } from '../config.ts';
import type { Interface, Network, VirtualMachineInstanceSpec } from '../types.ts';
import { INTERFACE_MODELS, INTERFACE_STATES } from '../words.ts';
import { isCidr4, isMac } from './addresses.ts';
import { validateDhcpOptions } from './dhcp-options.ts';
import { isDnsLabel, isPciAddress } from './names.ts';
import type { Report } from './report.ts';

const INTERFACE_NAME = /^[A-Za-z0-9_-]{1,63}$/;
/** MAC address of the bridge inside the pod: no guest may have it. */
const BRIDGE_MAC = '02:00:00:00:00:00';
const MAX_PORT = 65_535;
/** QEMU's. */
const MAX_ACPI_INDEX = 16_383;
const BINDINGS = ['masquerade', 'bridge', 'sriov', 'passtBinding', 'binding', 'slirp', 'macvtap', 'passt'] as const;
const DISCONTINUED = ['slirp', 'macvtap', 'passt'] as const;

export function validateNetworks(
  spec: VirtualMachineInstanceSpec,
  config: ClusterConfig,
  at: string,
  report: Report,
): void {
  const networks = spec.networks ?? [];
  const interfaces = spec.domain.devices.interfaces ?? [];
  const nicPath = `${at}.domain.devices.interfaces`;
  const netPath = `${at}.networks`;
  networks.forEach((network, index) => {
    const field = `${netPath}[${index}]`;
    validateNetwork(network, field, report);
    if (!interfaces.some(({ name }) => name === network.name)) {
      report.required(`${field}.name`, `is "${network.name}", but ${nicPath} has no interface of that name`);
    }
  });
  validatePrimary(networks, netPath, report);
  report.unique(
    networks.map(({ name }, index) => ({ field: `${netPath}[${index}].name`, value: name })),
    'name',
  );
  report.unique(
    interfaces.map(({ name }, index) => ({ field: `${nicPath}[${index}].name`, value: name })),
    'name',
  );
  interfaces.forEach((nic, index) => {
    const field = `${nicPath}[${index}]`;
    const network = networks.find(({ name }) => name === nic.name);
    if (!network) report.invalid(`${field}.name`, `is "${nic.name}", but ${netPath} has no network of that name`);
    validateInterface(nic, field, report);
    if (network) validateBinding(nic, network, config, field, report);
  });
}

function validateNetwork(network: Network, field: string, report: Report): void {
  const types = (['pod', 'multus', 'resourceClaim'] as const).filter((type) => network[type]);
  if (types.length === 0) report.required(field, `has no type: "${network.name}" must be a pod or a multus network`);
  if (types.length > 1) report.invalid(field, `is ${types.join(' and ')} at once; choose one`);
  const cidr = network.pod?.vmNetworkCIDR;
  if (cidr && !isCidr4(cidr)) {
    report.invalid(
      `${field}.pod.vmNetworkCIDR`,
      `is "${cidr}"; it must be an IPv4 network with room for gateway and guest, such as 10.0.2.0/24`,
    );
  }
  if (network.multus && !network.multus.networkName) report.required(`${field}.multus.networkName`, 'is missing');
}

function validatePrimary(networks: readonly Network[], path: string, report: Report): void {
  const primary = networks.flatMap((network, index) =>
    network.pod || network.multus?.default ? [`${path}[${index}]`] : [],
  );
  for (const field of primary.slice(1)) {
    report.duplicate(field, `is a second default network of the pod, which ${primary[0]} is already`);
  }
}

function validateInterface(nic: Interface, field: string, report: Report): void {
  if (!INTERFACE_NAME.test(nic.name)) {
    report.invalid(`${field}.name`, `is "${nic.name}"; it must be at most 63 letters, digits, "_" and "-"`);
  }
  report.oneOf(`${field}.model`, nic.model, INTERFACE_MODELS);
  report.oneOf(`${field}.state`, nic.state, INTERFACE_STATES);
  if (nic.macAddress) {
    if (!isMac(nic.macAddress))
      report.invalid(`${field}.macAddress`, `is "${nic.macAddress}"; it must be six bytes such as de:ad:00:00:be:af`);
    else if (nic.macAddress.toLowerCase().replaceAll('-', ':') === BRIDGE_MAC) {
      report.invalid(`${field}.macAddress`, `is ${BRIDGE_MAC}, which is that of the gateway`);
    }
  }
  if (nic.pciAddress && !isPciAddress(nic.pciAddress)) {
    report.invalid(`${field}.pciAddress`, `is "${nic.pciAddress}"; it must be like 0000:81:01.0`);
  }
  if (nic.acpiIndex !== undefined && (nic.acpiIndex < 1 || nic.acpiIndex > MAX_ACPI_INDEX)) {
    report.invalid(`${field}.acpiIndex`, `is ${nic.acpiIndex}; it must be 1 to ${MAX_ACPI_INDEX}`);
  }
  validatePorts(nic, field, report);
  validatePortRanges(nic, field, report);
  validateDhcpOptions(nic, field, report);
}

function validateBinding(nic: Interface, network: Network, config: ClusterConfig, field: string, report: Report): void {
  const given = BINDINGS.filter((binding) => nic[binding]);
  if (given.length === 0) report.invalid(field, 'has no binding: masquerade, bridge or another must be set');
  if (given.length > 1) report.invalid(field, `has the bindings ${given.join(' and ')} at once; choose one`);
  for (const binding of DISCONTINUED) {
    if (nic[binding])
      report.invalid(`${field}.${binding}`, 'is discontinued; use masquerade or a network binding plugin');
  }
  for (const binding of ['masquerade', 'passtBinding'] as const) {
    if (nic[binding] && !network.pod) report.invalid(`${field}.${binding}`, 'is only possible on the pod network');
  }
  if (nic.sriov && network.pod) report.invalid(`${field}.sriov`, 'is only possible on a multus network');
  if (nic.sriov && (nic.state === 'up' || nic.state === 'down')) {
    report.invalid(
      `${field}.state`,
      `is "${nic.state}", which an SR-IOV interface cannot be: its link is the device's`,
    );
  }
  if (nic.binding && !nic.binding.name) report.required(`${field}.binding.name`, 'is empty; name the binding plugin');
  if (nic.bridge && network.pod && !config.permitBridgeInterfaceOnPodNetwork) {
    report.invalid(`${field}.bridge`, 'is not permitted on the pod network of this cluster; use masquerade');
  }
  if (nic.state === 'absent' && (!nic.bridge || network.pod)) {
    report.invalid(`${field}.state`, 'is "absent", which only a bridge interface on a secondary network can be');
  }
}

function validatePorts(nic: Interface, field: string, report: Report): void {
  const ports = nic.ports ?? [];
  ports.forEach((port, index) => {
    const at = `${field}.ports[${index}]`;
    report.oneOf(`${at}.protocol`, port.protocol, ['TCP', 'UDP']);
    if (!port.port) report.required(`${at}.port`, 'is missing');
    else if (port.port < 1 || port.port > MAX_PORT)
      report.invalid(`${at}.port`, `is ${port.port}; it must be 1 to ${MAX_PORT}`);
    if (port.name && !isDnsLabel(port.name))
      report.invalid(`${at}.name`, `is "${port.name}", which is not a name of a port`);
  });
  report.unique(
    ports.flatMap(({ name }, index) => (name ? [{ field: `${field}.ports[${index}].name`, value: name }] : [])),
    'name',
  );
}

function validatePortRanges({ portRanges }: Interface, field: string, report: Report): void {
  portRanges?.forEach(({ protocol, startPort, endPort }, index) => {
    const at = `${field}.portRanges[${index}]`;
    report.oneOf(`${at}.protocol`, protocol, ['TCP', 'UDP']);
    if (startPort < 1 || startPort > MAX_PORT)
      report.invalid(`${at}.startPort`, `is ${startPort}; it must be 1 to ${MAX_PORT}`);
    if (endPort < startPort || endPort > MAX_PORT) {
      report.invalid(`${at}.endPort`, `is ${endPort}; it must be startPort to ${MAX_PORT}`);
    }
  });
}
