import { list, tryKubectl } from '../e2e/support/cluster.ts';
import { freshNamespace } from '../e2e/support/machines.ts';
import { type Life, live } from './life.ts';
import { type Component, type Crash, patchIn, patchOut, Victim } from './patched.ts';

// virt-controller and virt-handler are killed at every write, call and command of a machine's life in turn, before it goes
// out and after it has come back: what the life comes to is the same all the same. CRASH_EVERY=n takes every nth point;
// `npm run test:crash` all of them.
const EVERY = Number(process.env['CRASH_EVERY'] ?? 1);
const HOURS = 3_600_000;

interface Node {
  metadata: { name: string };
}

/** A life with one death in it. */
async function dyingAt(victim: Victim, namespace: string, node: string, crash: Crash, expected?: Life) {
  await victim.arm(`${namespace}-${crash.at}-${crash.when}-${Date.now()}`, `/namespaces/${namespace}/`, crash);
  const outcome: Life | { error: string } = await live(namespace, node, expected).catch((error: unknown) => ({
    error: String(error),
  }));
  const written = await victim.disarm();
  if ('error' in outcome) await freshNamespace(namespace);
  return { crash, outcome, ...written };
}

/** Every point of a component on one node: what differed from the life without a death, and how many deaths there were. */
async function everyPoint(component: Component, namespace: string, node: string) {
  await freshNamespace(namespace);
  const victim = await Victim.find(component, component === 'virt-handler' ? node : undefined);
  const undisturbed = await dyingAt(victim, namespace, node, { at: 0, when: 'before' });
  console.log(
    `${component}: ${undisturbed.points.length} points, every ${EVERY} of them:\n${undisturbed.points.join('\n')}\n${JSON.stringify(undisturbed.outcome)}`,
  );
  if ('error' in undisturbed.outcome) throw new Error(`the life without a death: ${undisturbed.outcome.error}`);
  const life = undisturbed.outcome;
  const differing: unknown[] = [];
  const deaths: string[] = [];
  // At every point once before and once after; a part takes the two in turn.
  let whens: Crash['when'][] = ['before', 'after'];
  for (let at = 1; ; at += EVERY) {
    // All of them: until a life does not get so far. A sample has enough with what the first life had.
    if (EVERY > 1 && at > undisturbed.points.length) break;
    let isReached = false;
    for (const when of EVERY === 1 ? whens : whens.slice(0, 1)) {
      const { outcome, fired } = await dyingAt(victim, namespace, node, { at, when }, life);
      isReached ||= fired.length > 0;
      deaths.push(...fired);
      process.stderr.write(`${component} ${at} ${when}: ${fired.join(' ') || 'not reached'}\n`);
      if (JSON.stringify(outcome) !== JSON.stringify(life)) differing.push({ at, when, fired, outcome });
    }
    whens = whens.toReversed();
    if (!isReached) break;
  }
  await tryKubectl(undefined, 'delete', 'namespace', namespace, '--wait=false');
  return { undisturbed: life, differing, deaths };
}

let node: string;

beforeAll(async () => {
  node = (await list<Node>('nodes')).at(-1)?.metadata.name ?? '';
}, 60_000);

describe.each<Component>(['virt-controller', 'virt-handler'])('%s', (component) => {
  beforeAll(() => patchIn(component), 240_000);
  afterAll(() => patchOut(component), 240_000);

  test(
    'is killed at any of its points, and all comes to the same end',
    async () => {
      const { undisturbed, differing, deaths } = await everyPoint(component, `crash-${component}`, node);
      expect(undisturbed).toMatchObject({ most: { qemus: 1, pods: 1 } });
      expect(differing).toEqual([]);
      expect(deaths.length).toBeGreaterThan(0);
    },
    4 * HOURS,
  );
});
