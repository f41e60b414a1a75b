// What JavaScript's handles stand for, and the handles themselves.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_set>

#include <libvirt/libvirt.h>
#include <napi.h>

#include "connection.h"

namespace yagura {

// A domain by its identity. libvirt's own pointers belong to one of the connections of the pool (connection.h) and
// live for one call only.
struct Domain {
  std::shared_ptr<Connection> connection;
  std::array<unsigned char, VIR_UUID_BUFLEN> uuid;
  std::string name;

  Domain(std::shared_ptr<Connection> connection, virDomainPtr ptr);
};

struct DomainHandle;
using DomainHandles = std::unordered_set<DomainHandle*>;

// What a JavaScript handle points to; without an object once it is closed.
struct ConnectionHandle {
  std::shared_ptr<Connection> connection;
  std::shared_ptr<DomainHandles> domains = std::make_shared<DomainHandles>();
};
struct DomainHandle {
  std::shared_ptr<const Domain> domain;
  std::shared_ptr<DomainHandles> siblings;
};

Napi::Value NewConnectionHandle(Napi::Env env, std::shared_ptr<Connection> connection);
// [handle, name, uuid]
Napi::Value NewDomainHandle(Napi::Env env, std::shared_ptr<const Domain> domain,
                            std::shared_ptr<DomainHandles> siblings);

}  // namespace yagura
