/** Longest path that fits a Unix socket address; the kernel cuts a longer one without an error. */
export const MAX_SOCKET_PATH = 107;

/** grpc-js's address of a Unix socket. Throws when the path is relative or too long to be the one it names. */
export function unixAddress(path: string): string {
  if (!path.startsWith('/')) throw new Error(`socket path ${path} is not absolute`);
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_SOCKET_PATH) {
    throw new Error(
      `socket path ${path} is ${bytes} bytes long, more than the ${MAX_SOCKET_PATH} that a Unix socket can have`,
    );
  }
  return `unix:${path}`;
}
