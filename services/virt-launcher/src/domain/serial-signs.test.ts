import fc from 'fast-check';
import { SerialReader } from './serial-signs.ts';

const PANIC = '[   12.345678] Kernel panic - not syncing: sysrq triggered crash\r\n';

test.each([
  ['[    9.1] reboot: Restarting system\r\n', true],
  ['[    9.1] reboot: Power down\r\n', true],
  ['[  OK  ] Reached target \x1b[0;1;39mreboot.target\x1b[0m - System Reboot.\r\n', true],
  ['The system is going down NOW!\r\n', true],
  ['[    0.0] Command line: console=ttyS0 panic=1 reboot=k\r\n', false],
  // It stays where it is.
  ['[    9.1] reboot: System halted\r\n', false],
  ['demo login: ', false],
])('%j: going down %s', (text, goingDown) => {
  expect(new SerialReader().read(text)).toEqual({ panic: undefined, goingDown, booted: false });
});

test.each([PANIC, `[   3.2][    C1] ${PANIC.slice(15)}`, PANIC.slice(15)])('%j is a panic', (text) => {
  expect(new SerialReader().read(`x\r\n${text}`).panic).toBe('Kernel panic - not syncing: sysrq triggered crash');
});

test('an old log that somebody shows is none', () => {
  expect(new SerialReader().read(`Nov 30 12:00:00 demo kernel: ${PANIC}`).panic).toBeUndefined();
});

test('a kernel that begins is another run', () => {
  const text = `${PANIC}[   12.5] reboot: Restarting system\r\n[    0.000000] Linux version 6.12.0\r\n`;
  expect(new SerialReader().read(text)).toEqual({ panic: undefined, goingDown: false, booted: true });
});

test('what a guest writes costs no more than its length', () => {
  const began = performance.now();
  for (const text of ['[]\n'.repeat(21_000), '[]'.repeat(32_000), 'Reached target '.repeat(4_300)])
    new SerialReader().read(text);
  expect(performance.now() - began).toBeLessThan(1_000);
});

test('a panic is seen wherever its line is cut in two', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: PANIC.length }), (cut) => {
      const reader = new SerialReader();
      const text = `noise\r\n${PANIC}`;
      const seen = [text.slice(0, cut), text.slice(cut)].map((piece) => reader.read(piece).panic);
      return seen.some((panic) => panic === 'Kernel panic - not syncing: sysrq triggered crash');
    }),
  );
});

test('after a reset the rest of a line is forgotten', () => {
  const reader = new SerialReader();
  reader.read('Kernel panic - not ');
  reader.reset();
  expect(reader.read('syncing').panic).toBeUndefined();
});
