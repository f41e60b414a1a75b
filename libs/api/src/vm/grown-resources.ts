import type { Domain, Quantity } from '../types.ts';

/** The domain with another amount of one resource, wherever its pod was asked for it explicitly. */
export function withGrownResource(
  domain: Domain,
  name: 'cpu' | 'memory',
  grown: (asked: Quantity) => Quantity,
): Domain {
  const { resources } = domain;
  if (resources === undefined) return domain;
  const grow = (list: Record<string, Quantity>) =>
    list[name] === undefined ? list : { ...list, [name]: grown(list[name]) };
  return {
    ...domain,
    resources: {
      ...resources,
      ...(resources.requests ? { requests: grow(resources.requests) } : {}),
      ...(resources.limits ? { limits: grow(resources.limits) } : {}),
    },
  };
}
