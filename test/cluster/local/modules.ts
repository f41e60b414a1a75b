import { tryExec } from '../exec.ts';

const modules = ['overlay', 'br_netfilter', 'bridge', 'veth', 'nf_conntrack', 'nf_tables', 'loop', 'tun', 'vhost_net'];

/** Where the kernel is modular. One that is built in, or not to be had, is no error: what needs it says so. */
export async function loadModules(): Promise<void> {
  for (const module of modules) await tryExec('modprobe', ['--quiet', module]).catch(() => undefined);
}
