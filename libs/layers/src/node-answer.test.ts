import { nodeAnswer, nodeObservations } from './node-answer.ts';
import type { Observation } from './observation.ts';

const now = new Date('2026-01-01T00:00:00Z');
const state: Observation = {
  layer: 'domain',
  field: 'state',
  value: 'running',
  source: 'libvirt',
  observedAt: now.toISOString(),
  maxAge: 10,
  freshness: 'live',
};

test('a report of virt-handler is its layers, and that it answers', () => {
  const said = nodeObservations(nodeAnswer('n1', JSON.stringify({ observations: [state] })), 'pods/exec', now);
  expect(said).toEqual([
    expect.objectContaining({ field: 'virt-handler', value: 'answers', source: 'pods/exec', freshness: 'live' }),
    state,
  ]);
});

test.each(['', 'starting', '{}', '{"observations":1}', 'null'])('%j is no report', (body) => {
  expect(nodeObservations(nodeAnswer('n1', body), 'virt-api', now)).toEqual([
    expect.objectContaining({
      field: 'virt-handler',
      value: null,
      freshness: 'never',
      error: expect.stringContaining('n1'),
    }),
  ]);
});

test('who could not be asked is not called silent', () => {
  expect(nodeObservations({ unreachable: 'forbidden' }, 'pods/exec', now)).toEqual([
    expect.objectContaining({ field: 'exec', value: null, freshness: 'never', error: 'forbidden' }),
  ]);
});
