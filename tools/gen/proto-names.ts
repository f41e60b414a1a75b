/** The name of a protobuf field whose JSON name is that of the Kubernetes field. */
export function fieldName(json: string): { name: string; needsJsonName: boolean } {
  const name = json
    .replace('IPv6', 'Ipv6')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
  return { name, needsJsonName: defaultJsonName(name) !== json };
}

/** The name of the message that a field holds: its own name, in the singular if the field is a list. */
export function messageName(json: string, isList: boolean): string {
  const capitalised = json.charAt(0).toUpperCase() + json.slice(1);
  return isList ? capitalised.replace(/s$/, '') : capitalised;
}

// What protobuf derives by itself: an underscore goes, and the letter behind it becomes a capital.
function defaultJsonName(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
