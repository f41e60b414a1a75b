// The network: what pod, domain and agent each say of an interface.
import type { Facts } from '../diagnosis/facts.ts';
import type { Rule } from '../diagnosis/types.ts';
import { isLinkLocal } from '../interfaces/addresses.ts';
import { describeVmi, target } from './words.ts';

/** A guest that boots has its address by then. */
const BOOT_SECONDS = 60;
const SETTLE_SECONDS = 15;

/** Interfaces on the pod network, with what each layer says of them now. */
function interfaces(facts: Facts) {
  return facts.matching('network', /^(.*)\.podIPs$/).map(({ key: name }) => ({
    name,
    podIPs: facts.list(`network/${name}.podIPs`),
    guest: facts.list(`network/${name}.guestAddresses`)?.filter((address) => !isLinkLocal(address)),
    chosen: facts.live(`network/${name}.chosen`),
    masquerade: facts.seen(`network/${name}.chosen`)?.source.includes('behind NAT') === true,
  }));
}

/** A guest that was reset has to boot again. */
const hasRun = (facts: Facts, seconds: number) =>
  facts.domainRuns &&
  facts.lasts(facts.text('domain/since'), seconds) &&
  (facts.text('domain/rebootedAt') === undefined || facts.lasts(facts.text('domain/rebootedAt'), seconds));

export const guestWithoutAddress: Rule = {
  name: 'guest-without-address',
  layer: 'network',
  status: 'degraded',
  holds: (facts) => {
    if (!hasRun(facts, BOOT_SECONDS)) return undefined;
    const bare = interfaces(facts).filter(({ guest, podIPs }) => guest?.length === 0 && (podIPs?.length ?? 0) > 0);
    if (bare.length === 0) return undefined;
    return {
      because: bare.map(
        ({ name, chosen }) =>
          `the guest reports no address on ${name}${typeof chosen === 'string' ? `; ${chosen}, which is shown, is the pod's` : ''}`,
      ),
      next: ['in the guest: ip address; then have its DHCP client ask again', `yagura console ${target(facts)}`],
      since: facts.since(`network/${bare[0]?.name ?? ''}.guestAddresses`),
    };
  },
};

export const addressNotShown: Rule = {
  name: 'address-not-shown',
  layer: 'network',
  status: 'degraded',
  contradiction: true,
  holds: (facts) => {
    if (!hasRun(facts, SETTLE_SECONDS) || facts.phase !== 'Running') return undefined;
    const wrong = interfaces(facts).filter(
      ({ podIPs, chosen, masquerade }) =>
        masquerade &&
        chosen !== undefined &&
        podIPs !== undefined &&
        podIPs.length > 0 &&
        !podIPs.includes(String(chosen)),
    );
    if (wrong.length === 0) return undefined;
    return {
      because: wrong.map(
        ({ name, podIPs, chosen }) =>
          `${name} is behind the pod's address ${podIPs?.join(', ')}, and the object shows ${chosen === null ? 'none' : String(chosen)}`,
      ),
      next: ['see whether virt-handler can write to the API server', describeVmi(facts)],
    };
  },
};

export const addressNotInGuest: Rule = {
  name: 'address-not-in-guest',
  layer: 'network',
  status: 'degraded',
  contradiction: true,
  holds: (facts) => {
    if (!hasRun(facts, BOOT_SECONDS)) return undefined;
    const wrong = interfaces(facts).filter(
      ({ guest, chosen, masquerade }) =>
        !masquerade && typeof chosen === 'string' && guest !== undefined && guest.length > 0 && !guest.includes(chosen),
    );
    if (wrong.length === 0) return undefined;
    return {
      because: wrong.map(
        ({ name, guest, chosen }) =>
          `the object shows ${String(chosen)} for ${name}, and the guest has ${guest?.join(', ')}`,
      ),
      next: ['in the guest: ip address; an address set by hand is not routed to it'],
    };
  },
};

export const guestOnlyAddress: Rule = {
  name: 'guest-only-address',
  layer: 'network',
  status: 'healthy',
  remark: true,
  holds: (facts) => {
    const extra = interfaces(facts).flatMap(({ name, guest = [], podIPs = [] }) => {
      // Of each family one is the interface's own.
      const families = [guest.filter((ip) => !ip.includes(':')), guest.filter((ip) => ip.includes(':'))];
      const more = families.flatMap(([, ...rest]) => rest).filter((address) => !podIPs.includes(address));
      return more.map((address) => `${address} on ${name}`);
    });
    if (extra.length === 0) return undefined;
    return { because: [`only the guest knows of ${extra.join(', ')}: nothing is routed there from outside`] };
  },
};

export const sharedMac: Rule = {
  name: 'mac-shared-in-guest',
  layer: 'network',
  status: 'healthy',
  remark: true,
  holds: (facts) => {
    const shared = facts.matching('network', /^(.*)\.guestInterfaces$/).flatMap(({ key, observation }) => {
      const names = facts.list(`network/${observation.field}`) ?? [];
      return names.length > 1 ? [`${names.join(', ')} share the MAC of ${key}: the first is taken for it`] : [];
    });
    return shared.length === 0 ? undefined : { because: shared };
  },
};

export const linkDown: Rule = {
  name: 'link-down',
  layer: 'network',
  status: 'healthy',
  remark: true,
  holds: (facts) => {
    const down = facts
      .matching('network', /^(.*)\.link$/)
      .filter(({ observation }) => observation.freshness === 'live' && observation.value === 'down');
    if (down.length === 0) return undefined;
    return {
      because: down.map(({ key }) => `the link of ${key} is down in the domain`),
      next: ['`state: down` of the interface in the spec sets it; remove it to raise the link'],
    };
  },
};
