// The life of a connection: opening it, its callbacks, closing it.
#include "domain_events.h"
#include "event_loop.h"
#include "handles.h"

namespace yagura {

namespace {

// What libvirt hands back to the close callback, and frees with it.
struct CloseTarget {
  std::shared_ptr<Dispatcher> dispatcher;
  ConnectionId connection;
};

void OnClose(virConnectPtr, int reason, void* opaque) {
  const auto* target = static_cast<CloseTarget*>(opaque);
  target->dispatcher->PostClose(target->connection, reason);
}

}  // namespace

Connection::Connection(std::shared_ptr<Dispatcher> dispatcher, ConnectionId id)
    : dispatcher(std::move(dispatcher)),
      id(id),
      commands(std::make_shared<Worker>("libvirt-command", 3)),
      jobs(std::make_shared<Worker>("libvirt-job", 1)),
      agent(std::make_shared<Worker>("libvirt-agent", 1)) {}

Connection::~Connection() {
  auto end = [ptr = ptr, close_callback = close_callback_, subscriptions = std::move(subscriptions_)] {
    if (ptr == nullptr) return;
    // Callbacks hold libvirt's own references on the connection: it would stay open with them.
    for (const auto& [event, callback] : subscriptions) virConnectDomainEventDeregisterAny(ptr, callback);
    if (close_callback) virConnectUnregisterCloseCallback(ptr, OnClose);
    virConnectClose(ptr);
  };
  if (Worker::IsCurrentThread()) {
    end();
  } else {
    commands->Post(std::move(end));
  }
  for (const auto& worker : {commands, jobs, agent}) worker->Finish();
  dispatcher->Post([raw = dispatcher.get(), id = id](Napi::Env) { raw->RemoveSink(id); });
}

void Connection::Open(const std::string& uri, bool read_only, int keepalive_interval, unsigned keepalive_count) {
  EnsureEventLoop();
  ptr = CheckPointer(read_only ? virConnectOpenReadOnly(uri.c_str()) : virConnectOpen(uri.c_str()));
  // Drivers in the process itself have neither keepalive nor a connection that could end: not an error.
  if (keepalive_interval > 0) virConnectSetKeepAlive(ptr, keepalive_interval, keepalive_count);
  auto* target = new CloseTarget{dispatcher, id};
  const auto free_target = [](void* opaque) { delete static_cast<CloseTarget*>(opaque); };
  close_callback_ = virConnectRegisterCloseCallback(ptr, OnClose, target, free_target) == 0;
  if (!close_callback_) delete target;
}

void Connection::Subscribe(int event_id) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (subscriptions_.count(event_id) != 0) return;
  }
  // Not under the lock: this asks the daemon.
  auto* target = new EventTarget{dispatcher, id, event_id};
  const auto free_target = [](void* opaque) { delete static_cast<EventTarget*>(opaque); };
  const int callback =
      virConnectDomainEventRegisterAny(ptr, nullptr, event_id, EventCallback(event_id), target, free_target);
  if (callback < 0) {
    const Failure failure = LastFailure();
    delete target;
    throw failure;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  subscriptions_[event_id] = callback;
}

void Connection::Unsubscribe(int event_id) {
  int callback;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = subscriptions_.find(event_id);
    if (found == subscriptions_.end()) return;
    callback = found->second;
    subscriptions_.erase(found);
  }
  Check(virConnectDomainEventDeregisterAny(ptr, callback));
}

void Connection::EndCallbacks() {
  std::map<int, int> subscriptions;
  bool close_callback;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    subscriptions.swap(subscriptions_);
    close_callback = std::exchange(close_callback_, false);
  }
  // With a dead daemon these fail, having let go of the callbacks on this side: that is all we want.
  if (close_callback) virConnectUnregisterCloseCallback(ptr, OnClose);
  for (const auto& [event, callback] : subscriptions) virConnectDomainEventDeregisterAny(ptr, callback);
}

}  // namespace yagura
