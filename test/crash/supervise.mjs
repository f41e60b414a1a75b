// `node supervise.mjs ARGUMENT…`: runs `node ARGUMENT…` again whenever it was killed, at once: the kubelet would wait
// longer after each time. Every other end is its own end.
import { spawn } from 'node:child_process';

let child;
let isStopping = false;

function start() {
  child = spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit' });
  child.on('exit', (code, signal) => {
    if (signal === 'SIGKILL' && !isStopping) start();
    else process.exit(code ?? 1);
  });
}

process.on('SIGTERM', () => {
  isStopping = true;
  child.kill('SIGTERM');
});
start();
