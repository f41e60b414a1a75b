import { DeviceAccess, numbersOf } from './device-access.ts';

const V1 = '12:devices:/kubepods/pod1/a\n0::/system\n';
const V2 = '0::/kubepods/pod1/a\n';

function access(cgroups: string) {
  const written: string[] = [];
  const run = async ([program, file = '']: readonly string[], options: { input?: string } = {}) => {
    if (program === 'tee') written.push(`${file}: ${options.input ?? ''}`);
    return cgroups;
  };
  return { device: new DeviceAccess(run, []), written };
}

test('a device is allowed and forbidden in the control group of the process', async () => {
  const { device, written } = access(V1);
  await device.allow(7, 0x0810);
  await device.allow(7, 0x0810, true);
  await device.forbid(7, 0x0810);
  const group = '/sys/fs/cgroup/devices/kubepods/pod1/a';
  expect(written).toEqual([
    `${group}/devices.allow: b 8:16 rwm\n`,
    `${group}/devices.deny: b 8:16 w\n`,
    `${group}/devices.allow: b 8:16 rm\n`,
    `${group}/devices.deny: b 8:16 rwm\n`,
  ]);
});

test('with control groups version 2 it cannot be allowed, so that there is nothing to forbid', async () => {
  const { device, written } = access(V2);
  await expect(device.allow(7, 0x0810)).rejects.toThrow('control groups version 2');
  await device.forbid(7, 0x0810);
  expect(written).toEqual([]);
});

test('large device numbers are told apart', () => {
  expect(numbersOf(0x10300 | 0x05)).toEqual({ major: 0x103, minor: 0x05 });
  expect(numbersOf(((0x123 & 0xfff00) << 12) | (8 << 8) | 0x23)).toEqual({ major: 8, minor: 0x123 });
});
