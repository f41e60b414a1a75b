export { quantityBytes } from './convert/compute.ts';
export { convert } from './convert/convert.ts';
export {
  type ConversionOptions,
  DEFAULT_BALLOON_STATS_PERIOD_SECONDS,
  type DiskSource,
  type InterfaceSource,
} from './convert/options.ts';
export { specHash } from './convert/spec-hash.ts';
export { ConversionError } from './errors.ts';
export { AGENT_CHANNEL, serialLog, serialSocket, vncSocket } from './guest-paths.ts';
export { type InterfaceChange, interfaceChanges } from './interface-changes.ts';
export { plugMemoryXml } from './memory-device.ts';
export type { DomainMetadata, DomainModel } from './model.ts';
export { domainName, nameOfAlias, parseDomainName, userAlias } from './names.ts';
export { parseCpuCapabilities, parseMachineTypes } from './node/capabilities.ts';
export { type LiveDisk, type LiveDomain, type LiveInterface, parseDomainXml, parseMetadataXml } from './parse/parse.ts';
export { pluggedDiskXml, unpluggedDiskXml } from './plug.ts';
export { TCG_TB_CACHE_MEBIBYTES } from './tcg.ts';
export { buildDomainXml } from './write/domain.ts';
export { METADATA_NAMESPACE } from './write/metadata.ts';
export { XmlError } from './xml/read.ts';
