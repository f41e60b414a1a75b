import { imageFormat } from './image-header.ts';

function qcow2({ version = 3, backing = 0n, incompatible = 0n } = {}): Buffer {
  const header = Buffer.alloc(104);
  header.writeUInt32BE(0x514649fb);
  header.writeUInt32BE(version, 4);
  header.writeBigUInt64BE(backing, 8);
  header.writeBigUInt64BE(incompatible, 72);
  return header;
}

describe('the header of a disk image', () => {
  test.each<[string, Buffer, string]>([
    ['an empty file', Buffer.alloc(0), 'raw'],
    ['a boot sector', Buffer.alloc(104, 0x90), 'raw'],
    ['another magic', Buffer.from('KDMV'.padEnd(104, ' ')), 'raw'],
    ['qcow2', qcow2(), 'qcow2'],
    ['qcow2 of version 2, which has no feature bits', qcow2({ version: 2, incompatible: 4n }), 'qcow2'],
    ['qcow2 with the dirty bit', qcow2({ incompatible: 1n }), 'qcow2'],
  ])('of %s', (_, header, format) => {
    expect(imageFormat(header)).toBe(format);
  });

  test('with a backing file is refused', () => {
    expect(() => imageFormat(qcow2({ backing: 8n }))).toThrow('backing file');
  });

  test('with an external data file is refused', () => {
    expect(() => imageFormat(qcow2({ incompatible: 5n }))).toThrow('external data file');
  });
});
