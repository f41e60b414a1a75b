import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import type { GrpcFlags } from '../grpc/run.ts';

export function addGrpc(program: Command, context: CliContext): void {
  program
    .command('grpc')
    .description("call a launcher's gRPC service through pods/exec; without a method, list and describe it")
    .argument('<namespace/name>', 'the virtual machine')
    .argument('[method]', 'e.g. GetDomainStats; or "list", or "describe" with the name of a method')
    .argument('[json]', 'the request, or with "describe" a method', '{}')
    .option('--listen <port or path>', 'serve the launcher there until interrupted, for grpcurl and the like')
    .option('--max-time <seconds>', 'deadline of the call', '20')
    .addHelpText('after', EXAMPLES)
    // gRPC and the contract are loaded for this command alone.
    .action(async (target: string, method: string | undefined, json: string, flags: GrpcFlags) => {
      const { runGrpc } = await import('../grpc/run.ts');
      await runGrpc(context, target, method, json, flags);
    });
}

const EXAMPLES = `
Examples:
  yagura grpc default/demo GetDomainStats
  yagura grpc default/demo describe GuestPing
  yagura grpc default/demo --listen 9090 &  grpcurl -plaintext 127.0.0.1:9090 list
`;
