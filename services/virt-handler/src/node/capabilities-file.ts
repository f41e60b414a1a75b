import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NODE_CAPABILITIES_FILE, type NodeCapabilities } from '@yagura/api';
import { errorMessage, type Logger } from '@yagura/runtime';

/** What the launcher's image has found out about this node before we began; undefined when it left nothing. */
export async function readNodeCapabilities(directory: string, log: Logger): Promise<NodeCapabilities | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, NODE_CAPABILITIES_FILE), 'utf8')) as NodeCapabilities;
  } catch (error) {
    log.warn({ reason: errorMessage(error) }, 'what guests can be on this node is not known, so it is not labelled');
    return undefined;
  }
}
