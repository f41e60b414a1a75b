import { buildah, docker } from './engine.ts';

const request = {
  containerfile: '/ctx/services/x/Containerfile',
  context: '/ctx',
  reference: 'localhost/yagura/x:dev',
  labels: { b: '2', a: '1' },
};

describe('command lines of the engines', () => {
  test('buildah builds without a registry, in a chroot, and keeps layers', () => {
    expect(buildah.build({ ...request, base: 'base:1' }).join(' ')).toBe(
      'buildah build --layers --pull-never --isolation=chroot --network=host --label a=1 --label b=2 --build-arg BASE=base:1 --tag localhost/yagura/x:dev --file /ctx/services/x/Containerfile /ctx',
    );
  });

  test('docker builds the same file', () => {
    expect(docker.build(request).join(' ')).toBe(
      'docker build --label a=1 --label b=2 --tag localhost/yagura/x:dev --file /ctx/services/x/Containerfile /ctx',
    );
  });

  test('both save an archive under the reference', () => {
    expect(buildah.save('r:t', '/x.tar').join(' ')).toBe('buildah push --quiet r:t docker-archive:/x.tar:r:t');
    expect(docker.save('r:t', '/x.tar').join(' ')).toBe('docker save --output /x.tar r:t');
  });

  test('both push to a registry under another name', () => {
    expect(buildah.push('r:t', 'reg.example/r:t')).toEqual([['buildah', 'push', 'r:t', 'docker://reg.example/r:t']]);
    expect(docker.push('r:t', 'reg.example/r:t')).toEqual([
      ['docker', 'tag', 'r:t', 'reg.example/r:t'],
      ['docker', 'push', 'reg.example/r:t'],
    ]);
  });

  test.each([
    ['localhost:5000/yagura/x:dev', true],
    ['127.0.0.1:5000/yagura/x:dev', true],
    ['localhost.example/yagura/x:dev', false],
    ['registry.example/localhost/x:dev', false],
  ])('buildah pushes to %s without TLS: %s', (target, expected) => {
    expect(buildah.push('r:t', target)[0]?.includes('--tls-verify=false')).toBe(expected);
  });

  test.each([
    ['buildah', buildah, { FromImageID: 'abc', OCIv1: { config: { Labels: { k: 'v' } } } }, { k: 'v' }],
    ['buildah, no label', buildah, { FromImageID: 'abc', OCIv1: { config: {} } }, {}],
    ['docker', docker, [{ Id: 'sha256:abc', Config: { Labels: { k: 'v' } } }], { k: 'v' }],
    ['docker, no label', docker, [{ Id: 'sha256:abc', Config: { Labels: null } }], {}],
  ])('the id and labels of an image are read from what %s prints', (_, engine, printed, labels) => {
    expect(engine.readInspect(JSON.stringify(printed))).toEqual({ id: 'abc', labels });
  });
});
