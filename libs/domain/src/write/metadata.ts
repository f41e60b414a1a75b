import type { DomainMetadata } from '../model.ts';
import { childElements, descendant, type Element, element, textElement, textOf } from '../xml/element.ts';

/** The namespace that the field's tools look for. */
export const METADATA_NAMESPACE = 'http://kubevirt.io';

export function metadataElement(metadata: DomainMetadata): Element {
  return element('metadata', {}, [
    element('kubevirt', { xmlns: METADATA_NAMESPACE }, [
      textElement('uid', metadata.uid),
      textElement('namespace', metadata.namespace),
      textElement('name', metadata.name),
      element('graceperiod', {}, [textElement('deletionGracePeriodSeconds', metadata.gracePeriodSeconds)]),
      textElement('specHash', metadata.specHash),
    ]),
  ]);
}

/** undefined when the domain is none of ours. */
export function readMetadata(domain: Element): DomainMetadata | undefined {
  const elements = (childElements(domain, 'metadata')[0]?.children ?? []).filter((node) => typeof node !== 'string');
  return elements.map(readMetadataElement).find((metadata) => metadata !== undefined);
}

/** The element by itself, as virDomainGetMetadata answers; libvirt may add a prefix to the namespace's elements. */
export function readMetadataElement(ours: Element): DomainMetadata | undefined {
  if (!Object.values(ours.attributes).includes(METADATA_NAMESPACE)) return undefined;
  const prefix = ours.name.includes(':') ? `${ours.name.split(':')[0]}:` : '';
  const text = (...path: string[]) => textOf(descendant(ours, ...path.map((name) => prefix + name)));
  const grace = Number(text('graceperiod', 'deletionGracePeriodSeconds'));
  return {
    uid: text('uid') ?? '',
    namespace: text('namespace') ?? '',
    name: text('name') ?? '',
    gracePeriodSeconds: Number.isFinite(grace) ? grace : 0,
    specHash: text('specHash') ?? '',
  };
}
