import { OVERHEAD_MIB } from '@yagura/api';

/**
 * Bound of the buffer in which QEMU keeps translated guest code; without one it takes a share of the host's memory
 * that no pod has. The launcher pod's overhead holds the same figure.
 */
export const TCG_TB_CACHE_MEBIBYTES = Number(OVERHEAD_MIB.tcgCodeBuffer);
