import { XMLBuilder } from 'fast-xml-parser';
import type { Element, Node } from './element.ts';

const builder = new XMLBuilder({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  format: true,
  indentBy: '  ',
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  processEntities: true,
});

/** What fast-xml-parser calls an ordered node: one key is the tag, ":@" holds the attributes. */
function ordered(node: Node): Record<string, unknown> {
  if (typeof node === 'string') return { '#text': node };
  const tag = { [node.name]: node.children.map(ordered) };
  return Object.keys(node.attributes).length === 0 ? tag : { ...tag, ':@': node.attributes };
}

/** The document with two spaces of indentation, the same text for the same tree. */
export function writeXml(root: Element): string {
  return `${builder.build([ordered(root)]).trim()}\n`;
}
