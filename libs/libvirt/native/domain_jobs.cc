// Domains: long jobs and migration. The migration itself has the connection's job thread; watching, steering and
// aborting it go the way of other commands.
#include "api.h"
#include "submit.h"

namespace yagura {

Napi::Value DomainGetJobStats(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned flags = args.Uint(1);
  return SubmitToDomain(args, [=](virDomainPtr domain) -> ToJs {
    int type = 0, count = 0;
    virTypedParameterPtr params = nullptr;
    Check(virDomainGetJobStats(domain, &type, &params, &count, flags));
    TypedParams result(params, count);
    virTypedParamsFree(params, count);
    return [type, result = std::move(result)](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, 2);
      array.Set(0u, Napi::Number::New(env, type));
      array.Set(1u, result.ToJs(env));
      return array;
    };
  });
}

Napi::Value DomainAbortJob(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned flags = args.Uint(1);
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    // The plain call is understood by older daemons.
#if LIBVIR_VERSION_NUMBER >= 8005000
    Check(flags == 0 ? virDomainAbortJob(domain) : virDomainAbortJobFlags(domain, flags));
#else
    Check(virDomainAbortJob(domain));
#endif
    return Nothing();
  });
}

Napi::Value DomainMigrateToURI3(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto uri = args.MaybeString(1);
  const auto params = args.Params(2);
  const unsigned flags = args.Uint(3);
  return SubmitToDomain(args, Lane::kJobs, [=](virDomainPtr domain) {
    const auto [list, count] = params.ToLibvirt();
    const int result = virDomainMigrateToURI3(domain, OrNull(uri), list, count, flags);
    const Failure failure = result < 0 ? LastFailure() : Failure(0, 0, 0, "");
    virTypedParamsFree(list, count);
    if (result < 0) throw failure;
    return Nothing();
  });
}

Napi::Value DomainMigrateSetMaxSpeed(const Napi::CallbackInfo& info) {
  const Args args(info);
  const uint64_t speed = args.Uint64(1);
  const unsigned flags = args.Uint(2);
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    Check(virDomainMigrateSetMaxSpeed(domain, speed, flags));
    return Nothing();
  });
}

Napi::Value DomainMigrateGetMaxSpeed(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned flags = args.Uint(1);
  return SubmitToDomain(args, [=](virDomainPtr domain) -> ToJs {
    unsigned long speed = 0;
    Check(virDomainMigrateGetMaxSpeed(domain, &speed, flags));
    return [speed](Napi::Env env) { return Napi::BigInt::New(env, static_cast<uint64_t>(speed)); };
  });
}

Napi::Value DomainMigrateSetMaxDowntime(const Napi::CallbackInfo& info) {
  const Args args(info);
  const uint64_t milliseconds = args.Uint64(1);
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    Check(virDomainMigrateSetMaxDowntime(domain, milliseconds, 0));
    return Nothing();
  });
}

Napi::Value DomainMigrateStartPostCopy(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info), [](virDomainPtr domain) {
    Check(virDomainMigrateStartPostCopy(domain, 0));
    return Nothing();
  });
}

}  // namespace yagura
