import { missing } from './session-daemon.ts';

/** A describe() that needs libvirtd and QEMU: without them it fails, with what to install in its name. */
export function describeReal(name: string, body: () => void): void {
  const absent = missing();
  if (absent === undefined) {
    describe(name, body);
    return;
  }
  test(`${name}: CANNOT RUN, ${absent}`, () => {
    throw new Error(absent);
  });
}
