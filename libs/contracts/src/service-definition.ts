import { type DescMethod, type DescService, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';

/** A method of a protobuf service in grpc-js's terms. */
export function methodDefinition(service: DescService, method: DescMethod): MethodDefinition<Message, Message> {
  const requestStream = method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming';
  const responseStream = method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming';
  const { input, output } = method;
  return {
    path: `/${service.typeName}/${method.name}`,
    requestStream,
    responseStream,
    requestSerialize: (message) => asBuffer(toBinary(input, message)),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: (message) => asBuffer(toBinary(output, message)),
    responseDeserialize: (bytes) => fromBinary(output, bytes),
  };
}

/** A whole protobuf service in grpc-js's terms, keyed by the methods' local names. */
export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(service, method)]));
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
