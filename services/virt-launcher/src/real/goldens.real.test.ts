import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@yagura/libvirt';
import type { Pod } from './pod.ts';
import { real, withPod } from './testing.ts';

// The converter's golden files, put before the real libvirt: its schema, its own checks, and QEMU where a golden needs
// nothing but QEMU. The image's newer libvirt is put to the same question by the end-to-end test of the devices.
const GOLDENS = join(import.meta.dirname, '../../../../libs/domain/goldens');
const UID = '11111111-2222-3333-4444-555555555555';

/** What an older libvirt does not know yet. */
const SINCE: Record<string, number> = {
  'hyperv-tlbflush': 11_000_000,
  'io-threads-pool': 10_000_000,
  'panic-pvpanic': 10_000_000,
};

/** Only defined where there is an emulator of it. */
const TPM = existsSync('/usr/bin/swtpm');

/** Needs of a golden that this machine does not meet: images, taps, firmware, huge pages, a TPM emulator, KVM. */
const NOT_STARTED = /<disk |<interface |<kernel>|pflash|<hugepages>|<tpm |host-passthrough|<hyperv/;

function golden(name: string, pod: Pod): string {
  const xml = readFileSync(join(GOLDENS, name), 'utf8').replaceAll('/var/run/kubevirt-private', privateOf(pod));
  // No test has KVM. A host model is then nothing that could be started, but it can be defined.
  return xml.replace('<domain type="kvm">', '<domain type="qemu">');
}

const privateOf = (pod: Pod) => join(pod.root, 'var/run/kubevirt-private');

async function connect(pod: Pod): Promise<Connection> {
  return Connection.open(`qemu:///session?socket=${pod.root}/var/run/libvirt/libvirt-sock`, { callTimeoutMs: 30_000 });
}

real('the golden domains', () => {
  test('obey the schema of libvirt, and what needs nothing but QEMU starts', async () => {
    await withPod(async (pod) => {
      const directory = join(privateOf(pod), UID);
      mkdirSync(directory);
      execFileSync('chown', ['107:107', directory]);
      const connection = await connect(pod);
      try {
        const version = await connection.getLibVersion();
        const problems: string[] = [];
        let started = 0;
        for (const file of readdirSync(GOLDENS).sort()) {
          const name = file.replace('.xml', '');
          if (version < (SINCE[name] ?? 0) || (name === 'tpm' && !TPM)) continue;
          const xml = golden(file, pod);
          try {
            const domain = await connection.defineXML(xml, ['validate']);
            if (!NOT_STARTED.test(xml)) {
              await domain.create(['paused']);
              await domain.destroy();
              started += 1;
            }
            await domain.undefine(['nvram']);
          } catch (error) {
            problems.push(`${name}: ${(error as Error).message}`);
          }
        }
        expect(problems).toEqual([]);
        expect(started).toBeGreaterThan(10);
      } finally {
        await connection.close();
      }
    });
  }, 240_000);
});
