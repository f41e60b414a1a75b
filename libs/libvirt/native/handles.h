// libvirt's objects, shared by the threads that use them, and the handles that JavaScript holds on them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include <libvirt/libvirt.h>
#include <napi.h>

#include "dispatcher.h"
#include "worker.h"

namespace yagura {

// An open connection with its threads. It is closed when its last user is done, always on a worker thread: closing
// talks to the daemon and may block.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Dispatcher> dispatcher, ConnectionId id);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // These run on a worker thread and may throw Failure.
  void Open(const std::string& uri, bool read_only, int keepalive_interval, unsigned keepalive_count);
  void Subscribe(int event_id);
  void Unsubscribe(int event_id);
  // Ends all callbacks, so that nothing is reported of a connection that JavaScript has closed.
  void EndCallbacks();

  const std::shared_ptr<Dispatcher> dispatcher;
  const ConnectionId id;
  // Few threads in all: a libvirt daemon works on five requests of a client at a time by default.
  const std::shared_ptr<Worker> commands;
  const std::shared_ptr<Worker> jobs;
  const std::shared_ptr<Worker> agent;
  virConnectPtr ptr = nullptr;

 private:
  std::mutex mutex_;  // guards what follows
  bool close_callback_ = false;
  std::map<int, int> subscriptions_;  // event id -> libvirt's callback id
};

// A reference to a domain; it keeps its connection open.
class Domain {
 public:
  // Takes the reference over.
  Domain(std::shared_ptr<Connection> connection, virDomainPtr ptr) : connection(std::move(connection)), ptr(ptr) {}
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  const std::shared_ptr<Connection> connection;
  const virDomainPtr ptr;
};

struct DomainHandle;
using DomainHandles = std::unordered_set<DomainHandle*>;

// What a JavaScript handle points to; without an object once it is closed.
struct ConnectionHandle {
  std::shared_ptr<Connection> connection;
  std::shared_ptr<DomainHandles> domains = std::make_shared<DomainHandles>();
};
struct DomainHandle {
  std::shared_ptr<Domain> domain;
  std::shared_ptr<DomainHandles> siblings;
};

Napi::Value NewConnectionHandle(Napi::Env env, std::shared_ptr<Connection> connection);
// [handle, name, uuid]
Napi::Value NewDomainHandle(Napi::Env env, std::shared_ptr<Domain> domain, std::shared_ptr<DomainHandles> siblings);

}  // namespace yagura
