/** GET version, in the shape of Kubernetes' own version.Info, as KubeVirt's clients read it. */
export function versionInfo(): object {
  const version = process.env['YAGURA_VERSION'] ?? '0.1.0';
  return {
    gitVersion: `v${version}`,
    gitCommit: process.env['YAGURA_COMMIT'] ?? '',
    gitTreeState: '',
    buildDate: process.env['YAGURA_BUILD_DATE'] ?? '',
    goVersion: `node ${process.version}`,
    compiler: 'node',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
