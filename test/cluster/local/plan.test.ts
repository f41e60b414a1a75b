import fc from 'fast-check';
import { parseMemTotal, planNodes, reservedFor } from './plan.ts';

test('nodes have names, addresses and cables of their own, within what the kernel takes', () => {
  const nodes = planNodes(9);
  expect(nodes[0]).toEqual({
    name: 'node-a',
    ip: '10.89.123.11',
    podCidr: '10.244.1.0/24',
    mac: '02:79:67:72:00:0b',
    link: 'ygr-node-a',
    lanLink: 'ygr1-node-a',
  });
  for (const key of ['name', 'ip', 'podCidr', 'mac', 'link', 'lanLink'] as const)
    expect(new Set(nodes.map((node) => node[key])).size).toBe(9);
  for (const node of nodes) expect(Math.max(node.link.length, node.lanLink.length)).toBeLessThanOrEqual(15);
});

test.each([0, 10, 1.5, Number.NaN])('%d nodes are refused', (count) => {
  expect(() => planNodes(count)).toThrow('1 to 9');
});

test('what the kubelets leave allocatable sums to the machine, in near-equal shares', () => {
  const machines = fc.record({
    milliCpu: fc.integer({ min: 1, max: 512_000 }),
    memoryKi: fc.integer({ min: 1, max: 2 ** 40 }),
  });
  fc.assert(
    fc.property(machines, fc.integer({ min: 1, max: 9 }), (machine, count) => {
      const left = Array.from({ length: count }, (_, index) => {
        const reserved = reservedFor(machine, count, index);
        return { milliCpu: machine.milliCpu - reserved.milliCpu, memoryKi: machine.memoryKi - reserved.memoryKi };
      });
      for (const key of ['milliCpu', 'memoryKi'] as const) {
        const shares = left.map((share) => share[key]);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(machine[key]);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('the machine has the memory that the kernel says', () => {
  expect(parseMemTotal('MemTotal:       24684084 kB\nMemFree:        1 kB\n')).toBe(24_684_084);
  expect(() => parseMemTotal('')).toThrow('MemTotal');
});
