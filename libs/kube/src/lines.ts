/** Splits a byte stream at newlines. Bytes, not text, are searched: a UTF-8 sequence can straddle two chunks. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  for await (const chunk of source) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = buffer.indexOf(0x0a); end >= 0; end = buffer.indexOf(0x0a, start)) {
      pending.push(buffer.subarray(start, end));
      const line = Buffer.concat(pending).toString('utf8');
      pending = [];
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start < buffer.length) pending.push(buffer.subarray(start));
  }
  const rest = Buffer.concat(pending).toString('utf8');
  if (rest !== '') yield rest;
}
