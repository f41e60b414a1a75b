import { type Domain, LibvirtTimeoutError } from '@yagura/libvirt';
import { MonitorProbe } from './monitor-probe.ts';

describe("QEMU's sign of life", () => {
  test('is asked for once by all that ask at the same time', async () => {
    const answer = Promise.withResolvers<void>();
    let asked = 0;
    const domain = async () => ({}) as Domain;
    const ask = async () => {
      asked += 1;
      return answer.promise;
    };
    const probe = new MonitorProbe({ domain, ask }, () => {});
    const both = [probe.probe(), probe.probe()];
    answer.resolve();
    await Promise.all(both);
    expect(asked).toBe(1);
    expect(probe.view.lastAnswer).toBeInstanceOf(Date);
  });

  test('is asked for once while no answer comes, and tells when the silence begins and ends', async () => {
    let control = 'occupied';
    let asked = 0;
    let hangs = true;
    let running = true;
    const domain = { getControlInfo: async () => ({ state: control }) } as unknown as Domain;
    const changes: string[] = [];
    const probe = new MonitorProbe(
      {
        domain: async () => (running ? domain : undefined),
        ask: async () => {
          asked += 1;
          if (hangs) throw new LibvirtTimeoutError('x', 3000, true);
        },
      },
      (type) => changes.push(type),
    );
    await probe.probe();
    await probe.probe();
    await probe.probe();
    expect([asked, probe.silent, changes]).toEqual([1, true, ['monitor-silent']]);
    control = 'ok';
    hangs = false;
    await probe.probe();
    expect([asked, probe.silent, changes]).toEqual([2, false, ['monitor-silent', 'monitor-answers']]);
    expect(probe.view.lastAnswer).toBeInstanceOf(Date);

    probe.noteSilence('by another call');
    running = false;
    await probe.probe();
    expect(probe.silent).toBe(false);
  });
});
