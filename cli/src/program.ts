import { Command } from 'commander';
import { addConsole } from './commands/console.ts';
import { addDiagnose } from './commands/diagnose.ts';
import { addExpand } from './commands/expand.ts';
import { addGrpc } from './commands/grpc.ts';
import { addGuest } from './commands/guest.ts';
import { addLayers } from './commands/layers.ts';
import { addPortForward } from './commands/port-forward.ts';
import { addPower } from './commands/power.ts';
import { addScreenshot } from './commands/screenshot.ts';
import { addSsh } from './commands/ssh.ts';
import { addTimeline } from './commands/timeline.ts';
import { addVersion, CLI_VERSION } from './commands/version.ts';
import { addVnc } from './commands/vnc.ts';
import { type CliContext, type ConnectOptions, cliContext } from './context.ts';

/** The whole command line. `name` is how it was called: as `kubectl-yagura` it is kubectl's plugin `kubectl yagura`. */
export function program(name: string, signal: AbortSignal, overrides: Partial<CliContext> = {}): Command {
  const root = new Command()
    .name(name === 'kubectl-yagura' ? 'kubectl yagura' : 'yagura')
    .description('Virtual machines on Kubernetes: what runs, and which layer says so.')
    .version(CLI_VERSION, '-V, --version')
    .option('--kubeconfig <file>', 'default: $KUBECONFIG, then ~/.kube/config')
    .option('--context <name>', 'of the kubeconfig')
    .enablePositionalOptions()
    .showHelpAfterError('(--help tells more)');
  const context = { ...cliContext(() => root.opts<ConnectOptions>(), signal), ...overrides };
  addLayers(root, context);
  addDiagnose(root, context);
  addTimeline(root, context);
  addPower(root, context);
  addConsole(root, context);
  addVnc(root, context);
  addScreenshot(root, context);
  addPortForward(root, context);
  addSsh(root, context);
  addGuest(root, context);
  addExpand(root, context);
  addGrpc(root, context);
  addVersion(root, context);
  return root;
}
