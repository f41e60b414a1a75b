import fc from 'fast-check';
import type { KubeObject } from './objects.ts';
import { Store } from './store.ts';

const byColour = (object: KubeObject) => [object.metadata?.labels?.['colour'] ?? 'none'];
const make = (name: string, uid: string, version: number, colour = 'none'): KubeObject => ({
  metadata: { namespace: 'n', name, uid, resourceVersion: String(version), labels: { colour } },
});

test('an older version never replaces a newer one, and the same version is no change', () => {
  const store = new Store();
  store.upsert(make('a', 'u', 9));
  expect(store.upsert(make('a', 'u', 8))).toEqual([]);
  expect(store.upsert(make('a', 'u', 9))).toEqual([]);
  // As numbers, not as text.
  expect(store.upsert(make('a', 'u', 10)).map((change) => change.type)).toEqual(['updated']);
});

test('the late deletion of a predecessor does not remove its successor', () => {
  const store = new Store();
  store.upsert(make('a', 'new', 2));
  expect(store.remove(make('a', 'old', 1))).toEqual([]);
  expect(store.get('n/a')?.metadata?.uid).toBe('new');
});

test('the late answer to a write does not bring a deleted object back, but a newer version of it does', () => {
  const store = new Store();
  store.upsert(make('a', 'u', 5));
  store.remove(make('a', 'u', 7));
  expect(store.upsert(make('a', 'u', 6))).toEqual([]);
  expect(store.upsert(make('a', 'u', 7))).toEqual([]);
  // Left the selection of the watch and came back.
  expect(store.upsert(make('a', 'u', 8)).map((change) => change.type)).toEqual(['added']);
});

test('asking for an index that was never declared is a mistake', () => {
  expect(() => new Store().byIndex('byNode', 'x')).toThrow('no index named byNode');
});

test('indexes and content agree with a plain map after any history, and the changes replay it', () => {
  const names = fc.constantFrom('a', 'b', 'c');
  const uids = fc.constantFrom('u1', 'u2');
  const colours = fc.constantFrom('red', 'green');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('upsert' as const), name: names, uid: uids, colour: colours }),
    fc.record({ kind: fc.constant('remove' as const), name: names }),
    fc.record({ kind: fc.constant('replace' as const), names: fc.uniqueArray(names), uid: uids, colour: colours }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const store = new Store({ byColour });
      const model = new Map<string, KubeObject>();
      const replayed = new Map<string, KubeObject>();
      let version = 0;
      for (const action of steps) {
        version += 1;
        const changes = (() => {
          if (action.kind === 'upsert') {
            const object = make(action.name, action.uid, version, action.colour);
            model.set(`n/${action.name}`, object);
            return store.upsert(object);
          }
          if (action.kind === 'remove') {
            const old = model.get(`n/${action.name}`) ?? make(action.name, 'u1', version);
            model.delete(`n/${action.name}`);
            return store.remove(old);
          }
          const objects = action.names.map((name) => make(name, action.uid, version, action.colour));
          model.clear();
          for (const object of objects) model.set(`n/${object.metadata?.name}`, object);
          return store.replace(objects);
        })();
        for (const { type, object } of changes) {
          const key = `n/${object.metadata?.name}`;
          if (type === 'deleted') replayed.delete(key);
          else replayed.set(key, object);
        }
        const sorted = (objects: Iterable<KubeObject>) =>
          [...objects].sort((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''));
        expect(sorted(store.list())).toEqual(sorted(model.values()));
        expect(sorted(replayed.values())).toEqual(sorted(model.values()));
        for (const colour of ['red', 'green', 'none'])
          expect(sorted(store.byIndex('byColour', colour))).toEqual(
            sorted([...model.values()].filter((object) => byColour(object)[0] === colour)),
          );
      }
    }),
  );
});
