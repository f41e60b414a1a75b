import type { JsonValue } from '../observation.ts';

/** Last words of fields whose value is a measure or a time that goes on by itself. */
const MEASURE = /(?:^|\.)(?:heartbeat|lease|load|since|age|last[A-Z]\w*|cpuTime\w*|balloon\w*|bytes|packets|moving)$/;
/** Events by which libvirt tells a measure. */
const MEASURING = ['balloon-change', 'memory-device-size-change'];

/** Whether another value of this field is no change of anything; how far it can be trusted still is one. */
function isMeasure(field: string): boolean {
  return MEASURE.test(field);
}

export function isMeasuringEvent(type: string): boolean {
  return MEASURING.includes(type);
}

const FILL = /^(\d+) of (\d+) MiB used, (.*)$/s;
const FULL = 'over 90 % used, ';
/** What was full is so until it is under this: one at the mark does not go back and forth. */
const FULL_UNTIL = 0.85;

/** The value as it is recorded: of a file system what it is and whether it is nearly full, not each MiB that is written. */
export function recorded(field: string, value: JsonValue, before: JsonValue | undefined): JsonValue {
  if (isMeasure(field)) return null;
  const [, used, total, where = ''] = (field.startsWith('filesystem.') && FILL.exec(String(value))) || [];
  if (used === undefined) return value;
  const wasFull = typeof before === 'string' && before.startsWith(FULL);
  return Number(used) > Number(total) * (wasFull ? FULL_UNTIL : 0.9) ? `${FULL}${where}` : where;
}
