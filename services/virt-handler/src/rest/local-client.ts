import { request } from 'node:http';

/** virt-handler asks a launcher for two seconds at most. */
export const LOCAL_TIMEOUT_MS = 3_000;

/** The body of a GET on virt-handler's socket. Rejects with what is wrong: no answer in time, or its words. */
export async function getLocal(socketPath: string, path: string, timeoutMs = LOCAL_TIMEOUT_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const fail = (error: NodeJS.ErrnoException) => {
      if (deadline.aborted) reject(new Error(`no answer within ${timeoutMs / 1000} s`, { cause: error }));
      else if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
        reject(new Error(`nobody listens at ${socketPath}: it is starting, or has ended`, { cause: error }));
      else reject(error);
    };
    const outgoing = request({ socketPath, path, signal: deadline }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('error', fail);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`answers ${response.statusCode}: ${messageOf(body)}`));
      });
    });
    outgoing.on('error', fail).end();
  });
}

function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // Plain text is the message itself.
  }
  return body.trim();
}
