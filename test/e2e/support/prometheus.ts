import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { get, productNamespace, root } from './cluster.ts';
import { eventually } from './eventually.ts';

/** One series at the moment of a query. */
export interface Vector {
  labels: Record<string, string>;
  value: number;
}

/** A rule as Prometheus has it; `health` is err where it cannot be evaluated. */
export interface Rule {
  name: string;
  state: 'inactive' | 'pending' | 'firing';
  health: 'ok' | 'err' | 'unknown';
  lastError?: string;
  alerts: { labels: Record<string, string>; state: string }[];
}

async function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

interface Endpoints {
  subsets?: { addresses?: { ip: string; targetRef?: { name: string } }[]; ports?: { name: string; port: number }[] }[];
}

/** What the Service for Prometheus stands for, as its discovery would find it. */
async function targets(): Promise<{ targets: string[]; labels: { pod: string } }[]> {
  const endpoints = await get<Endpoints>('endpoints', 'kubevirt-prometheus-metrics', productNamespace);
  return (endpoints?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    addresses.flatMap(({ ip, targetRef }) =>
      ports
        .filter(({ name }) => name === 'metrics')
        .map(({ port }) => ({ targets: [`${ip}:${port}`], labels: { pod: targetRef?.name ?? '' } })),
    ),
  );
}

/**
 * The configuration that docs/metrics.md gives, except that targets are written out: Debian builds Prometheus without discovery
 * by Kubernetes.
 */
async function documentedConfiguration(): Promise<object> {
  const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
  const [, block = ''] = /```yaml\n(scrape_configs:[^]*?)```/.exec(page) ?? [];
  const { scrape_configs: configs } = parse(block) as { scrape_configs: Record<string, unknown>[] };
  const static_configs = await targets();
  return {
    global: { scrape_interval: '3s', scrape_timeout: '3s', evaluation_interval: '3s' },
    rule_files: [join(root, 'charts/yagura/files/alerts.yaml')],
    scrape_configs: configs.map(({ kubernetes_sd_configs: _, relabel_configs: __, ...rest }) => ({
      ...rest,
      static_configs,
    })),
  };
}

/** A real Prometheus that scrapes the installed product as its documentation says, and evaluates the chart's alerts. */
export class Prometheus {
  readonly #url: string;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stop: () => Promise<void>) {
    this.#url = url;
    this.#stop = stop;
  }

  static async start(): Promise<Prometheus> {
    const directory = mkdtempSync(join(tmpdir(), 'prometheus-'));
    const configuration = join(directory, 'prometheus.yaml');
    writeFileSync(configuration, stringify(await documentedConfiguration()));
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      'prometheus',
      [
        `--config.file=${configuration}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    };
    await eventually('Prometheus is ready', 30_000, async () => {
      if (child.exitCode !== null) throw new Error(`it has ended: ${said}`);
      return (await fetch(`http://${address}/-/ready`)).ok;
    }).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    return new Prometheus(`http://${address}/api/v1`, stop);
  }

  async query(expression: string): Promise<Vector[]> {
    const { result } = await this.#get<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
      `query?query=${encodeURIComponent(expression)}`,
    );
    return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  async rules(): Promise<Rule[]> {
    const { groups } = await this.#get<{ groups: { rules: Rule[] }[] }>('rules');
    return groups.flatMap((group) => group.rules);
  }

  /** Last errors of its targets, by pod. */
  async scrapeErrors(): Promise<string[]> {
    const { activeTargets } = await this.#get<{
      activeTargets: { labels: Record<string, string>; lastError: string }[];
    }>('targets?state=active');
    return activeTargets
      .filter(({ lastError }) => lastError !== '')
      .map(({ labels, lastError }) => `${labels['pod']}: ${lastError}`);
  }

  async stop(): Promise<void> {
    await this.#stop();
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.#url}/${path}`);
    const answer = (await response.json()) as { status: string; data: T; error?: string };
    if (answer.status !== 'success') throw new Error(`Prometheus, ${path}: ${answer.error}`);
    return answer.data;
  }
}
