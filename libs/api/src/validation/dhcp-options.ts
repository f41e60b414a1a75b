import type { Interface } from '../types.ts';
import { isIPv4 } from './addresses.ts';
import type { Report } from './report.ts';

/** Options of the DHCP answer that the user may add. */
export function validateDhcpOptions(nic: Interface, field: string, report: Report): void {
  const { ntpServers, privateOptions } = nic.dhcpOptions ?? {};
  const at = `${field}.dhcpOptions`;
  ntpServers?.forEach((server, index) => {
    if (!isIPv4(server)) report.invalid(`${at}.ntpServers[${index}]`, `is "${server}"; it must be an IPv4 address`);
  });
  privateOptions?.forEach(({ option }, index) => {
    if (option < 224 || option > 254) {
      report.invalid(`${at}.privateOptions[${index}].option`, `is ${option}; private options are 224 to 254`);
    }
  });
  report.unique(
    (privateOptions ?? []).map(({ option }, index) => ({
      field: `${at}.privateOptions[${index}].option`,
      value: String(option),
    })),
    'option',
  );
}
