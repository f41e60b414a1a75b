// The way back from libvirt's threads to JavaScript, one per Node environment.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <napi.h>

#include "failure.h"
#include "worker.h"

namespace yagura {

// Makes a result into a JavaScript value, on the JavaScript thread.
using ToJs = std::function<Napi::Value(Napi::Env)>;
using CallId = uint32_t;
using ConnectionId = uint32_t;

class Dispatcher : public std::enable_shared_from_this<Dispatcher> {
 public:
  enum class Kind { kConnection, kDomain };
  // Where the events of a connection go.
  struct Sink {
    Napi::FunctionReference on_event;
    Napi::FunctionReference on_close;
  };

  static std::shared_ptr<Dispatcher> Create(Napi::Env env);
  // The one of this environment.
  static std::shared_ptr<Dispatcher> Of(Napi::Env env);

  // On any thread: runs `job` on the JavaScript thread, unless the environment is gone.
  void Post(std::function<void(Napi::Env)> job);
  // The same for what may be lost when JavaScript does not keep up.
  void PostEvent(ConnectionId connection, ToJs event);
  void PostClose(ConnectionId connection, int reason);

  // On the JavaScript thread only.
  CallId Submit(Napi::Function done, const std::shared_ptr<Worker>& worker, std::function<ToJs()> work);
  bool Abandon(CallId call);
  Napi::Value Counts(Napi::Env env);
  ConnectionId AddSink(Napi::Function on_event, Napi::Function on_close);
  void RemoveSink(ConnectionId connection) { sinks_.erase(connection); }
  // Handles that JavaScript holds; whatever else it passes as one is refused.
  void AddHandle(const void* handle, Kind kind) { handles_[handle] = kind; }
  void RemoveHandle(const void* handle) { handles_.erase(handle); }
  bool IsHandle(const void* handle, Kind kind) const;

 private:
  enum CallState : int { kQueued, kRunning, kCancelled };
  struct Call {
    Napi::FunctionReference done;
    std::shared_ptr<std::atomic<int>> state;
  };
  static constexpr size_t kMaxEvents = 10000;

  static void Drain(napi_env env, napi_value, void* context, void*);
  void Schedule();
  void Finish(Napi::Env env, CallId call, const Failure* failure, const ToJs& result);
  void Forget(CallId call);
  void Close();

  napi_env env_ = nullptr;
  napi_threadsafe_function wake_ = nullptr;
  std::unordered_map<CallId, Call> calls_;
  std::unordered_map<ConnectionId, Sink> sinks_;
  std::unordered_map<const void*, Kind> handles_;
  CallId last_call_ = 0;
  ConnectionId last_connection_ = 0;

  std::mutex mutex_;  // guards what follows
  std::deque<std::function<void(Napi::Env)>> jobs_;
  size_t events_ = 0;
  size_t dropped_events_ = 0;
  bool scheduled_ = false;
  bool closed_ = false;
};

}  // namespace yagura
