import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VirtualMachine, VirtualMachineInstance } from '@yagura/api';
import { unknownFields } from '@yagura/api/validation';
import { parseAllDocuments } from 'yaml';
import { admit, hooks, realise } from './pipeline.testing.ts';

const directory = join(import.meta.dirname, '../../../../examples');
const files = readdirSync(directory).filter((file) => file.endsWith('.yaml'));

interface Document {
  kind: string;
  metadata: { name: string };
}

function documents(file: string): Document[] {
  return parseAllDocuments(readFileSync(join(directory, file), 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Document;
  });
}

/** An instance is let in as it is written, and can be run. */
function runs(vmi: VirtualMachineInstance): void {
  const { after, verdict } = admit(
    vmi,
    hooks['/virtualmachineinstances-mutate'],
    hooks['/virtualmachineinstances-validate-create'],
  );
  expect(verdict).toEqual({ allowed: true });
  realise(after);
}

test.each(files)('%s is let in, and can be run', (file) => {
  const machines = documents(file).filter(({ kind }) => kind.startsWith('VirtualMachine'));
  expect(machines).not.toEqual([]);
  for (const document of machines) {
    if (document.kind === 'VirtualMachineInstance') {
      expect(unknownFields('VirtualMachineInstance', document)).toEqual([]);
      runs(document as unknown as VirtualMachineInstance);
    } else {
      expect(unknownFields('VirtualMachine', document)).toEqual([]);
      const vm = document as unknown as VirtualMachine;
      const { after, verdict } = admit(vm, hooks['/virtualmachines-mutate'], hooks['/virtualmachines-validate']);
      expect(verdict).toEqual({ allowed: true, warnings: [] });
      const { metadata, spec } = after.spec.template;
      runs({ metadata: { name: 'x', ...metadata }, spec } as VirtualMachineInstance);
    }
  }
});

test('examples get along in one namespace', () => {
  const names = files.flatMap(documents).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('the README has a row for each example, and for nothing else', () => {
  const readme = readFileSync(join(directory, 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| \[[^\]]+\]\(([^)]+\.yaml)\)/gm)].map(([, file]) => file);
  expect(rows.sort()).toEqual(files);
});
