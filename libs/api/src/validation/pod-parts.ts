import type { VirtualMachineInstanceSpec } from '../types.ts';
import { DNS_POLICIES, EVICTION_STRATEGIES } from '../words.ts';
import { isIPv4, isIPv6 } from './addresses.ts';
import { DNS_LABEL_RULE, isDnsLabel, isDnsSubdomain } from './names.ts';
import { validatePlacement } from './placement.ts';
import { validateProbe } from './probes.ts';
import type { Report } from './report.ts';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 6;
const MAX_SEARCH_CHARACTERS = 256;

/** What concerns the run and its pod rather than the machine. */
export function validatePodParts(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  if (spec.hostname && !isDnsLabel(spec.hostname))
    report.invalid(`${at}.hostname`, `is "${spec.hostname}"; it ${DNS_LABEL_RULE}`);
  if (spec.subdomain && !isDnsSubdomain(spec.subdomain))
    report.invalid(`${at}.subdomain`, `is "${spec.subdomain}", which is not a DNS subdomain`);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    report.invalid(
      `${at}.terminationGracePeriodSeconds`,
      `is ${spec.terminationGracePeriodSeconds}; it must not be negative`,
    );
  }
  report.oneOf(`${at}.architecture`, spec.architecture, ['amd64', 'arm64', 's390x']);
  report.oneOf(`${at}.evictionStrategy`, spec.evictionStrategy, EVICTION_STRATEGIES);
  if (spec.evictionStrategy === 'LiveMigrate' || spec.evictionStrategy === 'External') {
    // Accepted, it would promise that a drain waits; nothing holds an eviction up yet.
    report.notSupported(
      `${at}.evictionStrategy`,
      `is "${spec.evictionStrategy}", which needs live migration, not supported by this version; choose None or LiveMigrateIfPossible`,
    );
  }
  report.oneOf(`${at}.startStrategy`, spec.startStrategy, ['Paused']);
  if (spec.startStrategy === 'Paused' && spec.livenessProbe) {
    report.invalid(`${at}.startStrategy`, `is "Paused", which ${at}.livenessProbe would take for dead`);
  }
  validateDns(spec, at, report);
  validatePlacement(spec, at, report);
  for (const name of ['livenessProbe', 'readinessProbe'] as const) {
    validateProbe(name, spec, at, report);
  }
  if (spec.serviceAccountName && !isDnsSubdomain(spec.serviceAccountName)) {
    report.invalid(
      `${at}.serviceAccountName`,
      `is "${spec.serviceAccountName}", which is not a name of a service account`,
    );
  }
  const shown = spec.volumes?.find(({ serviceAccount }) => serviceAccount)?.serviceAccount?.serviceAccountName;
  if (spec.serviceAccountName && shown && spec.serviceAccountName !== shown) {
    report.invalid(
      `${at}.serviceAccountName`,
      `is "${spec.serviceAccountName}", but a volume shows the service account "${shown}"; the pod has one`,
    );
  }
}

function validateDns(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  report.oneOf(`${at}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES);
  const { nameservers, searches } = spec.dnsConfig ?? {};
  if (spec.dnsPolicy === 'None' && !nameservers?.length) {
    report.required(`${at}.dnsConfig.nameservers`, 'is empty, but dnsPolicy "None" needs at least one');
  }
  if ((nameservers?.length ?? 0) > MAX_NAMESERVERS)
    report.invalid(`${at}.dnsConfig.nameservers`, `has more than ${MAX_NAMESERVERS} entries`);
  nameservers?.forEach((server, index) => {
    if (!isIPv4(server) && !isIPv6(server))
      report.invalid(`${at}.dnsConfig.nameservers[${index}]`, `is "${server}", which is not an IP address`);
  });
  if ((searches?.length ?? 0) > MAX_SEARCHES)
    report.invalid(`${at}.dnsConfig.searches`, `has more than ${MAX_SEARCHES} entries`);
  if ((searches ?? []).join(' ').length > MAX_SEARCH_CHARACTERS) {
    report.invalid(`${at}.dnsConfig.searches`, `has more than ${MAX_SEARCH_CHARACTERS} characters`);
  }
  searches?.forEach((search, index) => {
    if (!isDnsSubdomain(search.replace(/\.$/, '')))
      report.invalid(`${at}.dnsConfig.searches[${index}]`, `is "${search}", which is not a domain`);
  });
}
