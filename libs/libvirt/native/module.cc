// What the addon exports: the same names in the same order as the Native interface in src/native.ts.
#include <cstdlib>

#include <libvirt/libvirt.h>

#include "api.h"
#include "args.h"

namespace yagura {

namespace {

Napi::Value Versions(const Napi::CallbackInfo& info) {
  unsigned long loaded = 0;
  virGetVersion(&loaded, nullptr, nullptr);
  Napi::Object versions = Napi::Object::New(info.Env());
  versions.Set("compiled", Napi::Number::New(info.Env(), LIBVIR_VERSION_NUMBER));
  versions.Set("loaded", Napi::Number::New(info.Env(), static_cast<double>(loaded)));
  return versions;
}

Napi::Value Abandon(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), Dispatcher::Of(info.Env())->Abandon(Args(info).Uint(0)));
}

Napi::Value Counts(const Napi::CallbackInfo& info) { return Dispatcher::Of(info.Env())->Counts(info.Env()); }

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  // For a session libvirt would start a daemon of its own, a rival to the supervised one.
  setenv("LIBVIRT_AUTOSTART", "0", 1);
  SilenceErrorHandler();
  Dispatcher::Create(env);

  const auto add = [&](const char* name, Napi::Value (*call)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, call, name));
  };
  add("versions", Versions);
  add("abandon", Abandon);
  add("counts", Counts);

  add("connectionOpen", ConnectionOpen);
  add("connectionClose", ConnectionClose);
  add("connectionIsAlive", ConnectionIsAlive);
  add("connectionSubscribe", ConnectionSubscribe);
  add("connectionUnsubscribe", ConnectionUnsubscribe);
  add("connectionGetVersion", ConnectionGetVersion);
  add("connectionGetLibVersion", ConnectionGetLibVersion);
  add("connectionGetHostname", ConnectionGetHostname);
  add("connectionGetURI", ConnectionGetURI);
  add("connectionGetCapabilities", ConnectionGetCapabilities);
  add("connectionGetDomainCapabilities", ConnectionGetDomainCapabilities);
  add("connectionListAllDomains", ConnectionListAllDomains);
  add("connectionLookupByName", ConnectionLookupByName);
  add("connectionLookupByUUID", ConnectionLookupByUUID);
  add("connectionDefineXML", ConnectionDefineXML);
  add("connectionCreateXML", ConnectionCreateXML);
  add("connectionGetAllDomainStats", ConnectionGetAllDomainStats);

  add("domainClose", DomainClose);
  add("domainGetID", DomainGetID);
  add("domainCreate", DomainCreate);
  add("domainSuspend", DomainSuspend);
  add("domainResume", DomainResume);
  add("domainShutdown", DomainShutdown);
  add("domainReboot", DomainReboot);
  add("domainReset", DomainReset);
  add("domainDestroy", DomainDestroy);
  add("domainUndefine", DomainUndefine);
  add("domainGetXMLDesc", DomainGetXMLDesc);
  add("domainGetState", DomainGetState);
  add("domainGetInfo", DomainGetInfo);
  add("domainGetControlInfo", DomainGetControlInfo);
  add("domainIsActive", DomainIsActive);
  add("domainIsPersistent", DomainIsPersistent);
  add("domainMemoryStats", DomainMemoryStats);
  add("domainSetMemoryStatsPeriod", DomainSetMemoryStatsPeriod);
  add("domainBlockStats", DomainBlockStats);
  add("domainBlockInfo", DomainBlockInfo);
  add("domainInterfaceStats", DomainInterfaceStats);
  add("domainDiskErrors", DomainDiskErrors);
  add("domainStartDirtyRateCalc", DomainStartDirtyRateCalc);
  add("domainGetMetadata", DomainGetMetadata);
  add("domainSetMetadata", DomainSetMetadata);
  add("domainAttachDevice", DomainAttachDevice);
  add("domainDetachDevice", DomainDetachDevice);
  add("domainUpdateDevice", DomainUpdateDevice);
  add("domainSetVcpus", DomainSetVcpus);
  add("domainScreenshot", DomainScreenshot);
  add("domainQemuMonitorCommand", DomainQemuMonitorCommand);
  add("domainGetGuestInfo", DomainGetGuestInfo);
  add("domainAgentCommand", DomainAgentCommand);
  add("domainSetAgentResponseTimeout", DomainSetAgentResponseTimeout);
  add("domainInterfaceAddresses", DomainInterfaceAddresses);
  add("domainGetHostname", DomainGetHostname);
  add("domainGetTime", DomainGetTime);
  add("domainSetTime", DomainSetTime);
  add("domainFSFreeze", DomainFSFreeze);
  add("domainFSThaw", DomainFSThaw);
  add("domainGetJobStats", DomainGetJobStats);
  add("domainAbortJob", DomainAbortJob);
  add("domainMigrateToURI3", DomainMigrateToURI3);
  add("domainMigrateSetMaxSpeed", DomainMigrateSetMaxSpeed);
  add("domainMigrateGetMaxSpeed", DomainMigrateGetMaxSpeed);
  add("domainMigrateSetMaxDowntime", DomainMigrateSetMaxDowntime);
  add("domainMigrateStartPostCopy", DomainMigrateStartPostCopy);
  return exports;
}

}  // namespace

NODE_API_MODULE(yagura_libvirt, Init)

}  // namespace yagura
