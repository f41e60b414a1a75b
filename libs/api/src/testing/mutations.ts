import fc, { type Arbitrary } from 'fast-check';
import { ENUMERATED } from './words.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values of other types, at and beyond the edges of what a number, a name or a quantity may be. */
const ODD: readonly Json[] = [
  ...[null, true, false, [], {}, [[]], [null], { '': '' }],
  ...[0, -1, 1, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e300, 65_536],
  ...['', ' ', 'x'.repeat(300), 'Ünïcödé', '🦄', 'a\u0000b', '\u001b[0m', '\ud800', '../../etc', '/', '-', '.', 'a/b'],
  ...['1e1.5', '9'.repeat(400), '-1Gi', '1E999', '0', '+1Gi', '1Ki', '.5', 'constructor', '__proto__', '<a>&"\'</a>'],
];

/** One structural change: to the type of a value, its absence, its number, or its place. */
interface Mutation {
  pick: number;
  other: number;
  kind: (typeof KINDS)[number];
  value: Json;
}

const KINDS = ['set', 'set', 'set', 'remove', 'duplicate', 'empty', 'wrap', 'copy', 'add'] as const;

const mutation: Arbitrary<Mutation> = fc.record({
  pick: fc.nat(),
  other: fc.nat(),
  kind: fc.constantFrom(...KINDS),
  value: fc.oneof(
    { arbitrary: fc.constantFrom(...ODD), weight: 3 },
    { arbitrary: fc.constantFrom<Json>(...ENUMERATED), weight: 3 },
    { arbitrary: fc.jsonValue({ maxDepth: 2 }) as Arbitrary<Json>, weight: 1 },
  ),
});

/** The object with a few things about it changed for the worse, or for no reason. */
export function mutated<T extends object>(objects: readonly T[], most = 3): Arbitrary<T> {
  return fc
    .record({ of: fc.constantFrom(...objects), mutations: fc.array(mutation, { minLength: 1, maxLength: most }) })
    .map(({ of, mutations }) => mutations.reduce((object, each) => mutate(object, each), copyOf(of as unknown as Json)))
    .map((object) => object as unknown as T);
}

interface Place {
  parent: Json[] | { [name: string]: Json };
  key: string;
}

function mutate(object: Json, { pick, other, kind, value }: Mutation): Json {
  const places = [...placesIn(object)];
  const place = places[pick % Math.max(1, places.length)];
  if (place === undefined) return object;
  const at = read(place);
  switch (kind) {
    case 'set':
      write(place, value);
      break;
    case 'remove':
      if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1);
      else delete place.parent[place.key];
      break;
    case 'duplicate':
      if (Array.isArray(place.parent)) place.parent.push(copyOf(at));
      break;
    case 'empty':
      write(place, Array.isArray(at) ? [] : typeof at === 'object' ? {} : '');
      break;
    case 'wrap':
      write(place, [at]);
      break;
    case 'copy': {
      const from = places[other % places.length];
      if (from) write(place, copyOf(read(from)));
      break;
    }
    case 'add':
      if (typeof at === 'object' && at !== null && !Array.isArray(at)) write({ parent: at, key: String(value) }, value);
      break;
  }
  return object;
}

/** Every member and element, the deep ones too. */
function* placesIn(value: Json): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const place = { parent: value, key };
    yield place;
    yield* placesIn(read(place));
  }
}

function read({ parent, key }: Place): Json {
  return (parent as Record<string, Json>)[key] ?? null;
}

/** Defined, not assigned: a member may be called `__proto__`. */
function write({ parent, key }: Place, value: Json): void {
  Object.defineProperty(parent, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Of this realm, so that a failing one can be printed. */
function copyOf(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
