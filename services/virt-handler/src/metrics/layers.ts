import { freshness, type Layer, type Sample } from '@yagura/layers';
import { gauge, type Series } from '@yagura/runtime/metrics';

export const LAYERS = {
  up: gauge('yagura_vmi_layer_up', 'Whether a layer of a virtual machine instance answers: 1 or 0.'),
  age: gauge(
    'yagura_vmi_layer_age_seconds',
    'Seconds since a layer of a virtual machine instance last gave a sign of life; absent when it never did.',
  ),
};

/** Fields that stand for a layer: while all that were ever seen are live, it is up. The first one must have been. */
const SIGNS: readonly [Layer, readonly string[]][] = [
  ['node', ['launcher.channel']],
  // A QEMU that hangs is still running for libvirt.
  ['domain', ['state', 'qemu.monitor']],
  ['guest', ['agent.lastSuccess']],
];

/** A series for each layer, also when it is down. @param statsAt when the statistics last came, and whether now */
export function layerSeries(
  samples: readonly Sample[],
  stats: { lastAt: Date | undefined; answered: boolean },
  now: Date,
): Series[] {
  const age = (layer: Layer, at: Date | undefined): Series[] =>
    at === undefined
      ? []
      : [{ family: LAYERS.age, labels: { layer }, value: Math.max(0, now.getTime() - at.getTime()) / 1000 }];
  const up = (layer: Layer, isUp: boolean): Series => ({ family: LAYERS.up, labels: { layer }, value: isUp ? 1 : 0 });
  return [
    ...SIGNS.flatMap(([layer, fields]) => {
      const [first, ...others] = fields.map((field) =>
        samples.find((sample) => sample.layer === layer && sample.field === field),
      );
      const signs = [first, ...others.filter((sign) => sign?.observedAt !== undefined)];
      const isUp = signs.every((sign) => sign !== undefined && freshness(sign, now) === 'live');
      const times = signs.flatMap((sign) => (sign?.observedAt === undefined ? [] : [sign.observedAt.getTime()]));
      const oldest = times.length === 0 ? undefined : new Date(Math.min(...times));
      return [up(layer, isUp), ...age(layer, oldest)];
    }),
    up('metrics', stats.answered),
    ...age('metrics', stats.lastAt),
  ];
}
