import { parse } from 'yaml';
import { renderKindConfig } from './kind.ts';

test('the configuration has one control plane and the wanted workers', () => {
  const config = parse(renderKindConfig(2)) as { nodes: { role: string }[] };
  expect(config.nodes.map((node) => node.role)).toEqual(['control-plane', 'worker', 'worker']);
});
