import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { parseDuration } from '@yagura/api';
import type { LayerReports } from '../observe/layer-reports.ts';
import type { FlightRecorder } from '../recorder/flight-recorder.ts';
import type { VmiEvents } from '../vmi/events.ts';
import { HttpError, toHttpError } from './errors.ts';
import { filesystemListShape, guestOsInfoShape, userListShape } from './guest-shapes.ts';
import type { Instance, Instances } from './instances.ts';
import { parsePath } from './path.ts';

export interface RestCall {
  method: string;
  /** Without the query. */
  path: string;
  query?: URLSearchParams;
  body: string;
}

/** What a route answers: a status, and a body unless it is empty; bytes are sent as they are. */
export interface Answer {
  status: number;
  body?: unknown;
  contentType?: string;
}

type Route = (namespace: string, name: string, body: string, query: URLSearchParams) => Promise<Answer>;

export interface RouteParts {
  instances: Instances;
  events: VmiEvents;
  reports: LayerReports;
  timelines: Pick<FlightRecorder, 'timeline'>;
  /** Wakes a guest's screen. */
  moveCursor: (instance: Instance) => Promise<void>;
}

/** What a launcher may take: as long as virt-api waits for most of its calls, and longer for a guest that writes out its data. */
const COMMAND = { timeoutMs: 9_000 };
const FREEZE = { timeoutMs: 50_000 };

/** The REST routes of virt-handler by verb and last part of the path. */
export function createRoutes(parts: RouteParts): (call: RestCall) => Promise<Answer> {
  const { instances, events, reports, timelines, moveCursor } = parts;
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
    'PUT softreboot': async (namespace, name) => {
      const { vmi, link } = instances.launcher(namespace, name);
      await link.calls.softReboot({}, COMMAND);
      events.request(vmi, 'SoftRebooted', 'VirtualMachineInstance soft rebooted');
      return { status: 202 };
    },
    'PUT reset': async (namespace, name) => {
      const { vmi, link } = instances.launcher(namespace, name);
      await link.calls.reset({}, COMMAND);
      events.request(vmi, 'Reset', 'VirtualMachineInstance reset');
      return { status: 202 };
    },
    'PUT freeze': async (namespace, name, body) => {
      const unfreezeMs = unfreezeMsOf(body);
      const { vmi, link } = instances.launcher(namespace, name);
      const timeout = unfreezeMs === 0 ? {} : { unfreezeTimeout: durationFromMs(unfreezeMs) };
      await link.calls.freeze(timeout, FREEZE).catch((error: unknown) => {
        events.freezeFailed(vmi, 'freeze', toHttpError(error).message);
        throw error;
      });
      return { status: 202 };
    },
    'PUT unfreeze': async (namespace, name) => {
      const { vmi, link } = instances.launcher(namespace, name);
      await link.calls.unfreeze({}, FREEZE).catch((error: unknown) => {
        events.freezeFailed(vmi, 'unfreeze', toHttpError(error).message);
        throw error;
      });
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
    'GET vnc/screenshot': async (namespace, name, _body, query) => {
      const launcher = calls(namespace, name);
      if (query.get('moveCursor') === 'true') await moveCursor(instances.find(namespace, name));
      const { mimeType, data } = await launcher.getScreenshot({}, COMMAND);
      return { status: 200, body: data, contentType: mimeType };
    },
    'GET layers': async (namespace, name) => ({
      status: 200,
      body: await reports.report(instances.find(namespace, name)),
    }),
    // Of an instance that is gone, too.
    'GET timeline': async (namespace, name, _body, query) => {
      const timeline = await timelines.timeline(namespace, name, query.get('uid') ?? undefined);
      if (timeline !== undefined) return { status: 200, body: timeline };
      throw new HttpError(404, `nothing is recorded of virtualmachineinstance ${namespace}/${name} on this node`);
    },
  };
  return async ({ method, path, body, query = new URLSearchParams() }) => {
    const { namespace, name, action } = parsePath(path);
    const route = routes[`${method} ${action}`];
    if (route !== undefined) return route(namespace, name, body, query);
    const others = Object.keys(routes).filter((key) => key.endsWith(` ${action}`));
    if (others.length > 0) throw new HttpError(405, `${action} takes ${others[0]?.split(' ')[0]}, not ${method}`);
    throw new HttpError(404, `no route ${method} ${path}`);
  };
}

/** `{"unfreezeTimeout": "5m"}`; 0: no thaw without a request. */
function unfreezeMsOf(body: string): number {
  try {
    const { unfreezeTimeout } = JSON.parse(body) as { unfreezeTimeout?: unknown };
    const milliseconds = typeof unfreezeTimeout === 'string' ? parseDuration(unfreezeTimeout) : undefined;
    if (milliseconds !== undefined && milliseconds >= 0) return Math.ceil(milliseconds);
  } catch {
    // Not JSON: told like anything else that is no duration.
  }
  throw new HttpError(400, 'the body must be {"unfreezeTimeout": DURATION}, as "5m"');
}
