// A process that uses libvirt and ends in the way that its first argument names; the second is a daemon that hangs.
import { Connection } from '../index.ts';

const [, , how, silentUri] = process.argv;

const connection = await Connection.open('test:///default');
await connection.subscribe(['lifecycle', 'reboot'], () => undefined);
const domain = await connection.lookupByName('test');
await domain.getState();
// Left open on purpose, and with a call that hangs: neither may keep a process alive or crash it.
if (silentUri !== undefined) await Connection.open(silentUri, { timeoutMs: 50 }).catch(() => undefined);

switch (how) {
  case 'drain':
    break;
  case 'close':
    await connection.close();
    break;
  case 'exit':
    void domain.getState();
    process.exit(7);
    break;
  case 'throw':
    setImmediate(() => {
      throw new Error('uncaught on purpose');
    });
    break;
  case 'throw-in-listener':
    await connection.subscribe(['lifecycle'], () => {
      throw new Error('uncaught on purpose');
    });
    await domain.suspend();
    setTimeout(() => undefined, 10_000);
    break;
  case 'reject':
    void connection.lookupByName('nobody');
    break;
  case 'wait':
    setInterval(() => void domain.getState(), 1);
    console.log('waiting');
    break;
  case 'wait-with-handler':
    process.on('SIGTERM', () => process.exit(9));
    setInterval(() => void domain.getState(), 1);
    console.log('waiting');
    break;
  default:
    throw new Error(`unknown way to end: ${how}`);
}
