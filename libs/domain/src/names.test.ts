import { diskLetters, domainName, nameOfAlias, parseDomainName, userAlias } from './names.ts';

describe('names', () => {
  test.each<[number, string]>([
    [0, 'a'],
    [25, 'z'],
    [26, 'aa'],
    [51, 'az'],
    [52, 'ba'],
    [701, 'zz'],
    [702, 'aaa'],
  ])('disk %d has the letters %s', (index, letters) => {
    expect(diskLetters(index)).toBe(letters);
  });

  test('a domain name gives back namespace and name, also with underscores behind the first', () => {
    expect(parseDomainName(domainName('ns-1', 'vm.a'))).toEqual({ namespace: 'ns-1', name: 'vm.a' });
    expect(parseDomainName('ns_a_b')).toEqual({ namespace: 'ns', name: 'a_b' });
  });

  test.each(['', 'plain', '_x'])('%j is no domain of an instance', (name) => {
    expect(parseDomainName(name)).toBeUndefined();
  });

  test("a user's alias is told from libvirt's own", () => {
    expect(nameOfAlias(userAlias('root'))).toBe('root');
    expect(nameOfAlias('virtio-disk0')).toBeUndefined();
    expect(nameOfAlias(undefined)).toBeUndefined();
  });
});
