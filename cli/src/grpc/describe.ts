import type { DescField, DescMessage, DescService } from '@bufbuild/protobuf';

/** One line per method: `rpc Name(Request) returns (stream Response)`. */
export function describeService(service: DescService): string {
  const lines = service.methods.map(({ name, input, output, methodKind }) => {
    const stream = methodKind === 'server_streaming' ? 'stream ' : '';
    return `  rpc ${name}(${input.name}) returns (${stream}${output.name});`;
  });
  return `service ${service.typeName} {\n${lines.join('\n')}\n}\n`;
}

/** The fields of a message, in the words of its .proto file. */
export function describeMessage(message: DescMessage): string {
  const lines = message.fields.map((field) => `  ${fieldType(field)} ${field.name} = ${field.number};`);
  return `message ${message.typeName} {${lines.length === 0 ? '' : `\n${lines.join('\n')}\n`}}\n`;
}

function fieldType(field: DescField): string {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarName(field.scalar);
    case 'message':
      return field.message.typeName;
    case 'enum':
      return field.enum.typeName;
    case 'list':
      return `repeated ${field.listKind === 'scalar' ? scalarName(field.scalar) : field.listKind === 'enum' ? field.enum.typeName : field.message.typeName}`;
    case 'map':
      return `map<${scalarName(field.mapKey)}, ${field.mapKind === 'scalar' ? scalarName(field.scalar) : field.mapKind === 'enum' ? field.enum.typeName : field.message.typeName}>`;
  }
}

/** In the order of the numbers that the protobuf descriptor gives them. */
const SCALARS = [
  '',
  'double',
  'float',
  'int64',
  'uint64',
  'int32',
  'fixed64',
  'fixed32',
  'bool',
  'string',
  '',
  '',
  'bytes',
  'uint32',
  '',
  'sfixed32',
  'sfixed64',
  'sint32',
  'sint64',
];

function scalarName(type: number): string {
  return SCALARS[type] ?? `scalar ${type}`;
}
