// Domains: state, description and figures.
#include <cstdlib>

#include <libvirt/libvirt-qemu.h>

#include "api.h"
#include "submit.h"

namespace yagura {

Napi::Value DomainGetID(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info),
                        [](virDomainPtr domain) { return Number(static_cast<int32_t>(virDomainGetID(domain))); });
}

Napi::Value DomainGetXMLDesc(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned flags = args.Uint(1);
  return SubmitToDomain(args, [=](virDomainPtr domain) { return TakeText(virDomainGetXMLDesc(domain, flags)); });
}

Napi::Value DomainGetState(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info), [](virDomainPtr domain) -> ToJs {
    int state = 0, reason = 0;
    Check(virDomainGetState(domain, &state, &reason, 0));
    return [=](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, 2);
      array.Set(0u, Napi::Number::New(env, state));
      array.Set(1u, Napi::Number::New(env, reason));
      return array;
    };
  });
}

Napi::Value DomainGetInfo(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info), [](virDomainPtr domain) -> ToJs {
    virDomainInfo figures = {};
    Check(virDomainGetInfo(domain, &figures));
    return [=](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, 5);
      array.Set(0u, Napi::Number::New(env, figures.state));
      array.Set(1u, Napi::BigInt::New(env, static_cast<uint64_t>(figures.maxMem)));
      array.Set(2u, Napi::BigInt::New(env, static_cast<uint64_t>(figures.memory)));
      array.Set(3u, Napi::Number::New(env, figures.nrVirtCpu));
      array.Set(4u, Napi::BigInt::New(env, static_cast<uint64_t>(figures.cpuTime)));
      return array;
    };
  });
}

Napi::Value DomainGetControlInfo(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info), [](virDomainPtr domain) -> ToJs {
    virDomainControlInfo control = {};
    Check(virDomainGetControlInfo(domain, &control, 0));
    return [=](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, 3);
      array.Set(0u, Napi::Number::New(env, control.state));
      array.Set(1u, Napi::Number::New(env, control.details));
      array.Set(2u, Napi::Number::New(env, static_cast<double>(control.stateTime)));
      return array;
    };
  });
}

Napi::Value DomainIsActive(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info), [](virDomainPtr domain) { return Boolean(Check(virDomainIsActive(domain)) == 1); });
}

Napi::Value DomainIsPersistent(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info), [](virDomainPtr domain) { return Boolean(Check(virDomainIsPersistent(domain)) == 1); });
}

Napi::Value DomainMemoryStats(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info), [](virDomainPtr domain) -> ToJs {
    // A newer daemon may know more tags than the headers: room for them, JavaScript leaves out what it does not know.
    std::vector<virDomainMemoryStatStruct> stats(VIR_DOMAIN_MEMORY_STAT_NR + 16);
    stats.resize(Check(virDomainMemoryStats(domain, stats.data(), stats.size(), 0)));
    return [stats = std::move(stats)](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, stats.size() * 2);
      uint32_t i = 0;
      for (const auto& stat : stats) {
        array.Set(i++, Napi::Number::New(env, stat.tag));
        array.Set(i++, Napi::BigInt::New(env, static_cast<uint64_t>(stat.val)));
      }
      return array;
    };
  });
}

Napi::Value DomainSetMemoryStatsPeriod(const Napi::CallbackInfo& info) {
  const Args args(info);
  const int seconds = args.Int(1);
  const unsigned flags = args.Uint(2);
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    Check(virDomainSetMemoryStatsPeriod(domain, seconds, flags));
    return Nothing();
  });
}

Napi::Value DomainBlockStats(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto disk = args.String(1);
  return SubmitToDomain(args, [=](virDomainPtr domain) -> ToJs {
    int count = 0;
    Check(virDomainBlockStatsFlags(domain, disk.c_str(), nullptr, &count, 0));
    std::vector<virTypedParameter> params(count);
    Check(virDomainBlockStatsFlags(domain, disk.c_str(), params.data(), &count, 0));
    TypedParams result(params.data(), count);
    virTypedParamsClear(params.data(), count);
    return [result = std::move(result)](Napi::Env env) { return result.ToJs(env); };
  });
}

Napi::Value DomainBlockInfo(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto disk = args.String(1);
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    virDomainBlockInfo sizes = {};
    Check(virDomainGetBlockInfo(domain, disk.c_str(), &sizes, 0));
    return Uint64s({sizes.capacity, sizes.allocation, sizes.physical});
  });
}

Napi::Value DomainInterfaceStats(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto device = args.String(1);
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    virDomainInterfaceStatsStruct s = {-1, -1, -1, -1, -1, -1, -1, -1};
    Check(virDomainInterfaceStats(domain, device.c_str(), &s, sizeof(s)));
    return Int64s({s.rx_bytes, s.rx_packets, s.rx_errs, s.rx_drop, s.tx_bytes, s.tx_packets, s.tx_errs, s.tx_drop});
  });
}

Napi::Value DomainDiskErrors(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info), [](virDomainPtr domain) -> ToJs {
    const int disks = Check(virDomainGetDiskErrors(domain, nullptr, 0, 0));
    std::vector<virDomainDiskError> errors(disks);
    const int count = disks == 0 ? 0 : Check(virDomainGetDiskErrors(domain, errors.data(), disks, 0));
    std::vector<std::pair<std::string, int>> found;
    for (int i = 0; i < count; ++i) {
      found.emplace_back(errors[i].disk, errors[i].error);
      free(errors[i].disk);
    }
    return [found = std::move(found)](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, found.size() * 2);
      uint32_t i = 0;
      for (const auto& [disk, error] : found) {
        array.Set(i++, Napi::String::New(env, disk));
        array.Set(i++, Napi::Number::New(env, error));
      }
      return array;
    };
  });
}

Napi::Value DomainStartDirtyRateCalc(const Napi::CallbackInfo& info) {
  const Args args(info);
  const int seconds = args.Int(1);
  const unsigned flags = args.Uint(2);
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    Check(virDomainStartDirtyRateCalc(domain, seconds, flags));
    return Nothing();
  });
}

Napi::Value DomainGetMetadata(const Napi::CallbackInfo& info) {
  const Args args(info);
  const int type = args.Int(1);
  const auto uri = args.MaybeString(2);
  const unsigned flags = args.Uint(3);
  return SubmitToDomain(args, [=](virDomainPtr domain) { return TakeText(virDomainGetMetadata(domain, type, OrNull(uri), flags)); });
}

Napi::Value DomainSetMetadata(const Napi::CallbackInfo& info) {
  const Args args(info);
  const int type = args.Int(1);
  const auto metadata = args.MaybeString(2), key = args.MaybeString(3), uri = args.MaybeString(4);
  const unsigned flags = args.Uint(5);
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    Check(virDomainSetMetadata(domain, type, OrNull(metadata), OrNull(key), OrNull(uri), flags));
    return Nothing();
  });
}

Napi::Value DomainQemuMonitorCommand(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto command = args.String(1);
  const unsigned flags = args.Uint(2);
  return SubmitToDomain(args, [=](virDomainPtr domain) {
    char* result = nullptr;
    Check(virDomainQemuMonitorCommand(domain, command.c_str(), &result, flags));
    return TakeText(result);
  });
}

}  // namespace yagura
