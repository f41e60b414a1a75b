import { createDisplay, seconds } from './display.ts';

test.each([
  [0, '0.0 s'],
  [3_449, '3.4 s'],
  [59_949, '59.9 s'],
  [60_000, '1 min 00 s'],
  [307_200, '5 min 07 s'],
])('%d ms are shown as %s', (ms, text) => expect(seconds(ms)).toBe(text));

test('without a terminal each step is one line, when it ends', () => {
  let now = 0;
  const written: string[] = [];
  const display = createDisplay({ write: (text) => written.push(text) }, () => now);
  const etcd = display.start('etcd');
  const nodes = display.start('nodes');
  now = 1500;
  nodes.note('1 of 2');
  nodes.done('node-a, node-b');
  now = 2000;
  etcd.failed('failed');
  display.close();
  expect(written).toEqual([
    '✔ nodes                                     1.5 s   node-a, node-b\n',
    '✘ etcd                                      2.0 s   failed\n',
  ]);
});

test('on a terminal what is at work stays below what is done, within its width', () => {
  const written: string[] = [];
  const out = { isTTY: true, columns: 40, write: (text: string) => written.push(text) };
  const display = createDisplay(out, () => 0);
  const slow = display.start('slow');
  slow.note('a remark that is much too long for this terminal');
  display.start('quick').done(undefined);
  display.close();
  const last = written.at(-2) ?? '';
  expect(last).toContain('\x1b[2A\x1b[0J');
  const lines = last.split('\n');
  expect(lines[0]).toContain('quick');
  expect(lines[1]).toMatch(/^⠋ slow .{1,33}$/);
  expect(lines[1]?.length).toBeLessThan(40);
});
