/** What of a refusal stays the same while it is one: how much of a quota others use right now is left out. */
export function refusalWords(message: string): string {
  return message.replace(/, used: .*?(?=, limited: )/g, '');
}
