import type { Family } from '@yagura/runtime/metrics';
import { COUNTERS } from './counters.ts';
import { CPU } from './cpu.ts';
import { GUEST } from './guest.ts';
import { LAYERS } from './layers.ts';
import { MEMORY } from './memory.ts';
import { NETWORK } from './network.ts';
import { STORAGE } from './storage.ts';

/** All that a scrape of virt-handler says about instances. */
export const VMI_FAMILIES: readonly Family[] = [CPU, MEMORY, NETWORK, STORAGE, GUEST, COUNTERS, LAYERS].flatMap(
  (group) => Object.values<Family>(group),
);
