/** This launcher runs, or ran, another instance than the one it is asked for. */
export class OtherInstanceError extends Error {
  override name = 'OtherInstanceError';
}

/** What was asked for cannot be done in the state that the domain is in. */
export class WrongStateError extends Error {
  override name = 'WrongStateError';
}

/** QEMU runs, but does not answer libvirt. */
export class SilentQemuError extends Error {
  override name = 'SilentQemuError';
}
