/**
 * Bound of the buffer in which QEMU keeps translated guest code; without one it takes a share of the host's memory
 * that no pod has. It is a term of the launcher pod's overhead, so libs/api uses the same figure.
 */
export const TCG_TB_CACHE_MEBIBYTES = 64;
