import fc from 'fast-check';
import { readLines } from './lines.ts';

async function* chunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

test('lines come out whole however the bytes are cut', async () => {
  const line = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.nat(7)), fc.boolean(), async (lines, sizes, ended) => {
      const bytes = Buffer.from(lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));
      const read: string[] = [];
      for await (const text of readLines(chunks(bytes, sizes))) read.push(text);
      expect(read).toEqual(lines.map((text) => Buffer.from(text).toString('utf8')));
    }),
  );
});
