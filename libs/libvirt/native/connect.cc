// Connections: opening, closing, what the host is, and finding, defining and measuring domains.
#include "api.h"

#include <cstdlib>

#include "submit.h"

namespace yagura {

Napi::Value ConnectionOpen(const Napi::CallbackInfo& info) {
  const Args args(info);
  Connection::Settings settings;
  settings.uri = args.String(0);
  const Napi::Object given = args.Object(1);
  settings.keepalive_interval = given.Get("keepAliveInterval").ToNumber().Int32Value();
  settings.keepalive_count = given.Get("keepAliveCount").ToNumber().Uint32Value();
  settings.read_only = given.Get("readOnly").ToBoolean().Value();
  const Napi::Function on_event = args.Function(2), on_close = args.Function(3);
  args.Function(4);

  auto dispatcher = Dispatcher::Of(info.Env());
  const ConnectionId id = dispatcher->AddSink(on_event, on_close);
  auto connection = std::make_shared<Connection>(dispatcher, id, std::move(settings));
  return args.Submit(connection->commands, [=]() -> ToJs {
    connection->Open();
    return [connection](Napi::Env env) { return NewConnectionHandle(env, connection); };
  });
}

Napi::Value ConnectionClose(const Napi::CallbackInfo& info) {
  const Args args(info);
  auto& handle = args.Handle(0);
  args.OpenConnection(0);
  for (DomainHandle* domain : *handle.domains) domain->domain.reset();
  auto connection = std::move(handle.connection);
  handle.connection.reset();
  connection->dispatcher->RemoveSink(connection->id);
  const auto commands = connection->commands;
  return args.Submit(commands, [connection = std::move(connection)]() mutable {
    connection->EndCallbacks();
    connection.reset();  // closes it, unless another call is still under way
    return Nothing();
  });
}

Napi::Value ConnectionIsAlive(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto connection = args.OpenConnection(0);
  return args.Submit(connection->commands, [=] { return Boolean(connection->IsAlive()); });
}

Napi::Value ConnectionSubscribe(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto connection = args.OpenConnection(0);
  const int event = args.Int(1);
  return args.Submit(connection->commands, [=] {
    connection->Subscribe(event);
    return Nothing();
  });
}

Napi::Value ConnectionUnsubscribe(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto connection = args.OpenConnection(0);
  const int event = args.Int(1);
  return args.Submit(connection->commands, [=] {
    connection->Unsubscribe(event);
    return Nothing();
  });
}

Napi::Value ConnectionGetVersion(const Napi::CallbackInfo& info) {
  const Args args(info);
  return SubmitToConnection(args, [=](virConnectPtr connection) {
    unsigned long version = 0;
    Check(virConnectGetVersion(connection, &version));
    return Number(static_cast<double>(version));
  });
}

Napi::Value ConnectionGetLibVersion(const Napi::CallbackInfo& info) {
  const Args args(info);
  return SubmitToConnection(args, [=](virConnectPtr connection) {
    unsigned long version = 0;
    Check(virConnectGetLibVersion(connection, &version));
    return Number(static_cast<double>(version));
  });
}

Napi::Value ConnectionGetHostname(const Napi::CallbackInfo& info) {
  const Args args(info);
  return SubmitToConnection(args, [=](virConnectPtr connection) { return TakeText(virConnectGetHostname(connection)); });
}

Napi::Value ConnectionGetURI(const Napi::CallbackInfo& info) {
  const Args args(info);
  return SubmitToConnection(args, [=](virConnectPtr connection) { return TakeText(virConnectGetURI(connection)); });
}

Napi::Value ConnectionGetCapabilities(const Napi::CallbackInfo& info) {
  const Args args(info);
  return SubmitToConnection(args, [=](virConnectPtr connection) { return TakeText(virConnectGetCapabilities(connection)); });
}

Napi::Value ConnectionGetDomainCapabilities(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto emulator = args.MaybeString(1), arch = args.MaybeString(2), machine = args.MaybeString(3),
             virt_type = args.MaybeString(4);
  return SubmitToConnection(args, [=](virConnectPtr connection) {
    return TakeText(virConnectGetDomainCapabilities(connection, OrNull(emulator), OrNull(arch), OrNull(machine),
                                                    OrNull(virt_type), 0));
  });
}

Napi::Value ConnectionListAllDomains(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto connection = args.OpenConnection(0);
  const auto siblings = args.Handle(0).domains;
  const unsigned flags = args.Uint(1);
  return SubmitToConnection(args, [=](virConnectPtr ptr) -> ToJs {
    virDomainPtr* found = nullptr;
    const int count = Check(virConnectListAllDomains(ptr, &found, flags));
    std::vector<std::shared_ptr<Domain>> domains;
    for (int i = 0; i < count; ++i) {
      domains.push_back(std::make_shared<Domain>(connection, found[i]));
      virDomainFree(found[i]);
    }
    free(found);
    return [domains = std::move(domains), siblings](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, domains.size());
      for (uint32_t i = 0; i < domains.size(); ++i) array.Set(i, NewDomainHandle(env, domains[i], siblings));
      return array;
    };
  });
}

namespace {

// A call that answers with one domain.
template <typename Find>
Napi::Value SubmitFind(const Args& args, Find find) {
  const auto connection = args.OpenConnection(0);
  const auto siblings = args.Handle(0).domains;
  return SubmitToConnection(args, [=](virConnectPtr ptr) -> ToJs {
    const virDomainPtr found = CheckPointer(find(ptr));
    auto domain = std::make_shared<Domain>(connection, found);
    virDomainFree(found);
    return [domain, siblings](Napi::Env env) { return NewDomainHandle(env, domain, siblings); };
  });
}

}  // namespace

Napi::Value ConnectionLookupByName(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto name = args.String(1);
  return SubmitFind(args, [=](virConnectPtr ptr) { return virDomainLookupByName(ptr, name.c_str()); });
}

Napi::Value ConnectionLookupByUUID(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto uuid = args.String(1);
  return SubmitFind(args, [=](virConnectPtr ptr) { return virDomainLookupByUUIDString(ptr, uuid.c_str()); });
}

Napi::Value ConnectionDefineXML(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto xml = args.String(1);
  const unsigned flags = args.Uint(2);
  return SubmitFind(args, [=](virConnectPtr ptr) { return virDomainDefineXMLFlags(ptr, xml.c_str(), flags); });
}

Napi::Value ConnectionCreateXML(const Napi::CallbackInfo& info) {
  const Args args(info);
  const auto xml = args.String(1);
  const unsigned flags = args.Uint(2);
  return SubmitFind(args, [=](virConnectPtr ptr) { return virDomainCreateXML(ptr, xml.c_str(), flags); });
}

Napi::Value ConnectionGetAllDomainStats(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned groups = args.Uint(1), flags = args.Uint(2);
  struct Record {
    std::string name, uuid;
    unsigned id;
    TypedParams params;
  };
  return SubmitToConnection(args, [=](virConnectPtr connection) -> ToJs {
    virDomainStatsRecordPtr* found = nullptr;
    const int count = Check(virConnectGetAllDomainStats(connection, groups, &found, flags));
    auto records = std::make_shared<std::vector<Record>>();
    for (int i = 0; i < count; ++i) {
      char uuid[VIR_UUID_STRING_BUFLEN] = "";
      virDomainGetUUIDString(found[i]->dom, uuid);
      records->push_back({virDomainGetName(found[i]->dom), uuid, virDomainGetID(found[i]->dom),
                          TypedParams(found[i]->params, found[i]->nparams)});
    }
    virDomainStatsRecordListFree(found);
    return [records](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, records->size());
      for (uint32_t i = 0; i < records->size(); ++i) {
        const Record& record = (*records)[i];
        Napi::Array entry = Napi::Array::New(env, 4);
        entry.Set(0u, Napi::String::New(env, record.name));
        entry.Set(1u, Napi::String::New(env, record.uuid));
        entry.Set(2u, Napi::Number::New(env, static_cast<int32_t>(record.id)));
        entry.Set(3u, record.params.ToJs(env));
        array.Set(i, entry);
      }
      return array;
    };
  });
}

}  // namespace yagura
