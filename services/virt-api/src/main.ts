import { KubeClient } from '@yagura/kube';
import { createLogger, runMain } from '@yagura/runtime';
import { serveApi } from './serve-api.ts';
import { uninstallCheck } from './uninstall/check.ts';
import { uninstallClean } from './uninstall/clean.ts';

const command = process.argv[2] ?? 'serve';

switch (command) {
  case 'serve':
    await runMain('virt-api', serveApi);
    break;
  case 'uninstall-check':
    process.exit(
      await uninstallCheck(await KubeClient.load({ userAgent: 'yagura-uninstall' }), (line) => console.log(line)),
    );
    break;
  case 'uninstall-clean':
    await uninstallClean(await KubeClient.load({ userAgent: 'yagura-uninstall' }), createLogger('uninstall'));
    process.exit(0);
    break;
  default:
    console.error(`unknown command ${command}: serve, uninstall-check and uninstall-clean are known`);
    process.exit(2);
}
