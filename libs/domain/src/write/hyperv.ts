import type { HypervFeature, HypervModel } from '../model.ts';
import { type Element, element } from '../xml/element.ts';

export function hypervElement(hyperv: HypervModel | undefined): Element | undefined {
  if (hyperv === undefined) return undefined;
  const features = hyperv.mode === 'custom' ? hyperv.features : [];
  return element('hyperv', { mode: hyperv.mode }, features.map(featureElement));
}

function featureElement({ name, state, attributes, inner }: HypervFeature): Element {
  return element(name, { state, ...attributes }, (inner ?? []).map(featureElement));
}
