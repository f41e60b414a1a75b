import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Element, Node } from './element.ts';

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  // libvirt's values stay text: "08" is a slot, not the number eight.
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  processEntities: true,
});

/** Thrown when a text that libvirt gave is no XML document. */
export class XmlError extends Error {
  override name = 'XmlError';
}

function fromOrdered(node: Record<string, unknown>): Node | undefined {
  const name = Object.keys(node).find((key) => key !== ':@');
  if (name === undefined) return undefined;
  if (name === '#text') return String(node[name]);
  const children = node[name] as Record<string, unknown>[];
  return {
    name,
    attributes: (node[':@'] ?? {}) as Record<string, string>,
    children: children.map(fromOrdered).filter((child) => child !== undefined),
  };
}

/** The root element; text is kept verbatim but for surrounding blanks. */
export function readXml(text: string): Element {
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw new XmlError(`not an XML document: ${valid.err.msg} (line ${valid.err.line})`);
  const nodes = (parser.parse(text) as Record<string, unknown>[]).map(fromOrdered);
  const root = nodes.find((node): node is Element => node !== undefined && typeof node !== 'string');
  if (root === undefined) throw new XmlError('not an XML document: no root element');
  return root;
}
