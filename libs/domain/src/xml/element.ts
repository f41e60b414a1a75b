/** One XML element; attributes and children keep their order. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
}

export type Node = Element | string;

type AttributeValue = string | number | bigint | undefined;

/** Builds an element; attributes and children that are undefined are left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, AttributeValue>> = {},
  children: readonly (Node | undefined)[] = [],
): Element {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return {
    name,
    attributes: Object.fromEntries(present.map(([key, value]) => [key, String(value)])),
    children: children.filter((child) => child !== undefined),
  };
}

/** An element with nothing but text. */
export function textElement(name: string, text: string | number | bigint): Element {
  return element(name, {}, [String(text)]);
}

export function childElements(parent: Element | undefined, name: string): Element[] {
  return (parent?.children ?? []).filter((node): node is Element => typeof node !== 'string' && node.name === name);
}

/** The first child of that name, then its first child of the next name, and so on. */
export function descendant(parent: Element | undefined, ...path: string[]): Element | undefined {
  return path.reduce<Element | undefined>((at, name) => childElements(at, name)[0], parent);
}

export function textOf(node: Element | undefined): string | undefined {
  return node?.children.filter((child) => typeof child === 'string').join('');
}
