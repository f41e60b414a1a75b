import type { Metric, Registry } from '@prometheus-io/client';

/** What all series of one name have in common. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
}

export type SeriesLabels = Readonly<Record<string, string | undefined>>;

/** One value of a family; a label without a value is left out. */
export interface Series {
  family: Family;
  labels: SeriesLabels;
  value: number;
}

export function counter(name: string, help: string): Family {
  return { name, help, type: 'counter' };
}

export function gauge(name: string, help: string): Family {
  return { name, help, type: 'gauge' };
}

/**
 * Families whose values somebody else counts: all their series are read together, once a scrape; scrapes at the same
 * time share what is read. Values are not kept, so a series is there exactly as long as it is read.
 */
export function registerFamilies(
  registry: Registry,
  families: readonly Family[],
  read: () => readonly Series[] | Promise<readonly Series[]>,
): void {
  let reading: Promise<Map<Family, Series[]>> | undefined;
  const shared = () => {
    reading ??= Promise.resolve()
      .then(read)
      .then((series) => Map.groupBy(series, ({ family }) => family))
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  for (const family of families) {
    const get = async () => {
      const values = (await shared()).get(family) ?? [];
      return {
        ...family,
        aggregator: 'sum',
        values: values.map(({ labels, value }) => ({ labels: set(labels), value })),
      };
    };
    // The registry asks a metric for its name and for `get`, nothing else.
    registry.registerMetric({ ...family, get } as unknown as Metric<string>);
  }
}

function set(labels: SeriesLabels): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}
