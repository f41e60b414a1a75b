import type { IncomingMessage } from 'node:http';
import { badRequest, StatusError } from './status.ts';

/** The API server's own limit on a request is 3 MiB; an AdmissionReview carries up to two objects. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** The whole body as text; a longer one than the API server would send is refused. */
export async function readBody(request: IncomingMessage, limit = MAX_BODY_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new StatusError(413, `the body is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A JSON object; an empty body is an empty one, as option bodies may be left out. */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = (await readBody(request)).trim();
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(`the body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw badRequest('the body must be a JSON object');
  return value as Record<string, unknown>;
}
