/** What a probe asks for: whether the guest has been started at all, a sign of life of its agent, or a program's end. */
export interface ProbeRequest {
  timeoutSeconds: number;
  question: 'started' | 'ping' | 'exec';
  /** Program and arguments to run in the guest, for `exec`. */
  command?: readonly string[];
}

/**
 * The arguments of virt-probe: `--domainName NAME --timeoutSeconds N` and one of `--started`, `--guestAgentPing` and
 * `--command PROGRAM -- ARGUMENT…`. Throws on anything else.
 */
export function parseProbe(args: readonly string[]): ProbeRequest {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  const rest = end < 0 ? [] : args.slice(end + 1);
  let timeoutSeconds = 1;
  const questions: ProbeRequest['question'][] = [];
  let program = '';
  for (let i = 0; i < options.length; i++) {
    const option = options[i];
    if (option === '--started') questions.push('started');
    else if (option === '--guestAgentPing') questions.push('ping');
    else if (option === '--command') {
      questions.push('exec');
      program = valueOf(options, i++);
    } else if (option === '--timeoutSeconds') timeoutSeconds = seconds(valueOf(options, i++));
    else if (option === '--domainName') valueOf(options, i++);
    else throw new Error(`"${option}" is not an option of virt-probe`);
  }
  const [question, more] = questions;
  if (question === undefined || more !== undefined) {
    throw new Error('one of --started, --guestAgentPing and --command is needed');
  }
  return { timeoutSeconds, question, ...(question === 'exec' ? { command: [program, ...rest] } : {}) };
}

function valueOf(options: readonly string[], index: number): string {
  const value = options[index + 1];
  if (value === undefined) throw new Error(`${options[index]} needs a value`);
  return value;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--timeoutSeconds is "${text}", not a number of seconds`);
  return value;
}
