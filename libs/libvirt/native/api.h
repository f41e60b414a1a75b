// The calls that JavaScript can make: the same names in the same order as the Native interface in src/native.ts.
#pragma once

#include <napi.h>

namespace yagura {

// Connections.
Napi::Value ConnectionOpen(const Napi::CallbackInfo& info);
Napi::Value ConnectionClose(const Napi::CallbackInfo& info);
Napi::Value ConnectionIsAlive(const Napi::CallbackInfo& info);
Napi::Value ConnectionSubscribe(const Napi::CallbackInfo& info);
Napi::Value ConnectionUnsubscribe(const Napi::CallbackInfo& info);
Napi::Value ConnectionGetVersion(const Napi::CallbackInfo& info);
Napi::Value ConnectionGetLibVersion(const Napi::CallbackInfo& info);
Napi::Value ConnectionGetHostname(const Napi::CallbackInfo& info);
Napi::Value ConnectionGetURI(const Napi::CallbackInfo& info);
Napi::Value ConnectionGetCapabilities(const Napi::CallbackInfo& info);
Napi::Value ConnectionGetDomainCapabilities(const Napi::CallbackInfo& info);
Napi::Value ConnectionListAllDomains(const Napi::CallbackInfo& info);
Napi::Value ConnectionLookupByName(const Napi::CallbackInfo& info);
Napi::Value ConnectionLookupByUUID(const Napi::CallbackInfo& info);
Napi::Value ConnectionDefineXML(const Napi::CallbackInfo& info);
Napi::Value ConnectionCreateXML(const Napi::CallbackInfo& info);
Napi::Value ConnectionGetAllDomainStats(const Napi::CallbackInfo& info);

// Domains.
Napi::Value DomainClose(const Napi::CallbackInfo& info);
Napi::Value DomainGetID(const Napi::CallbackInfo& info);
Napi::Value DomainCreate(const Napi::CallbackInfo& info);
Napi::Value DomainSuspend(const Napi::CallbackInfo& info);
Napi::Value DomainResume(const Napi::CallbackInfo& info);
Napi::Value DomainShutdown(const Napi::CallbackInfo& info);
Napi::Value DomainReboot(const Napi::CallbackInfo& info);
Napi::Value DomainReset(const Napi::CallbackInfo& info);
Napi::Value DomainDestroy(const Napi::CallbackInfo& info);
Napi::Value DomainUndefine(const Napi::CallbackInfo& info);
Napi::Value DomainGetXMLDesc(const Napi::CallbackInfo& info);
Napi::Value DomainGetState(const Napi::CallbackInfo& info);
Napi::Value DomainGetInfo(const Napi::CallbackInfo& info);
Napi::Value DomainGetControlInfo(const Napi::CallbackInfo& info);
Napi::Value DomainIsActive(const Napi::CallbackInfo& info);
Napi::Value DomainIsPersistent(const Napi::CallbackInfo& info);
Napi::Value DomainMemoryStats(const Napi::CallbackInfo& info);
Napi::Value DomainSetMemoryStatsPeriod(const Napi::CallbackInfo& info);
Napi::Value DomainBlockStats(const Napi::CallbackInfo& info);
Napi::Value DomainBlockInfo(const Napi::CallbackInfo& info);
Napi::Value DomainInterfaceStats(const Napi::CallbackInfo& info);
Napi::Value DomainDiskErrors(const Napi::CallbackInfo& info);
Napi::Value DomainStartDirtyRateCalc(const Napi::CallbackInfo& info);
Napi::Value DomainGetMetadata(const Napi::CallbackInfo& info);
Napi::Value DomainSetMetadata(const Napi::CallbackInfo& info);
Napi::Value DomainAttachDevice(const Napi::CallbackInfo& info);
Napi::Value DomainDetachDevice(const Napi::CallbackInfo& info);
Napi::Value DomainUpdateDevice(const Napi::CallbackInfo& info);
Napi::Value DomainSetVcpus(const Napi::CallbackInfo& info);
Napi::Value DomainScreenshot(const Napi::CallbackInfo& info);
Napi::Value DomainQemuMonitorCommand(const Napi::CallbackInfo& info);
Napi::Value DomainGetGuestInfo(const Napi::CallbackInfo& info);
Napi::Value DomainAgentCommand(const Napi::CallbackInfo& info);
Napi::Value DomainSetAgentResponseTimeout(const Napi::CallbackInfo& info);
Napi::Value DomainInterfaceAddresses(const Napi::CallbackInfo& info);
Napi::Value DomainGetHostname(const Napi::CallbackInfo& info);
Napi::Value DomainGetTime(const Napi::CallbackInfo& info);
Napi::Value DomainSetTime(const Napi::CallbackInfo& info);
Napi::Value DomainFSFreeze(const Napi::CallbackInfo& info);
Napi::Value DomainFSThaw(const Napi::CallbackInfo& info);
Napi::Value DomainGetJobStats(const Napi::CallbackInfo& info);
Napi::Value DomainAbortJob(const Napi::CallbackInfo& info);
Napi::Value DomainMigrateToURI3(const Napi::CallbackInfo& info);
Napi::Value DomainMigrateSetMaxSpeed(const Napi::CallbackInfo& info);
Napi::Value DomainMigrateGetMaxSpeed(const Napi::CallbackInfo& info);
Napi::Value DomainMigrateSetMaxDowntime(const Napi::CallbackInfo& info);
Napi::Value DomainMigrateStartPostCopy(const Napi::CallbackInfo& info);

}  // namespace yagura
