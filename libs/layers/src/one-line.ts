/** Text of a guest as it is shown: a control character would steer the terminal of whoever reads it. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => (/\s/.test(character) ? ' ' : '\ufffd'));
}

export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}
