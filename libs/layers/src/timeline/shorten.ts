import type { JsonValue } from '../observation.ts';
import { oneLine, printable } from '../one-line.ts';

/** Characters of a value that are kept, as JSON. */
const VALUE = 300;
/** The same of a text: a message, an error. */
const TEXT = 400;

/** The value, or the beginning of its JSON text where it is long. */
export function shortValue(value: JsonValue): JsonValue {
  const clean = printed(value);
  const text = typeof clean === 'string' ? clean : JSON.stringify(clean);
  return text.length <= VALUE ? clean : `${text.slice(0, VALUE)}…`;
}

export function shortText(text: string): string {
  const line = oneLine(text);
  return line.length <= TEXT ? line : `${line.slice(0, TEXT)}…`;
}

function printed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(printed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [printable(key), printed(inner)]));
}
