import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@yagura/runtime';
import { RunRecordFile } from './run-record.ts';
import { SERIAL_LOG_BYTES, SerialLog } from './serial-log.ts';

const privateDirectory = mkdtempSync(join(tmpdir(), 'serial-'));
afterAll(() => rmSync(privateDirectory, { recursive: true }));
const path = join(privateDirectory, 'u/virt-serial0-log');
const PANIC = 'Kernel panic - not syncing: sysrq triggered crash';

/** A launcher's own, with what an earlier one wrote down. */
function serialLog() {
  let changes = 0;
  const record = new RunRecordFile(join(privateDirectory, 'run.json'));
  const serial = new SerialLog({ privateDirectory, record, log: {} as Logger, onChange: () => (changes += 1) });
  return { serial, record, changes: () => changes };
}

test('a full log is set aside, and the one before it is gone', async () => {
  const { serial, record } = serialLog();
  await serial.look();
  record.begin('u', 'default_demo');
  await serial.look();
  expect(serial.view).toBeUndefined();
  mkdirSync(join(privateDirectory, 'u'));
  writeFileSync(path, 'x'.repeat(SERIAL_LOG_BYTES));
  await serial.look();
  expect(existsSync(`${path}.0`)).toBe(false);
  appendFileSync(path, '\n');
  await serial.look();
  expect([statSync(path).size, statSync(`${path}.0`).size]).toEqual([0, SERIAL_LOG_BYTES + 1]);
  appendFileSync(path, `${PANIC}\n`);
  await serial.look();
  expect(serial.view?.panic?.line).toBe(PANIC);
  rmSync(path);
});

test('what a guest said before it was reset is over, also for the next launcher', async () => {
  const { serial, changes } = serialLog();
  writeFileSync(path, `boots\n[  3.1] ${PANIC.slice(0, 20)}`);
  await serial.look();
  expect(serial.view).toMatchObject({ panic: undefined, at: expect.any(Date) });
  appendFileSync(path, `${PANIC.slice(20)}\n`);
  await serial.look();
  await serial.look();
  expect(serial.view?.panic).toMatchObject({ line: PANIC });
  expect(changes()).toBe(1);
  await serial.noteReset();
  appendFileSync(path, 'boots again\n');
  await serial.look();
  const next = serialLog().serial;
  await next.look();
  for (const { view } of [serial, next]) expect(view).toMatchObject({ panic: undefined, goingDownAt: undefined });
  appendFileSync(path, 'reboot: Restarting system\n');
  await next.look();
  expect(next.view?.goingDownAt).toBeInstanceOf(Date);
});
