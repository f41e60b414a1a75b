import { Command } from 'commander';
import { addGrpc } from './commands/grpc.ts';
import { addGuest } from './commands/guest.ts';
import { addLayers } from './commands/layers.ts';
import { addPower } from './commands/power.ts';
import { addVersion, CLI_VERSION } from './commands/version.ts';
import { type CliContext, type ConnectOptions, cliContext } from './context.ts';

/** The whole command line. `name` is how it was called: as `kubectl-yagura` it is kubectl's plugin `kubectl yagura`. */
export function program(name: string, signal: AbortSignal, overrides: Partial<CliContext> = {}): Command {
  const root = new Command()
    .name(name === 'kubectl-yagura' ? 'kubectl yagura' : 'yagura')
    .description('Virtual machines on Kubernetes: what runs, and which layer says so.')
    .version(CLI_VERSION, '-V, --version')
    .option('--kubeconfig <file>', 'default: $KUBECONFIG, then ~/.kube/config')
    .option('--context <name>', 'of the kubeconfig')
    .showHelpAfterError('(--help tells more)');
  const context = { ...cliContext(() => root.opts<ConnectOptions>(), signal), ...overrides };
  addLayers(root, context);
  addPower(root, context);
  addGuest(root, context);
  addGrpc(root, context);
  addVersion(root, context);
  return root;
}
