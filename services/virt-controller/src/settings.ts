import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';

export interface Settings {
  namespace: string;
  identity: string;
  launcherImage: string;
  port: number;
  version: string;
  /** A virt-handler that has not been heard of for so long is not there. */
  heartbeatTimeoutMs: number;
}

/** @param env as documented in the README */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const launcherImage = env['LAUNCHER_IMAGE'];
  if (!launcherImage) throw new Error('LAUNCHER_IMAGE is not set: it names the image that launcher pods run');
  const port = Number(env['PORT'] ?? 8443);
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error(`PORT is "${env['PORT']}": not a TCP port`);
  return {
    namespace: env['POD_NAMESPACE'] || 'yagura',
    // A container that restarts in its pod may go on at once; two processes of one machine must never share a name.
    identity: env['POD_NAME'] || `${hostname()}_${randomUUID()}`,
    launcherImage,
    port,
    heartbeatTimeoutMs: seconds(env, 'HEARTBEAT_TIMEOUT_SECONDS', 300) * 1000,
    version: env['YAGURA_VERSION'] || versionOfPackage(),
  };
}

/** There is a package.json only where the sources are run; an image has none. */
function seconds(env: Record<string, string | undefined>, name: string, otherwise: number): number {
  const value = Number(env[name] || otherwise);
  if (!Number.isFinite(value) || value <= 0)
    throw new Error(`${name} is "${env[name]}": not a number of seconds above zero`);
  return value;
}

function versionOfPackage(): string {
  const path = new URL('../package.json', import.meta.url);
  if (!existsSync(path)) throw new Error('YAGURA_VERSION is not set: it names the version that is installed');
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
