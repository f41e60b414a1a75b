import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation, type ServingStatus } from 'grpc-health-check';
import { Health } from './gen/grpc/health/v1/health_pb.js';

/**
 * Adds the standard health and reflection services, so that `grpcurl` can list, describe and call everything.
 * Returns the setter of the health of the whole server and of each service.
 */
export function addIntrospection(server: Server, services: DescService[]): (status: ServingStatus) => void {
  const health = new HealthImplementation();
  const setStatus = (status: ServingStatus) => {
    for (const name of ['', ...services.map((service) => service.typeName)]) health.setStatus(name, status);
  };
  setStatus('SERVING');
  health.addToServer(server);
  const files = new Set<DescFile>();
  for (const service of [Health, ...services]) addWithDependencies(service.file, files);
  const fileDescriptorProtos = [...files].map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  // Of a package definition, the reflection service reads nothing but the file descriptors.
  const definition = { files: { fileDescriptorProtos } } as unknown as ConstructorParameters<
    typeof ReflectionService
  >[0];
  new ReflectionService(definition).addToServer(server);
  return setStatus;
}

function addWithDependencies(file: DescFile, into: Set<DescFile>): void {
  if (into.has(file)) return;
  into.add(file);
  for (const dependency of file.dependencies) addWithDependencies(dependency, into);
}
