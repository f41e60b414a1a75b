import type { GetDomainStatsResponse } from '@yagura/contracts';
import { counter, type Series } from '@yagura/runtime/metrics';
import { figure } from './figures.ts';

const receive = (what: string, help: string) => counter(`kubevirt_vmi_network_receive_${what}_total`, help);
const transmit = (what: string, help: string) => counter(`kubevirt_vmi_network_transmit_${what}_total`, help);

export const NETWORK = {
  receivedBytes: receive('bytes', 'Bytes that the guest has received.'),
  receivedPackets: receive('packets', 'Packets that the guest has received.'),
  receiveErrors: receive('errors', 'Packets to the guest that failed.'),
  receiveDrops: receive('packets_dropped', 'Packets to the guest that were dropped.'),
  sentBytes: transmit('bytes', 'Bytes that the guest has sent.'),
  sentPackets: transmit('packets', 'Packets that the guest has sent.'),
  sendErrors: transmit('errors', 'Packets of the guest that failed.'),
  sendDrops: transmit('packets_dropped', 'Packets of the guest that were dropped.'),
  traffic: counter(
    'kubevirt_vmi_network_traffic_bytes_total',
    'Deprecated: bytes that the guest has received (type rx) and sent (type tx).',
  ),
};

/** Traffic by interface of the spec; by its tap device where libvirt's interface is in no spec. */
export function networkSeries({ interfaces }: GetDomainStatsResponse): Series[] {
  return interfaces.flatMap((nic) => {
    const name = nic.name || nic.device;
    if (name === '') return [];
    const labels = { interface: name };
    return [
      ...figure(NETWORK.receivedBytes, nic.rxBytes, labels),
      ...figure(NETWORK.receivedPackets, nic.rxPackets, labels),
      ...figure(NETWORK.receiveErrors, nic.rxErrors, labels),
      ...figure(NETWORK.receiveDrops, nic.rxDrops, labels),
      ...figure(NETWORK.sentBytes, nic.txBytes, labels),
      ...figure(NETWORK.sentPackets, nic.txPackets, labels),
      ...figure(NETWORK.sendErrors, nic.txErrors, labels),
      ...figure(NETWORK.sendDrops, nic.txDrops, labels),
      ...figure(NETWORK.traffic, nic.rxBytes, { ...labels, type: 'rx' }),
      ...figure(NETWORK.traffic, nic.txBytes, { ...labels, type: 'tx' }),
    ];
  });
}
