import { parseAptSources, sourcesFor } from './apt-sources.ts';

const deb822 = `Types: deb
# a remark inside a stanza
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb deb-src
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main contrib

Types: deb
Enabled: no
URIs: http://off.example/debian
Suites: bookworm
Components: main

Types: deb
URIs: https://vendor.example/node_24.x
Suites: nodistro
Components: main
`;

const oneLine = `# deb http://commented.example/debian bookworm main
deb [arch=amd64 signed-by=/x.gpg] http://mirror.example/debian bookworm main contrib # why
deb-src http://mirror.example/debian bookworm main
deb http://mirror.example/debian-security bookworm-security main
deb https://vendor.example/linux stable-vendor main
`;

describe('apt sources', () => {
  test('are read from the deb822 format, leaving out what is disabled', () => {
    expect(parseAptSources('/etc/apt/sources.list.d/debian.sources', deb822).map(({ uri }) => uri)).toEqual([
      'http://mirror.example/debian',
      'http://mirror.example/debian-security',
      'https://vendor.example/node_24.x',
    ]);
  });

  test('are read from the one-line format, leaving out comments and sources of source', () => {
    expect(parseAptSources('/etc/apt/sources.list', oneLine)).toEqual([
      { uri: 'http://mirror.example/debian', suites: ['bookworm'], components: ['main', 'contrib'] },
      { uri: 'http://mirror.example/debian-security', suites: ['bookworm-security'], components: ['main'] },
      { uri: 'https://vendor.example/linux', suites: ['stable-vendor'], components: ['main'] },
    ]);
  });

  test.each([
    ['/etc/apt/sources.list', oneLine],
    ['/etc/apt/sources.list.d/debian.sources', deb822],
  ])('of another release name the mirrors for the release wanted (%s)', (path, text) => {
    expect(sourcesFor('trixie', parseAptSources(path, text))).toEqual([
      'deb http://mirror.example/debian trixie main',
      'deb http://mirror.example/debian trixie-updates main',
      'deb http://mirror.example/debian-security trixie-security main',
    ]);
  });

  test('without a Debian archive are an error that says so', () => {
    expect(() => sourcesFor('trixie', parseAptSources('/x.list', 'deb http://v.example noble main'))).toThrow(
      'none of the apt sources of this machine is a Debian archive',
    );
  });
});
