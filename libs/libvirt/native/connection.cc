#include "connection.h"

#include <libvirt/virterror.h>

#include "domain_events.h"
#include "event_loop.h"

namespace yagura {

// What libvirt hands back to the close callback, and frees with it.
struct Connection::CloseTarget {
  std::shared_ptr<Dispatcher> dispatcher;
  ConnectionId connection;
  std::shared_ptr<std::atomic<bool>> lost;
};

void Connection::OnClose(virConnectPtr, int reason, void* opaque) {
  const auto* target = static_cast<CloseTarget*>(opaque);
  *target->lost = true;
  target->dispatcher->PostClose(target->connection, reason);
}

Connection::Connection(std::shared_ptr<Dispatcher> dispatcher, ConnectionId id, Settings settings)
    : dispatcher(std::move(dispatcher)),
      id(id),
      commands(std::make_shared<Worker>("libvirt-command", 4)),
      jobs(std::make_shared<Worker>("libvirt-job", 1)),
      agent(std::make_shared<Worker>("libvirt-agent", 1)),
      settings_(std::move(settings)),
      in_process_(settings_.uri.rfind("test:", 0) == 0) {}

Connection::~Connection() {
  auto end = [control = control_, close_callback = close_callback_, subscriptions = std::move(subscriptions_),
              idle = std::move(idle_)] {
    for (const virConnectPtr ptr : idle) virConnectClose(ptr);
    if (control == nullptr) return;
    // Callbacks hold libvirt's own references on the connection: it would stay open with them.
    for (const auto& [event, callback] : subscriptions) virConnectDomainEventDeregisterAny(control, callback);
    if (close_callback) virConnectUnregisterCloseCallback(control, OnClose);
    virConnectClose(control);
  };
  if (Worker::IsCurrentThread()) {
    end();
  } else {
    commands->Post(std::move(end));
  }
  for (const auto& worker : {commands, jobs, agent}) worker->Finish();
  dispatcher->Post([raw = dispatcher.get(), id = id](Napi::Env) { raw->RemoveSink(id); });
}

virConnectPtr Connection::OpenOne() const {
  const char* uri = settings_.uri.c_str();
  const virConnectPtr ptr = CheckPointer(settings_.read_only ? virConnectOpenReadOnly(uri) : virConnectOpen(uri));
  // Refused by drivers without a daemon, which cannot go away: not an error.
  if (settings_.keepalive_interval > 0) {
    virConnectSetKeepAlive(ptr, settings_.keepalive_interval, settings_.keepalive_count);
  }
  return ptr;
}

void Connection::Open() {
  EnsureEventLoop();
  std::lock_guard<std::mutex> lock(control_mutex_);
  control_ = OpenOne();
  // Drivers in this process accept the callback without a word and never free it.
  if (in_process_) return;
  auto* target = new CloseTarget{dispatcher, id, lost_};
  const auto free_target = [](void* opaque) { delete static_cast<CloseTarget*>(opaque); };
  close_callback_ = virConnectRegisterCloseCallback(control_, OnClose, target, free_target) == 0;
  if (!close_callback_) delete target;
}

bool Connection::IsAlive() {
  std::lock_guard<std::mutex> lock(control_mutex_);
  return !*lost_ && Check(virConnectIsAlive(control_)) == 1;
}

virConnectPtr Connection::Borrow() {
  if (in_process_) return control_;
  // A daemon that was started anew is another connection's business: what this one knew may be gone.
  if (*lost_) {
    throw Failure(VIR_ERR_INTERNAL_ERROR, VIR_FROM_RPC, VIR_ERR_ERROR, "the connection to the libvirt daemon is lost");
  }
  for (;;) {
    virConnectPtr ptr;
    {
      std::lock_guard<std::mutex> lock(idle_mutex_);
      if (idle_.empty()) break;
      ptr = idle_.back();
      idle_.pop_back();
    }
    if (virConnectIsAlive(ptr) == 1) return ptr;
    virConnectClose(ptr);
  }
  return OpenOne();
}

void Connection::Return(virConnectPtr borrowed) {
  if (in_process_) return;
  std::lock_guard<std::mutex> lock(idle_mutex_);
  // All are kept: a domain that was started with autodestroy ends with the connection that started it.
  idle_.push_back(borrowed);
}

void Connection::Subscribe(int event_id) {
  std::lock_guard<std::mutex> lock(control_mutex_);
  if (subscriptions_.count(event_id) != 0) return;
  auto* target = new EventTarget{dispatcher, id, event_id};
  const auto free_target = [](void* opaque) { delete static_cast<EventTarget*>(opaque); };
  const int callback =
      virConnectDomainEventRegisterAny(control_, nullptr, event_id, EventCallback(event_id), target, free_target);
  if (callback < 0) {
    const Failure failure = LastFailure();
    delete target;
    throw failure;
  }
  subscriptions_[event_id] = callback;
}

void Connection::Unsubscribe(int event_id) {
  std::lock_guard<std::mutex> lock(control_mutex_);
  const auto found = subscriptions_.find(event_id);
  if (found == subscriptions_.end()) return;
  const int callback = found->second;
  subscriptions_.erase(found);
  Check(virConnectDomainEventDeregisterAny(control_, callback));
}

void Connection::EndCallbacks() {
  std::lock_guard<std::mutex> lock(control_mutex_);
  // With a dead daemon these fail, having let go of the callbacks on this side: that is all we want.
  if (std::exchange(close_callback_, false)) virConnectUnregisterCloseCallback(control_, OnClose);
  for (const auto& [event, callback] : std::exchange(subscriptions_, {})) {
    virConnectDomainEventDeregisterAny(control_, callback);
  }
}

}  // namespace yagura
