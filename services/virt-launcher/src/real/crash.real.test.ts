import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { idleMachine } from './guest.ts';
import type { Pod } from './pod.ts';
import { domainOf, endOf, real, SYNC, until, withPod } from './testing.ts';

// The launcher is killed at every call of libvirt and every command in turn, before and after it: what a life comes to is
// the same all the same, with one QEMU. `npm test` takes every 10th of them, before and after in turn, `npm run test:crash` (CRASH_EVERY=1) all, both ways.
const EVERY = Number(process.env['CRASH_EVERY'] ?? 10);
const PRELOAD = fileURLToPath(new URL('../../../../test/crash/crash-at.mjs', import.meta.url));

type When = 'before' | 'after';

/** QEMUs that run a guest, not those that libvirt asks what they can do. */
function guests(pod: Pod): number[] {
  return pod.pids('qemu-system-x86_64').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('guest=');
    } catch {
      return false;
    }
  });
}

/** A machine that starts, is paused, goes on, is killed, and whose pod ends; each call repeated until it succeeds, as virt-handler does. */
async function life(crash: { at: number; when: When }) {
  const directory = mkdtempSync('/tmp/yvl-crash-');
  chmodSync(directory, 0o777);
  writeFileSync(join(directory, 'arm.json'), JSON.stringify({ id: 'life', ...crash }));
  chmodSync(join(directory, 'arm.json'), 0o666);
  const read = (name: string): string[] => {
    appendFileSync(join(directory, name), '');
    return readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean);
  };
  const stations: unknown[] = [];
  const seen = new Set<number>();
  let error: string | undefined;
  try {
    await withPod(
      async (pod) => {
        const watch = setInterval(() => guests(pod).forEach((pid) => seen.add(pid)), 100);
        const done = async (what: string, call: () => Promise<unknown>) => {
          await until(what, 60_000, async () => call().then(() => true));
          await delay(50);
          const { state, stateReason } = await until('the domain is told', 20_000, async () => {
            const domain = await domainOf(pod);
            return domain.libvirt?.connected && domain;
          });
          stations.push({ what, state, stateReason, guests: guests(pod).length });
        };
        try {
          await done('sync', async () => pod.calls.syncVirtualMachine(idleMachine(), SYNC));
          await done('pause', async () => pod.calls.pauseVirtualMachine({}));
          await done('unpause', async () => pod.calls.unpauseVirtualMachine({}));
          await until('killed', 30_000, async () =>
            pod.calls.killVirtualMachine({}, { timeoutMs: 15_000 }).then(
              () => true,
              async () => (await domainOf(pod)).end,
            ),
          );
          const { outcome, podTerminating } = await endOf(pod, 20_000);
          stations.push({ what: 'end', outcome, podTerminating, guests: guests(pod).length });
          void pod.calls.deleteVirtualMachine({}).catch(() => {});
          const code = await until('the pod ends', 30_000, async () => {
            if (pod.exitCode === undefined) void pod.calls.deleteVirtualMachine({}).catch(() => {});
            return pod.exitCode !== undefined && { exitCode: pod.exitCode };
          });
          stations.push({ what: 'pod', ...code, lastWords: JSON.parse(pod.terminationMessage) as unknown });
        } finally {
          clearInterval(watch);
        }
      },
      { CRASH_DIR: directory, NODE_OPTIONS: `--import=${PRELOAD}` },
    ).catch((reason: unknown) => {
      const { message, cause } = reason as Error;
      error = `${message}: ${String(cause)}`;
    });
    return { stations, qemus: seen.size, error, points: read('points'), fired: read('fired') };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

real('a launcher that is killed at any of its points', () => {
  test(
    'comes to the same end',
    async () => {
      const undisturbed = await life({ at: 0, when: 'before' });
      expect(undisturbed).toMatchObject({ qemus: 1, error: undefined });
      console.log(`${undisturbed.points.length} points, every ${EVERY} of them:\n${undisturbed.points.join('\n')}`);
      const crashed: string[] = [];
      const differing: unknown[] = [];
      let whens: When[] = ['before', 'after'];
      for (let at = 1; ; at += EVERY) {
        // All of them: until a life does not get so far. A sample has enough with what the first life had.
        if (EVERY > 1 && at > undisturbed.points.length) break;
        let reached = false;
        for (const when of EVERY === 1 ? whens : whens.slice(0, 1)) {
          const { fired, ...outcome } = await life({ at, when });
          reached ||= fired.length > 0;
          crashed.push(...fired);
          const { stations, qemus, error } = outcome;
          if (qemus !== 1 || error || JSON.stringify(stations) !== JSON.stringify(undisturbed.stations)) {
            differing.push({ at, when, fired, ...outcome });
          }
        }
        whens = whens.toReversed();
        if (!reached) break;
      }
      console.log(`killed ${crashed.length} times:\n${crashed.join('\n')}`);
      expect(differing).toEqual([]);
      expect(crashed.length).toBeGreaterThanOrEqual(Math.floor(undisturbed.points.length / EVERY));
    },
    3_600_000 / EVERY,
  );
});
