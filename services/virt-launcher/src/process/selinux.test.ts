import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selinuxContext } from './selinux.ts';

test.each([
  ['system_u:system_r:container_t:s0:c1,c2\0', 'system_u:system_r:container_t:s0:c1,c2'],
  ['cri-containerd.apparmor.d (enforce)\n', 'none'],
  ['unconfined\n', 'none'],
  ['', 'none'],
])('label %j → %s', (label, context) => {
  const directory = mkdtempSync(join(tmpdir(), 'label-'));
  writeFileSync(join(directory, 'current'), label);
  expect(selinuxContext(join(directory, 'current'))).toBe(context);
  rmSync(directory, { recursive: true });
  expect(selinuxContext(join(directory, 'current'))).toBe('none');
});
