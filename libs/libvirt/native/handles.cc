#include "handles.h"

namespace yagura {

Domain::Domain(std::shared_ptr<Connection> connection, virDomainPtr ptr)
    : connection(std::move(connection)), name(virDomainGetName(ptr)) {
  Check(virDomainGetUUID(ptr, uuid.data()));
}

Napi::Value NewConnectionHandle(Napi::Env env, std::shared_ptr<Connection> connection) {
  auto* handle = new ConnectionHandle{std::move(connection)};
  Dispatcher::Of(env)->AddHandle(handle, Dispatcher::Kind::kConnection);
  return Napi::External<ConnectionHandle>::New(env, handle, [](Napi::Env env, ConnectionHandle* handle) {
    Dispatcher::Of(env)->RemoveHandle(handle);
    delete handle;
  });
}

Napi::Value NewDomainHandle(Napi::Env env, std::shared_ptr<const Domain> domain,
                            std::shared_ptr<DomainHandles> siblings) {
  char uuid[VIR_UUID_STRING_BUFLEN];
  const auto& u = domain->uuid;
  snprintf(uuid, sizeof(uuid), "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2],
           u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
  Napi::Array result = Napi::Array::New(env, 3);
  result.Set(1u, Napi::String::New(env, domain->name));
  result.Set(2u, Napi::String::New(env, uuid));

  auto* handle = new DomainHandle{std::move(domain), std::move(siblings)};
  handle->siblings->insert(handle);
  Dispatcher::Of(env)->AddHandle(handle, Dispatcher::Kind::kDomain);
  result.Set(0u, Napi::External<DomainHandle>::New(env, handle, [](Napi::Env env, DomainHandle* handle) {
               Dispatcher::Of(env)->RemoveHandle(handle);
               handle->siblings->erase(handle);
               delete handle;
             }));
  return result;
}

}  // namespace yagura
