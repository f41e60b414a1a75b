/** The values at a path such as `volumes[].hostDisk`, in which `[]` stands for every element, each with where it is. */
export function valuesAt(value: unknown, path: readonly string[], at: string): { field: string; value: unknown }[] {
  const [head, ...tail] = path;
  if (head === undefined) return [{ field: at, value }];
  if (typeof value !== 'object' || value === null) return [];
  const name = head.replace('[]', '');
  const next = (value as Record<string, unknown>)[name];
  const field = `${at}.${name}`;
  if (name === head) return valuesAt(next, tail, field);
  return Array.isArray(next) ? next.flatMap((item, index) => valuesAt(item, tail, `${field}[${index}]`)) : [];
}

/** Whether a value is more than another way to say nothing. */
export function asksForSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !(typeof value === 'object' && 'enabled' in value && value.enabled === false);
}
