import { type Load, measureLoad } from '../load/measure.ts';

// A small part of `npm run test:load`.
const COUNT = 6;
let load: Load;

beforeAll(async () => {
  load = await measureLoad(COUNT, 96, { withinMs: 240_000, withFloor: false });
}, 420_000);

test('machines created at once all run and have their agent', () => {
  expect({ running: load.running.length, agent: load.agent.length }).toEqual({ running: COUNT, agent: COUNT });
});

test('none runs twice, none is warned of', () => {
  expect(load.doubles).toEqual([]);
  expect(load.warnings).toEqual([]);
});

test('each is written four times at most until it runs with its agent', () => {
  expect(Math.max(...load.writes)).toBeLessThanOrEqual(4);
});
