import { text } from 'node:stream/consumers';
import { ConnectionError, isNotFound, KubeClient, type Query } from '@yagura/kube';

/** What discovery says of a resource, under each of its names. */
interface Known {
  path: string;
  plural: string;
  namespaced: boolean;
}

interface Discovery {
  items: {
    metadata: { name?: string };
    versions: {
      version: string;
      resources?: { resource: string; singularResource?: string; shortNames?: string[]; scope: string }[];
    }[];
  }[];
}

/** Reads objects as kubectl names them, in this process: a kubectl for every look would cost more than what is looked at. */
export class Objects {
  readonly #kubeconfig: string;
  #client: Promise<KubeClient> | undefined;
  #known = new Map<string, Known>();

  constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
  }

  async get<T>(resource: string, name: string, namespace: string | undefined): Promise<T | undefined> {
    const known = await this.#find(resource);
    try {
      return await this.#read<T>(`${collection(known, namespace ?? 'default')}/${encodeURIComponent(name)}`);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** @param args of kubectl: -n, -A, -l, --field-selector */
  async list<T>(resource: string, args: readonly string[]): Promise<T[]> {
    const known = await this.#find(resource);
    const { namespace, query } = selection(args);
    return (await this.#read<{ items: T[] }>(collection(known, namespace), query)).items;
  }

  /** What a command in a container printed; it must succeed. */
  async exec(namespace: string, pod: string, container: string, command: readonly string[]): Promise<string> {
    const client = await this.#connect();
    const session = await client.exec({ namespace, name: pod, container }, { command });
    const [stdout, stderr, code] = await Promise.all([text(session.stdout), text(session.stderr), session.exit]);
    if (code !== 0) throw new Error(`${pod}: ${command.join(' ')}: exit code ${code}\n${stderr || stdout}`);
    return stdout;
  }

  #connect(): Promise<KubeClient> {
    this.#client ??= KubeClient.load({ kubeconfig: this.#kubeconfig });
    return this.#client;
  }

  /** A connection may have died with the API server since it was used last. */
  async #read<T>(path: string, query: Query = {}): Promise<T> {
    const client = await this.#connect();
    try {
      return await client.request<T>({ path, query });
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return client.request<T>({ path, query });
    }
  }

  async #find(name: string): Promise<Known> {
    const found = this.#known.get(name) ?? (await this.#discover()).get(name);
    if (found === undefined) throw new Error(`the server has no resource "${name}"`);
    return found;
  }

  async #discover(): Promise<Map<string, Known>> {
    const client = await this.#connect();
    const headers = { Accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
    const [core, groups] = await Promise.all(
      ['/api', '/apis'].map((path) => client.request<Discovery>({ path, headers })),
    );
    const known = new Map<string, Known>();
    for (const { metadata, versions } of [...(core?.items ?? []), ...(groups?.items ?? [])]) {
      const [preferred] = versions;
      const path = metadata.name ? `/apis/${metadata.name}/${preferred?.version}` : `/api/${preferred?.version}`;
      for (const { resource, singularResource, shortNames, scope } of preferred?.resources ?? []) {
        const entry = { path, plural: resource, namespaced: scope === 'Namespaced' };
        for (const name of [resource, singularResource, ...(shortNames ?? []), `${resource}.${metadata.name}`]) {
          // The first group that has the name wins, as with kubectl.
          if (name && !known.has(name)) known.set(name, entry);
        }
      }
    }
    this.#known = known;
    return known;
  }
}

function collection({ path, plural, namespaced }: Known, namespace: string | undefined): string {
  return namespaced && namespace !== undefined ? `${path}/namespaces/${namespace}/${plural}` : `${path}/${plural}`;
}

function selection(args: readonly string[]): { namespace: string | undefined; query: Query } {
  const words = args.flatMap((arg) => (arg.startsWith('--') ? split(arg) : [arg]));
  let namespace: string | undefined = 'default';
  const query: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 2) {
    const [option, value = ''] = words.slice(at, at + 2);
    if (option === '-n' || option === '--namespace') namespace = value;
    else if (option === '-l' || option === '--selector') query['labelSelector'] = value;
    else if (option === '--field-selector') query['fieldSelector'] = value;
    else if (option === '-A' || option === '--all-namespaces') {
      namespace = undefined;
      at -= 1;
    } else throw new Error(`list knows no option ${option}`);
  }
  return { namespace, query };
}

function split(arg: string): string[] {
  const at = arg.indexOf('=');
  return at < 0 ? [arg] : [arg.slice(0, at), arg.slice(at + 1)];
}
