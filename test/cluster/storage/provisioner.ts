// The local cluster's storage: runs on the host beside the control plane, which keeps it running.
import { eventually } from '@yagura/kube/testing/eventually';
import { apiRequest, apiWatch } from '../local/api.ts';
import type { Action, Claim, Volume } from './plan.ts';
import { planStorage, renderVolume } from './plan.ts';
import { makeVolume, removeVolume } from './volumes.ts';

const volumesPath = '/api/v1/persistentvolumes';
const claimsPath = '/api/v1/persistentvolumeclaims';

interface List<T> {
  readonly items: readonly T[];
}

async function list<T>(path: string): Promise<readonly T[]> {
  const { status, body } = await apiRequest('GET', path);
  if (status !== 200) throw new Error(`GET ${path}: ${status}`);
  return (JSON.parse(body) as List<T>).items;
}

async function perform(action: Action): Promise<void> {
  if (action.do === 'provision') {
    const path = await makeVolume(action);
    const { status, body } = await apiRequest('POST', volumesPath, renderVolume(action, path));
    if (status !== 201 && status !== 409)
      throw new Error(`create PersistentVolume ${action.volume}: ${status} ${body}`);
  } else {
    await removeVolume(action);
    await apiRequest('DELETE', `${volumesPath}/${action.volume}`);
  }
  console.log(`${new Date().toISOString()} ${action.do} ${action.volume}`);
}

async function reconcile(): Promise<void> {
  const [claims, volumes, classes] = await Promise.all([
    list<Claim>(claimsPath),
    list<Volume>(volumesPath),
    list<{ metadata: { name: string }; provisioner: string }>('/apis/storage.k8s.io/v1/storageclasses'),
  ]);
  const provisionerOf = new Map(classes.map((each) => [each.metadata.name, each.provisioner]));
  for (const action of planStorage(claims, volumes, provisionerOf)) {
    await perform(action).catch((error: unknown) => console.error(`${action.do} ${action.volume}:`, error));
  }
}

let wake: () => void = () => {};
let due = true;
const stir = (): void => {
  due = true;
  wake();
};

async function follow(path: string): Promise<never> {
  for (;;) {
    await apiWatch(path, stir).catch(() => {});
    const ready = async (): Promise<boolean> => (await apiRequest('GET', '/readyz')).status === 200;
    await eventually('ready API server', 3_600_000, ready, { everyMs: 500 });
    stir();
  }
}

void follow(claimsPath);
void follow(volumesPath);
for (;;) {
  if (!due) {
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, 30_000).unref();
    });
  }
  due = false;
  await reconcile().catch((error: unknown) => console.error('reconcile:', (error as Error).message));
}
