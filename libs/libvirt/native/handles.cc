#include "handles.h"

namespace yagura {

Domain::~Domain() {
  // Freeing the last reference may close the connection, which blocks.
  if (Worker::IsCurrentThread()) {
    virDomainFree(ptr);
  } else {
    connection->commands->Post([domain = ptr] { virDomainFree(domain); });
  }
}

Napi::Value NewConnectionHandle(Napi::Env env, std::shared_ptr<Connection> connection) {
  auto* handle = new ConnectionHandle{std::move(connection)};
  Dispatcher::Of(env)->AddHandle(handle, Dispatcher::Kind::kConnection);
  return Napi::External<ConnectionHandle>::New(env, handle, [](Napi::Env env, ConnectionHandle* handle) {
    Dispatcher::Of(env)->RemoveHandle(handle);
    delete handle;
  });
}

Napi::Value NewDomainHandle(Napi::Env env, std::shared_ptr<Domain> domain, std::shared_ptr<DomainHandles> siblings) {
  const char* name = virDomainGetName(domain->ptr);
  char uuid[VIR_UUID_STRING_BUFLEN] = "";
  virDomainGetUUIDString(domain->ptr, uuid);
  Napi::Array result = Napi::Array::New(env, 3);
  result.Set(1u, Napi::String::New(env, name != nullptr ? name : ""));
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
