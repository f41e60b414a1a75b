import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addService, createServer, Launcher as LauncherService, listenUnix, shutdownServer } from '@yagura/contracts';
import { addIntrospection } from '@yagura/contracts/introspection';
import { aborted, runMain } from '@yagura/runtime';
import { Launcher } from './launcher.ts';
import { writeNodeCapabilities } from './node-capabilities.ts';
import { serveProbes } from './probe/server.ts';
import { handlers } from './rpc/handlers.ts';
import { settingsFrom } from './settings.ts';
import { VERSION } from './version.ts';

await runMain('virt-launcher', async ({ log, signal }) => {
  const [mode, uri, directory] = process.argv.slice(2);
  if (mode === 'node-capabilities') return writeNodeCapabilities(uri ?? '', directory ?? '.', log);
  const settings = settingsFrom(process.env);
  const { paths } = settings;
  // A marker of an earlier launcher of this pod that was told to end and did not live to do so.
  const terminating = await stat(paths.terminating).then(
    () => true,
    () => false,
  );
  const server = createServer();
  const launcher = new Launcher(settings, log, async () => {
    setStatus('NOT_SERVING');
    await launcher.dhcp.stop();
    await shutdownServer(server, 100);
  });
  addService(server, LauncherService, handlers(launcher, new Date()), (method, error) =>
    log.info({ method, code: error.code, error: error.message }, 'call failed'),
  );
  const setStatus = addIntrospection(server, [LauncherService]);
  await mkdir(dirname(paths.socket), { recursive: true });
  await serveProbes(paths.probeSocket, async (request) => launcher.probes.answer(request), log);
  await listenUnix(server, paths.socket);
  log.info({ version: VERSION, socket: paths.socket, terminating }, 'listening');

  // Only PID 1 ends the launcher: SIGTERM means that the guest has to be shut down, which takes its time.
  const never = new AbortController().signal;
  const work = launcher.run(never);
  if (!terminating) await Promise.race([work, aborted(signal)]);
  await launcher.terminate();
  await work;
});
