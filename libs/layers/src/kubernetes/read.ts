import { claimNameOf, type Volume } from '@yagura/api';
import type { ReportSubject } from '../report.ts';
import { ServerClock } from './server-clock.ts';
import type {
  ClaimLook,
  ClaimView,
  EventView,
  KubernetesView,
  LeaseView,
  Looked,
  MigrationView,
  NodeView,
  PodView,
  VmiView,
  VmView,
} from './view.ts';

/** A GET on the API server. Rejects with an error whose `code` is the HTTP status. */
export type Get = (
  path: string,
  query: Readonly<Record<string, string | number>>,
) => Promise<{ body: unknown; date: Date | undefined }>;

export interface ReadOptions {
  get: Get;
  target: { namespace: string; name: string };
  /** Of the installation; undefined where it could not be found out, and why. */
  product: { namespace: string } | { namespace: undefined; error: string };
  /** Who reads, as its clock is called. */
  reader: string;
  now: () => Date;
  /** Told the machine's node as soon as it is known, so that the node can be asked meanwhile. */
  onNode?: (node: string) => void;
}

/** What the API server has of a machine, read at one go. */
export interface Reading {
  subject: ReportSubject;
  view: KubernetesView;
  /** By the API server's clock. */
  clock: ServerClock;
}

/** Claims that are looked at; a machine with more of them is no ordinary one. */
const MAX_CLAIMS = 32;
const CORE = '/api/v1';
const KUBEVIRT = '/apis/kubevirt.io/v1';
const LEASES = '/apis/coordination.k8s.io/v1';
const CONTROLLER_LEASE = 'virt-controller';

/** Name of the Lease by which the virt-handler of a node shows that it lives. */
export const handlerLeaseName = (node: string): string => `virt-handler-${node}`;

/**
 * Reads what the kubernetes layer tells of. What cannot be read is told as such, and costs only itself. Undefined when
 * there is neither a VirtualMachine nor an instance of that name.
 */
export async function readKubernetes(options: ReadOptions): Promise<Reading | undefined> {
  const { target, product, reader } = options;
  const clock = new ServerClock(options.now);
  const look = lookups(options.get, clock);
  const within = `namespaces/${encodeURIComponent(target.namespace)}`;
  const object = (plural: string) => `${KUBEVIRT}/${within}/${plural}/${encodeURIComponent(target.name)}`;
  const [vm, vmi] = await Promise.all([
    look.one<VmView>(object('virtualmachines')),
    look.one<VmiView>(object('virtualmachineinstances')),
  ]);
  if (isAbsent(vm) && isAbsent(vmi)) return undefined;

  const node = vmi.found?.status?.nodeName || undefined;
  if (node !== undefined) options.onNode?.(node);
  const uid = vmi.found?.metadata?.uid;
  const lease = async (name: string): Promise<Looked<LeaseView>> =>
    product.namespace === undefined
      ? { found: undefined, error: product.error }
      : look.one<LeaseView>(`${LEASES}/namespaces/${product.namespace}/leases/${encodeURIComponent(name)}`);
  const events = async (name: string) =>
    look.list<EventView>(`${CORE}/${within}/events`, { fieldSelector: `involvedObject.name=${name}` });
  const podsAndEvents = async () => {
    const pods: Looked<PodView[]> =
      uid === undefined
        ? { found: undefined }
        : await look.list<PodView>(`${CORE}/${within}/pods`, {
            labelSelector: `kubevirt.io=virt-launcher,kubevirt.io/created-by=${uid}`,
          });
    return {
      pods,
      told: await Promise.all((pods.found ?? []).map(async ({ metadata }) => events(metadata?.name ?? ''))),
    };
  };
  const claimsAndEvents = async () => {
    const claims = await Promise.all(
      claimsOf(vmi.found ?? vm.found?.spec?.template).map(
        async ({ name, ofDataVolume }): Promise<ClaimLook> => ({
          name,
          ofDataVolume,
          claim: await look.one<ClaimView>(`${CORE}/${within}/persistentvolumeclaims/${encodeURIComponent(name)}`),
        }),
      ),
    );
    const waiting = claims.filter(({ claim }) => claim.found !== undefined && claim.found.status?.phase !== 'Bound');
    return { claims, told: await Promise.all(waiting.map(async ({ name }) => events(name))) };
  };
  const [its, theirs, own, nodeObject, controllerLease, handlerLease, migrations] = await Promise.all([
    podsAndEvents(),
    claimsAndEvents(),
    events(target.name),
    node === undefined ? nothing<NodeView>() : look.one<NodeView>(`${CORE}/nodes/${encodeURIComponent(node)}`),
    lease(CONTROLLER_LEASE),
    node === undefined ? nothing<LeaseView>() : lease(handlerLeaseName(node)),
    look.list<MigrationView>(`${KUBEVIRT}/${within}/virtualmachineinstancemigrations`, {}),
  ]);
  return {
    subject: { ...target, ...(uid === undefined ? {} : { uid }), ...(node === undefined ? {} : { node }) },
    view: {
      vm,
      vmi,
      pods: its.pods,
      claims: theirs.claims,
      node: nodeObject,
      controllerLease,
      handlerLease,
      migrations: filtered(migrations, ({ spec }) => spec?.vmiName === target.name),
      events: joined([own, ...its.told, ...theirs.told]),
      clock: { of: reader, aheadMs: clock.aheadMs },
    },
    clock,
  };
}

function lookups(get: Get, clock: ServerClock) {
  const read = async (path: string, query: Readonly<Record<string, string | number>>): Promise<unknown> => {
    const { body, date } = await get(path, query);
    clock.heard(date);
    return body;
  };
  return {
    async one<T>(path: string): Promise<Looked<T>> {
      try {
        return { found: (await read(path, {})) as T };
      } catch (error) {
        if ((error as { code?: unknown }).code === 404) return { found: undefined };
        return failed(error);
      }
    },
    async list<T>(path: string, query: Readonly<Record<string, string | number>>): Promise<Looked<T[]>> {
      try {
        return { found: ((await read(path, query)) as { items?: T[] }).items ?? [] };
      } catch (error) {
        return failed(error);
      }
    },
  };
}

function failed(error: unknown): { found: undefined; error: string } {
  return { found: undefined, error: error instanceof Error ? error.message : String(error) };
}

async function nothing<T>(): Promise<Looked<T>> {
  return { found: undefined };
}

function isAbsent(looked: Looked<unknown>): boolean {
  return looked.found === undefined && !('error' in looked);
}

/** The claims of a spec, each once. */
function claimsOf(owner: { spec?: { volumes?: object[] } } | undefined): { name: string; ofDataVolume: boolean }[] {
  const volumes = (owner?.spec?.volumes ?? []) as Volume[];
  const claims = volumes.flatMap((volume) => {
    const name = claimNameOf(volume);
    return name ? [[name, { name, ofDataVolume: volume.dataVolume !== undefined }] as const] : [];
  });
  return [...new Map(claims).values()].slice(0, MAX_CLAIMS);
}

function filtered<T>(looked: Looked<T[]>, wanted: (item: T) => boolean): Looked<T[]> {
  return looked.found === undefined ? looked : { found: looked.found.filter(wanted) };
}

/** All that was found; an error only where nothing was. */
function joined<T>(lists: Looked<T[]>[]): Looked<T[]> {
  const found = lists.flatMap((list) => list.found ?? []);
  const error = lists.flatMap((list) => ('error' in list && list.error !== undefined ? [list.error] : []))[0];
  return found.length === 0 && error !== undefined ? { found: undefined, error } : { found };
}
