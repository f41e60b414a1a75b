// Makes many calls of the kind its argument names and prints how its memory grew, in KiB: after a warm-up, and after more.
import { readFileSync } from 'node:fs';
import { Connection } from '../index.ts';
import { native } from '../native.ts';

const [, , uri = 'test:///default', count = '10000'] = process.argv;
const connection = await Connection.open(uri);

function residentKiB(): number {
  globalThis.gc?.();
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

async function churn(calls: number): Promise<void> {
  for (let i = 0; i < calls; i++) {
    // All groups make libvirt ask QEMU, which takes its time.
    await connection.getAllDomainStats(i % 10 === 0 ? [] : ['state']);
    if (i % 10 === 0) {
      // Handles that are never closed: the collector must give them back.
      await connection.listAllDomains();
      await connection.lookupByName('nobody').catch(() => undefined);
    }
    if (i % 100 === 0) await (await Connection.open('test:///default')).close();
  }
}

await churn(Number(count) / 5);
const before = residentKiB();
await churn(Number(count));
const after = residentKiB();
await new Promise((resolve) => setImmediate(resolve));
globalThis.gc?.();
await new Promise((resolve) => setImmediate(resolve));
console.log(JSON.stringify({ before, after, ...native().counts() }));
