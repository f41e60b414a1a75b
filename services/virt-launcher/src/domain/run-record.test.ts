import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunRecordFile } from './run-record.ts';

describe('the record of a run', () => {
  const directory = mkdtempSync(join(tmpdir(), 'record-'));
  const path = join(directory, 'run.json');
  afterAll(() => rmSync(directory, { recursive: true }));

  test('is found again by the next launcher, and begins anew for another instance', () => {
    const first = new RunRecordFile(path);
    expect(first.record).toBeUndefined();
    first.note({ startedAt: 'never kept' });
    expect(first.record).toBeUndefined();
    first.begin('u-1', 'default_demo');
    first.note({ startedAt: 't', agentSeen: true });

    const second = new RunRecordFile(path);
    expect(second.record).toEqual({ uid: 'u-1', name: 'default_demo', startedAt: 't', agentSeen: true });
    second.begin('u-1', 'default_demo');
    expect(second.record?.startedAt).toBe('t');
    second.begin('u-2', 'default_demo');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ uid: 'u-2', name: 'default_demo' });
  });
});
