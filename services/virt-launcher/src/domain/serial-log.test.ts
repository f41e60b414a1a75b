import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@yagura/runtime';
import { SERIAL_LOG_BYTES, SerialLog } from './serial-log.ts';

test('a full log is set aside, and the one before it is gone', async () => {
  const privateDirectory = mkdtempSync(join(tmpdir(), 'serial-'));
  const running: { uid?: string } = {};
  const serial = new SerialLog({ privateDirectory, uid: () => running.uid, log: {} as Logger });
  await serial.rotate();
  running.uid = 'u';
  await serial.rotate();
  mkdirSync(join(privateDirectory, 'u'));
  const path = join(privateDirectory, 'u/virt-serial0-log');
  writeFileSync(path, 'x'.repeat(SERIAL_LOG_BYTES));
  await serial.rotate();
  expect(existsSync(`${path}.0`)).toBe(false);
  appendFileSync(path, 'y');
  await serial.rotate();
  expect([statSync(path).size, statSync(`${path}.0`).size]).toEqual([0, SERIAL_LOG_BYTES + 1]);
  rmSync(privateDirectory, { recursive: true });
});
