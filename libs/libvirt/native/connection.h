// A connection as JavaScript sees one: libvirt connections to the same daemon, and the threads that use them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <libvirt/libvirt.h>

#include "dispatcher.h"
#include "worker.h"

namespace yagura {

// No two threads ever use one libvirt connection at a time, each call borrows one of its own (Lease). Two reasons:
// before 10.4 libvirt's client crashes when it is closed while several threads wait on it (CVE-2024-4418), and a
// daemon works on few requests of one client at a time, so that hung calls would starve the others.
// Everything is closed when the last user is done, always on a worker thread: closing talks to the daemon.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  struct Settings {
    std::string uri;
    bool read_only;
    int keepalive_interval;
    unsigned keepalive_count;
  };

  Connection(std::shared_ptr<Dispatcher> dispatcher, ConnectionId id, Settings settings);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // These run on a worker thread and may throw Failure.
  void Open();
  bool IsAlive();
  void Subscribe(int event_id);
  void Unsubscribe(int event_id);
  // Ends all callbacks, so that nothing is reported of a connection that JavaScript has closed.
  void EndCallbacks();

  const std::shared_ptr<Dispatcher> dispatcher;
  const ConnectionId id;
  const std::shared_ptr<Worker> commands;
  const std::shared_ptr<Worker> jobs;
  const std::shared_ptr<Worker> agent;

 private:
  friend class Lease;
  struct CloseTarget;

  virConnectPtr OpenOne() const;
  virConnectPtr Borrow();
  void Return(virConnectPtr borrowed);
  static void OnClose(virConnectPtr, int reason, void* opaque);

  const Settings settings_;
  // Drivers in this very process, as test:///, have no client that could be broken, and each connection may be a
  // world of its own: one is used by all.
  const bool in_process_;
  // The daemon's end of this one is the end of all: it closed, or keepalive gave it up.
  std::shared_ptr<std::atomic<bool>> lost_ = std::make_shared<std::atomic<bool>>(false);

  std::mutex control_mutex_;  // guards what follows, and is held while the daemon is asked
  virConnectPtr control_ = nullptr;  // for callbacks alone
  bool close_callback_ = false;
  std::map<int, int> subscriptions_;  // event id -> libvirt's callback id

  std::mutex idle_mutex_;  // guards what follows
  std::vector<virConnectPtr> idle_;
};

// A libvirt connection for one call, on a worker thread. Throws Failure when there is none to be had.
class Lease {
 public:
  explicit Lease(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)), ptr(connection_->Borrow()) {}
  ~Lease() { connection_->Return(ptr); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  const std::shared_ptr<Connection> connection_;

 public:
  const virConnectPtr ptr;
};

}  // namespace yagura
