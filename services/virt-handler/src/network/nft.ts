import { PRIMARY_POD_INTERFACE as POD_INTERFACE } from '@yagura/api';
import type { MasqueradePlan, Port } from './plan.ts';

const TABLE = 'yagura';

/**
 * The address translation of a masquerade interface as one ruleset, applied at once: the table is made if it is not
 * there, then replaced whole, so that applying it again changes nothing and nothing is ever half there.
 */
export function renderNft(plan: MasqueradePlan): string {
  const { bridge, guest, gateway } = plan;
  const inbound = matches(plan.ports).map((match) => `    iifname "${POD_INTERFACE}" ${match}dnat to ${guest}`);
  // What a process in the pod sends to its loopback reaches the guest too, as kubectl port-forward does.
  const loopback = matches(plan.ports).map((match) => `    ip daddr 127.0.0.1 ${match}dnat to ${guest}`);
  return `table ip ${TABLE}
delete table ip ${TABLE}
table ip ${TABLE} {
  chain guard {
    type filter hook prerouting priority raw; policy accept;
    # The guest's own packets never enter the pod's loopback.
    iifname "${bridge}" ip daddr 127.0.0.0/8 drop
  }
  chain prerouting {
    type nat hook prerouting priority dstnat; policy accept;
${inbound.join('\n')}
  }
  chain output {
    type nat hook output priority -100; policy accept;
${loopback.join('\n')}
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${guest} oifname "${POD_INTERFACE}" masquerade
    ip saddr 127.0.0.1 oifname "${bridge}" snat to ${gateway}
  }
}
`;
}

/** One match for each protocol with listed ports; an empty one, which takes all, when none are listed. */
function matches(ports: Port[]): string[] {
  if (ports.length === 0) return [''];
  return (['tcp', 'udp'] as const).flatMap((protocol) => {
    const listed = [...new Set(ports.filter((port) => port.protocol === protocol).map(({ port }) => port))];
    return listed.length === 0 ? [] : [`${protocol} dport { ${listed.sort((a, b) => a - b).join(', ')} } `];
  });
}
