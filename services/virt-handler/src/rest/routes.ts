import type { LayerReports } from '../observe/layer-reports.ts';
import type { VmiEvents } from '../vmi/events.ts';
import { HttpError } from './errors.ts';
import { filesystemListShape, guestOsInfoShape, userListShape } from './guest-shapes.ts';
import type { Instances } from './instances.ts';

/** What a route answers: a status, and a body unless it is empty. */
export interface Answer {
  status: number;
  body?: unknown;
}

type Route = (namespace: string, name: string) => Promise<Answer>;

const PATH = /^\/v1\/namespaces\/([^/]+)\/virtualmachineinstances\/([^/]+)\/([^/]+)\/?$/;

export interface RouteParts {
  instances: Instances;
  events: VmiEvents;
  reports: LayerReports;
}

/** The REST routes of virt-handler by verb and last part of the path. */
export function createRoutes(parts: RouteParts): (method: string, path: string) => Promise<Answer> {
  const { instances, events, reports } = parts;
  const calls = (namespace: string, name: string) => instances.launcher(namespace, name).link.calls;
  const routes: Record<string, Route> = {
    'PUT pause': async (namespace, name) => {
      const { vmi, link } = instances.launcher(namespace, name);
      await link.calls.pauseVirtualMachine({});
      events.request(vmi, 'Paused', 'VirtualMachineInstance paused');
      return { status: 202 };
    },
    'PUT unpause': async (namespace, name) => {
      const { vmi, link } = instances.launcher(namespace, name);
      await link.calls.unpauseVirtualMachine({});
      events.request(vmi, 'Unpaused', 'VirtualMachineInstance unpaused');
      return { status: 202 };
    },
    'GET guestosinfo': async (namespace, name) => {
      const launcher = calls(namespace, name);
      const [info, users, filesystems] = await Promise.all([
        launcher.getGuestInfo({}),
        launcher.getUsers({}),
        launcher.getFilesystems({}),
      ]);
      return { status: 200, body: guestOsInfoShape(info, users, filesystems) };
    },
    'GET userlist': async (namespace, name) => ({
      status: 200,
      body: userListShape(await calls(namespace, name).getUsers({})),
    }),
    'GET filesystemlist': async (namespace, name) => ({
      status: 200,
      body: filesystemListShape(await calls(namespace, name).getFilesystems({})),
    }),
    'GET layers': async (namespace, name) => ({
      status: 200,
      body: await reports.report(instances.find(namespace, name)),
    }),
  };
  return async (method, path) => {
    const [, namespace, name, action] = PATH.exec(path) ?? [];
    if (namespace === undefined || name === undefined || action === undefined) {
      throw new HttpError(404, `no route ${path}`);
    }
    const route = routes[`${method} ${action}`];
    if (route !== undefined) return route(decoded(namespace), decoded(name));
    const others = Object.keys(routes).filter((key) => key.endsWith(` ${action}`));
    if (others.length > 0) throw new HttpError(405, `${action} takes ${others[0]?.split(' ')[0]}, not ${method}`);
    throw new HttpError(404, `no route ${method} ${path}`);
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, `"${part}" is not a percent-encoded name`);
  }
}
