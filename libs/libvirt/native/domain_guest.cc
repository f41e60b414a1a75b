// Domains: asking the guest agent. All of it runs on the connection's agent thread, which a hung agent may hold up.
#include <cstdlib>

#include <libvirt/libvirt-qemu.h>
#include <libvirt/virterror.h>

#include "api.h"
#include "submit.h"

namespace yagura {

Napi::Value DomainGetGuestInfo(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned types = args.Uint(1);
  return SubmitToDomain(args, Lane::kAgent, [=](virDomainPtr domain) -> ToJs {
    virTypedParameterPtr params = nullptr;
    int count = 0;
    Check(virDomainGetGuestInfo(domain, types, &params, &count, 0));
    TypedParams result(params, count);
    virTypedParamsFree(params, count);
    return [result = std::move(result)](Napi::Env env) { return result.ToJs(env); };
  });
}

Napi::Value DomainAgentCommand(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto command = args.String(1);
  const int timeout = args.Int(2);
  return SubmitToDomain(args, Lane::kAgent, [=](virDomainPtr domain) {
    virResetLastError();
    char* answer = virDomainQemuAgentCommand(domain, command.c_str(), timeout, 0);
    // Without waiting there is no answer, and no error either.
    if (answer == nullptr && virGetLastErrorCode() == VIR_ERR_OK) return Nothing();
    return TakeText(answer);
  });
}

Napi::Value DomainSetAgentResponseTimeout(const Napi::CallbackInfo& info) {
  const Args args(info);
  const int seconds = args.Int(1);
  return SubmitToDomain(args, Lane::kAgent, [=](virDomainPtr domain) {
    Check(virDomainAgentSetResponseTimeout(domain, seconds, 0));
    return Nothing();
  });
}

Napi::Value DomainInterfaceAddresses(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned source = args.Uint(1);
  struct Address {
    int type;
    std::string addr;
    unsigned prefix;
  };
  struct Interface {
    std::string name;
    std::optional<std::string> hwaddr;
    std::vector<Address> addrs;
  };
  // Leases and ARP are read without the agent.
  const bool by_agent = source == VIR_DOMAIN_INTERFACE_ADDRESSES_SRC_AGENT;
  return SubmitToDomain(args, by_agent ? Lane::kAgent : Lane::kCommands, [=](virDomainPtr domain) -> ToJs {
    virDomainInterfacePtr* found = nullptr;
    const int count = Check(virDomainInterfaceAddresses(domain, &found, source, 0));
    auto interfaces = std::make_shared<std::vector<Interface>>();
    for (int i = 0; i < count; ++i) {
      Interface one{found[i]->name, std::nullopt, {}};
      if (found[i]->hwaddr != nullptr) one.hwaddr = found[i]->hwaddr;
      for (unsigned j = 0; j < found[i]->naddrs; ++j) {
        const virDomainIPAddress& address = found[i]->addrs[j];
        one.addrs.push_back({address.type, address.addr, address.prefix});
      }
      interfaces->push_back(std::move(one));
      virDomainInterfaceFree(found[i]);
    }
    free(found);
    return [interfaces](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, interfaces->size());
      for (uint32_t i = 0; i < interfaces->size(); ++i) {
        const Interface& one = (*interfaces)[i];
        Napi::Array addrs = Napi::Array::New(env, one.addrs.size() * 3);
        uint32_t j = 0;
        for (const Address& address : one.addrs) {
          addrs.Set(j++, Napi::Number::New(env, address.type));
          addrs.Set(j++, Napi::String::New(env, address.addr));
          addrs.Set(j++, Napi::Number::New(env, address.prefix));
        }
        Napi::Array entry = Napi::Array::New(env, 3);
        entry.Set(0u, Napi::String::New(env, one.name));
        entry.Set(1u, one.hwaddr ? Napi::Value(Napi::String::New(env, *one.hwaddr)) : env.Null());
        entry.Set(2u, addrs);
        array.Set(i, entry);
      }
      return array;
    };
  });
}

Napi::Value DomainGetHostname(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned flags = args.Uint(1);
  return SubmitToDomain(args, Lane::kAgent, [=](virDomainPtr domain) { return TakeText(virDomainGetHostname(domain, flags)); });
}

Napi::Value DomainGetTime(const Napi::CallbackInfo& info) {
  return SubmitToDomain(Args(info), Lane::kAgent, [](virDomainPtr domain) -> ToJs {
    long long seconds = 0;
    unsigned nanoseconds = 0;
    Check(virDomainGetTime(domain, &seconds, &nanoseconds, 0));
    return [=](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, 2);
      array.Set(0u, Napi::BigInt::New(env, static_cast<int64_t>(seconds)));
      array.Set(1u, Napi::Number::New(env, nanoseconds));
      return array;
    };
  });
}

Napi::Value DomainSetTime(const Napi::CallbackInfo& info) {
  const Args args(info);
  const int64_t seconds = args.Int64(1);
  const unsigned nanoseconds = args.Uint(2), flags = args.Uint(3);
  return SubmitToDomain(args, Lane::kAgent, [=](virDomainPtr domain) {
    Check(virDomainSetTime(domain, seconds, nanoseconds, flags));
    return Nothing();
  });
}

namespace {

template <typename Run>
Napi::Value SubmitOnMountpoints(const Args& args, Run run) {
  const auto texts = args.Strings(1);
  return SubmitToDomain(args, Lane::kAgent, [=](virDomainPtr domain) {
    std::vector<const char*> mountpoints;
    for (const auto& text : texts) mountpoints.push_back(text.c_str());
    return Number(Check(run(domain, mountpoints.empty() ? nullptr : mountpoints.data(), mountpoints.size(), 0)));
  });
}

}  // namespace

Napi::Value DomainFSFreeze(const Napi::CallbackInfo& info) {
  return SubmitOnMountpoints(Args(info), virDomainFSFreeze);
}

Napi::Value DomainFSThaw(const Napi::CallbackInfo& info) { return SubmitOnMountpoints(Args(info), virDomainFSThaw); }

}  // namespace yagura
