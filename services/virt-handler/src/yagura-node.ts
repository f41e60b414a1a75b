// yagura-node layers NAMESPACE/NAME: what this node's virt-handler says of an instance. Run inside its container.
import { getLocal } from './rest/local-client.ts';
import { LOCAL_SOCKET } from './rest/local-socket.ts';

const [action, name, ...rest] = process.argv.slice(2);
const [namespace, instance, more] = (name ?? '').split('/');
if (action !== 'layers' || !namespace || !instance || more !== undefined || rest.length > 0) {
  console.error('usage: yagura-node layers NAMESPACE/NAME');
  process.exit(2);
}
const path = `/v1/namespaces/${encodeURIComponent(namespace)}/virtualmachineinstances/${encodeURIComponent(instance)}/layers`;
try {
  process.stdout.write(await getLocal(process.env['LOCAL_SOCKET'] || LOCAL_SOCKET, path));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
