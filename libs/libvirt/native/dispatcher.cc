#include "dispatcher.h"

namespace yagura {

std::shared_ptr<Dispatcher> Dispatcher::Create(Napi::Env env) {
  auto self = std::make_shared<Dispatcher>();
  self->env_ = env;
  const napi_value name = Napi::String::New(env, "yagura-libvirt");
  // Without a queue bound: only wake-ups travel through it, and at most one at a time.
  NAPI_THROW_IF_FAILED(env,
                       napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, self.get(),
                                                       Drain, &self->wake_),
                       nullptr);
  // Only calls under way keep the process alive, not open connections.
  napi_unref_threadsafe_function(env, self->wake_);
  auto* holder = new std::shared_ptr<Dispatcher>(self);
  env.SetInstanceData<std::shared_ptr<Dispatcher>>(holder);
  // Added after the function, so it runs before the function is taken down.
  env.AddCleanupHook([](Dispatcher* dispatcher) { dispatcher->Close(); }, self.get());
  return self;
}

std::shared_ptr<Dispatcher> Dispatcher::Of(Napi::Env env) {
  return *env.GetInstanceData<std::shared_ptr<Dispatcher>>();
}

void Dispatcher::Close() {
  std::deque<std::function<void(Napi::Env)>> jobs;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    jobs.swap(jobs_);
  }
  calls_.clear();
  sinks_.clear();
}

void Dispatcher::Post(std::function<void(Napi::Env)> job) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return;
  jobs_.push_back(std::move(job));
  Schedule();
}

void Dispatcher::Schedule() {
  if (scheduled_) return;
  scheduled_ = napi_call_threadsafe_function(wake_, nullptr, napi_tsfn_nonblocking) == napi_ok;
}

void Dispatcher::PostEvent(ConnectionId connection, ToJs event) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return;
  if (events_ >= kMaxEvents) {
    ++dropped_events_;
    return;
  }
  ++events_;
  jobs_.push_back([this, connection, event = std::move(event)](Napi::Env env) {
    {
      std::lock_guard<std::mutex> inner(mutex_);
      --events_;
    }
    const auto sink = sinks_.find(connection);
    if (sink != sinks_.end()) sink->second.on_event.Call({event(env)});
  });
  Schedule();
}

void Dispatcher::PostClose(ConnectionId connection, int reason) {
  Post([this, connection, reason](Napi::Env env) {
    const auto sink = sinks_.find(connection);
    if (sink != sinks_.end()) sink->second.on_close.Call({Napi::Number::New(env, reason)});
  });
}

void Dispatcher::Drain(napi_env raw, napi_value, void* context, void*) {
  if (raw == nullptr) return;  // the environment is going down
  const Napi::Env env(raw);
  auto self = static_cast<Dispatcher*>(context)->shared_from_this();
  std::deque<std::function<void(Napi::Env)>> jobs;
  {
    std::lock_guard<std::mutex> lock(self->mutex_);
    jobs.swap(self->jobs_);
    self->scheduled_ = false;
  }
  for (auto& job : jobs) {
    const Napi::HandleScope scope(env);
    try {
      job(env);
    } catch (const Napi::Error& error) {
      // Out of a callback: it must not stop the others, so it is raised as an uncaught exception.
      napi_fatal_exception(env, error.Value());
    }
    job = nullptr;
  }
}

CallId Dispatcher::Submit(Napi::Function done, const std::shared_ptr<Worker>& worker, std::function<ToJs()> work) {
  const CallId call = ++last_call_;
  auto state = std::make_shared<std::atomic<int>>(kQueued);
  if (calls_.empty()) napi_ref_threadsafe_function(env_, wake_);
  calls_[call] = Call{Napi::Persistent(done), state};
  worker->Post([self = shared_from_this(), call, state, work = std::move(work)]() mutable {
    int expected = kQueued;
    if (!state->compare_exchange_strong(expected, kRunning)) return;
    std::shared_ptr<Failure> failure;
    ToJs result;
    try {
      result = work();
    } catch (const Failure& caught) {
      failure = std::make_shared<Failure>(caught);
    } catch (const std::exception& caught) {
      failure = std::make_shared<Failure>(1, 0, 2, caught.what());
    }
    work = nullptr;
    self->Post([raw = self.get(), call, failure, result = std::move(result)](Napi::Env env) {
      raw->Finish(env, call, failure.get(), result);
    });
  });
  return call;
}

void Dispatcher::Finish(Napi::Env env, CallId call, const Failure* failure, const ToJs& result) {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return;  // abandoned
  const Napi::FunctionReference done = std::move(found->second.done);
  Forget(call);
  if (failure != nullptr) {
    done.Call({failure->ToJs(env), env.Undefined()});
  } else {
    done.Call({env.Null(), result(env)});
  }
}

bool Dispatcher::Abandon(CallId call) {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return false;
  int expected = kQueued;
  const bool cancelled = found->second.state->compare_exchange_strong(expected, kCancelled);
  Forget(call);
  return cancelled;
}

void Dispatcher::Forget(CallId call) {
  calls_.erase(call);
  if (calls_.empty()) napi_unref_threadsafe_function(env_, wake_);
}

ConnectionId Dispatcher::AddSink(Napi::Function on_event, Napi::Function on_close) {
  const ConnectionId connection = ++last_connection_;
  sinks_[connection] = Sink{Napi::Persistent(on_event), Napi::Persistent(on_close)};
  return connection;
}

bool Dispatcher::IsHandle(const void* handle, Kind kind) const {
  const auto found = handles_.find(handle);
  return found != handles_.end() && found->second == kind;
}

Napi::Value Dispatcher::Counts(Napi::Env env) {
  double connections = 0, domains = 0;
  for (const auto& [handle, kind] : handles_) (kind == Kind::kConnection ? connections : domains) += 1;
  std::lock_guard<std::mutex> lock(mutex_);
  Napi::Object counts = Napi::Object::New(env);
  counts.Set("calls", Napi::Number::New(env, static_cast<double>(calls_.size())));
  counts.Set("connections", Napi::Number::New(env, connections));
  counts.Set("domains", Napi::Number::New(env, domains));
  counts.Set("droppedEvents", Napi::Number::New(env, static_cast<double>(dropped_events_)));
  return counts;
}

}  // namespace yagura
