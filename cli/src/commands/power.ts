import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { putSubresource, type Resource } from '../subresource.ts';
import { parseTarget } from '../target.ts';

interface Flags {
  paused?: boolean;
  force?: boolean;
  gracePeriod?: number;
  dryRun?: boolean;
  unfreezeTimeout?: string;
}

/** start, stop, pause, reset, freeze and the like: each one PUT of the subresource of its name. */
export function addPower(program: Command, context: CliContext): void {
  const verb = (
    name: string,
    resource: Resource,
    description: string,
    done: string,
    options: (flags: Flags) => object,
  ) =>
    program
      .command(name)
      .description(description)
      .argument('<namespace/name>', 'the virtual machine')
      .option('--dry-run', 'check everything, change nothing')
      .action(async (text: string, flags: Flags) => {
        const client = await context.client();
        const target = parseTarget(text, client.access.namespace);
        const body = { ...options(flags), ...(flags.dryRun ? { dryRun: ['All'] } : {}) };
        await putSubresource(client, resource, target, name, body, context.signal);
        context.out(`${target.namespace}/${target.name} ${done}${flags.dryRun ? ' (dry run)' : ''}\n`);
      });

  verb('start', 'virtualmachines', 'start a virtual machine', 'was scheduled to start', ({ paused }) =>
    paused ? { paused } : {},
  ).option('--paused', 'with the vCPUs stopped');
  verb('stop', 'virtualmachines', 'stop a virtual machine', 'was scheduled to stop', ({ gracePeriod }) =>
    gracePeriod === undefined ? {} : { gracePeriod },
  ).option('--grace-period <seconds>', 'for the guest to shut down, if less than its own', seconds);
  verb('restart', 'virtualmachines', 'stop and start a virtual machine', 'was scheduled to restart', ({ force }) =>
    force ? { gracePeriodSeconds: 0 } : {},
  ).option('--force', 'leave the guest no time to shut down');
  verb('pause', 'virtualmachineinstances', 'stop the vCPUs of a running guest', 'is paused', () => ({}));
  verb('unpause', 'virtualmachineinstances', 'let a paused guest run again', 'runs again', () => ({}));
  const vmi = 'virtualmachineinstances';
  verb(
    'softreboot',
    vmi,
    'ask the guest to reboot, by its agent or the power button',
    'was asked to reboot',
    () => ({}),
  );
  verb('reset', vmi, 'reset the machine as its reset button does', 'was reset', () => ({}));
  verb('freeze', vmi, 'freeze the file systems of the guest by its agent', 'is frozen', ({ unfreezeTimeout }) =>
    unfreezeTimeout === undefined ? {} : { unfreezeTimeout },
  ).option('--unfreeze-timeout <duration>', 'until they are thawed again, as 90s; default 5m, 0: never');
  verb('unfreeze', vmi, 'thaw the file systems of the guest', 'is thawed', () => ({}));
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new UsageError(`"${text}" is not a number of seconds`);
  return value;
}
