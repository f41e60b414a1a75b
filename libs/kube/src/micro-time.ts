/** metav1.MicroTime: six fractional digits, or the API server refuses a Lease. */
export function microTime(epochMs: number): string {
  const iso = new Date(Math.floor(epochMs)).toISOString();
  const micros = Math.floor((epochMs - Math.floor(epochMs)) * 1000);
  return `${iso.slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** metav1.Time: whole seconds. */
export function rfc3339(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
