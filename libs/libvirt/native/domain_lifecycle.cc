// Domains: starting, stopping and changing them.
#include "api.h"
#include "submit.h"

namespace yagura {

Napi::Value DomainClose(const Napi::CallbackInfo& info) {
  Args(info).HandleOfDomain(0).domain.reset();
  return info.Env().Undefined();
}

namespace {

// A call that answers 0 or -1.
template <typename Run>
Napi::Value SubmitRun(const Args& args, Run run) {
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    Check(run(domain));
    return Nothing();
  });
}

// Shutting down or rebooting, which waits for the guest agent when asked to use it, and also when libvirt may choose.
template <typename Run>
Napi::Value SubmitAskGuest(const Args& args, Run run) {
  const unsigned flags = args.Uint(1);
  const bool by_agent = flags == 0 || (flags & VIR_DOMAIN_SHUTDOWN_GUEST_AGENT) != 0;
  return SubmitToDomain(args, by_agent ? Lane::kAgent : Lane::kCommands, [=](virDomainPtr domain) {
    Check(run(domain, flags));
    return Nothing();
  });
}

}  // namespace

Napi::Value DomainCreate(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned flags = args.Uint(1);
  return SubmitRun(args, [=](virDomainPtr domain) { return virDomainCreateWithFlags(domain, flags); });
}

Napi::Value DomainSuspend(const Napi::CallbackInfo& info) { return SubmitRun(Args(info), virDomainSuspend); }

Napi::Value DomainResume(const Napi::CallbackInfo& info) { return SubmitRun(Args(info), virDomainResume); }

Napi::Value DomainShutdown(const Napi::CallbackInfo& info) {
  return SubmitAskGuest(Args(info), virDomainShutdownFlags);
}

Napi::Value DomainReboot(const Napi::CallbackInfo& info) { return SubmitAskGuest(Args(info), virDomainReboot); }

Napi::Value DomainReset(const Napi::CallbackInfo& info) {
  return SubmitRun(Args(info), [](virDomainPtr domain) { return virDomainReset(domain, 0); });
}

Napi::Value DomainDestroy(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned flags = args.Uint(1);
  return SubmitRun(args, [=](virDomainPtr domain) { return virDomainDestroyFlags(domain, flags); });
}

Napi::Value DomainUndefine(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned flags = args.Uint(1);
  return SubmitRun(args, [=](virDomainPtr domain) { return virDomainUndefineFlags(domain, flags); });
}

Napi::Value DomainAttachDevice(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto xml = args.String(1);
  const unsigned flags = args.Uint(2);
  return SubmitRun(args, [=](virDomainPtr domain) { return virDomainAttachDeviceFlags(domain, xml.c_str(), flags); });
}

Napi::Value DomainDetachDevice(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto xml = args.String(1);
  const unsigned flags = args.Uint(2);
  return SubmitRun(args, [=](virDomainPtr domain) { return virDomainDetachDeviceFlags(domain, xml.c_str(), flags); });
}

Napi::Value DomainUpdateDevice(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto xml = args.String(1);
  const unsigned flags = args.Uint(2);
  return SubmitRun(args, [=](virDomainPtr domain) { return virDomainUpdateDeviceFlags(domain, xml.c_str(), flags); });
}

Napi::Value DomainSetVcpus(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned count = args.Uint(1);
  const unsigned flags = args.Uint(2);
  const Lane lane = (flags & VIR_DOMAIN_VCPU_GUEST) != 0 ? Lane::kAgent : Lane::kCommands;
  return SubmitToDomain(args, lane, [=](virDomainPtr domain) {
    Check(virDomainSetVcpusFlags(domain, count, flags));
    return Nothing();
  });
}

}  // namespace yagura
