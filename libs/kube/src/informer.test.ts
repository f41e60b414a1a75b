import { Informer } from './informer.ts';
import type { KubeObject } from './objects.ts';
import { defineResource } from './resources.ts';

test('the answer to a write of ours is trimmed as what the watch brings', () => {
  const things = defineResource<KubeObject & { spec?: object }>('example.io/v1', 'Thing', 'things');
  const informer = new Informer<KubeObject & { spec?: object }>({} as never, things, {
    transform: ({ spec: _, ...rest }) => rest,
  });
  informer.observe({ metadata: { namespace: 'ns', name: 'a', resourceVersion: '2' }, spec: { large: true } });
  expect(informer.store.get('ns/a')).toEqual({ metadata: { namespace: 'ns', name: 'a', resourceVersion: '2' } });
});
