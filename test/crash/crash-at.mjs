// `node --import …/crash-at.mjs PROGRAM`: the process kills itself (SIGKILL) at one point of its work, once. For tests;
// the program has no part in it. A point is a write to the API server, a call to a launcher, a command, or a call of the
// libvirt binding, each before it goes out and after it has come back. CRASH_DIR/arm.json says which:
//   { "id": "…", "at": 3, "when": "before" | "after", "path": "/namespaces/x/" }
// Points are counted from when the file came; with "at": 0 they are written down only, into CRASH_DIR/points.
import { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const directory = process.env.CRASH_DIR ?? '/crash-state';
const armFile = join(directory, 'arm.json');
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
let known;
let count = 0;

function armed() {
  let arm;
  try {
    arm = JSON.parse(readFileSync(armFile, 'utf8'));
  } catch {
    return undefined;
  }
  if (arm.id !== known) [known, count] = [arm.id, 0];
  return arm;
}

/** Passes a point; gives what has to be called when its work is done. */
function pass(what, isWanted = () => true) {
  const arm = armed();
  if (arm === undefined || !isWanted(arm)) return () => {};
  const number = ++count;
  if (arm.at === 0) appendFileSync(join(directory, 'points'), `${what}\n`);
  if (number !== arm.at) return () => {};
  const die = () => {
    // Disarmed first, so that the next process lives.
    rmSync(armFile, { force: true });
    appendFileSync(join(directory, 'fired'), `${JSON.stringify({ id: arm.id, at: number, when: arm.when, what })}\n`);
    process.kill(process.pid, 'SIGKILL');
  };
  if (arm.when === 'before') die();
  return die;
}

const pending = new WeakMap();
const done = (key) => {
  const finish = pending.get(key);
  pending.delete(key);
  finish?.();
};

subscribe('http.client.request.created', ({ request }) => {
  if (!WRITES.has(request.method)) return;
  const path = request.path.split('?')[0];
  const isOurs = (arm) => arm.path === undefined || path.includes(arm.path);
  pending.set(request, pass(`${request.method} ${path}`, isOurs));
});
subscribe('http.client.response.finish', ({ request }) => done(request));

// What only looks, or follows for as long as it lives, changes nothing.
const isLook = (path) => /\/(Watch|Get|Ping)[A-Za-z]*$/.test(path);
subscribe('http2.client.stream.created', ({ stream, headers }) => {
  const path = headers[':path'] ?? '';
  if (!isLook(path)) pending.set(stream, pass(`call ${path}`));
});
subscribe('http2.client.stream.close', ({ stream }) => done(stream));

const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function (options) {
  const finish = pass(`run ${(options.args ?? [options.file]).join(' ').replace(/\s+/g, ' ').slice(0, 120)}`);
  const result = spawn.call(this, options);
  this.once('exit', finish);
  return result;
};

const { dlopen } = process;
process.dlopen = (module, path, ...rest) => {
  dlopen.call(process, module, path, ...rest);
  if (!path.endsWith('yagura-libvirt.node')) return;
  const wrapped = {};
  for (const [name, value] of Object.entries(module.exports)) {
    wrapped[name] = typeof value === 'function' ? wrap(name, value) : value;
  }
  module.exports = wrapped;
};

/** The last argument of a call to libvirt hears of its end; a function without one is no call. */
function wrap(name, call) {
  return (...args) => {
    const answer = args.at(-1);
    if (typeof answer !== 'function' || args.length < 2) return call(...args);
    const finish = pass(`libvirt ${name}`);
    return call(...args.slice(0, -1), (...outcome) => {
      finish();
      answer(...outcome);
    });
  };
}
