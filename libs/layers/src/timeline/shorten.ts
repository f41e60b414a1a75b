import type { JsonValue } from '../observation.ts';

/** Characters of a value that are kept, as JSON. */
const VALUE = 300;
/** The same of a text: a message, an error. */
const TEXT = 400;

/** The value, or the beginning of its JSON text where it is long. */
export function shortValue(value: JsonValue): JsonValue {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= VALUE ? value : `${text.slice(0, VALUE)}…`;
}

export function shortText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= TEXT ? line : `${line.slice(0, TEXT)}…`;
}
