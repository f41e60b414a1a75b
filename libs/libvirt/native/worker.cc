#include "worker.h"

#include "thread.h"

namespace yagura {

namespace {
thread_local bool on_worker = false;
}

bool Worker::IsCurrentThread() { return on_worker; }

void Worker::Post(Task task) {
  std::lock_guard<std::mutex> lock(mutex_);
  queue_.push_back(std::move(task));
  if (threads_ == 0) {
    StartThread(true);
  } else if (running_.size() == threads_ && threads_ < max_threads_) {
    StartThread(false);
  }
  wake_.notify_all();
}

void Worker::Finish() {
  std::lock_guard<std::mutex> lock(mutex_);
  finished_ = true;
  wake_.notify_all();
}

// The thread keeps the worker alive, so it may outlive the connection that it was made for.
void Worker::StartThread(bool first) {
  StartDetachedThread(name_, [self = shared_from_this(), first] { self->Run(first); });
  ++threads_;
}

bool Worker::WaitForTask(std::unique_lock<std::mutex>& lock, bool first) {
  const auto idle_until = Clock::now() + kIdle;
  for (;;) {
    if (queue_.empty()) {
      if (finished_) return false;
      if (first) {
        wake_.wait(lock);
      } else if (wake_.wait_until(lock, idle_until) == std::cv_status::timeout && queue_.empty()) {
        return false;
      }
      continue;
    }
    if (first) return true;
    // A further thread steps in only when every running task seems stuck.
    const auto due = running_.empty() ? Clock::now() + kPatience : *running_.rbegin() + kPatience;
    if (Clock::now() >= due) return true;
    wake_.wait_until(lock, due);
  }
}

void Worker::Run(bool first) {
  on_worker = true;
  std::unique_lock<std::mutex> lock(mutex_);
  while (WaitForTask(lock, first)) {
    Task task = std::move(queue_.front());
    queue_.pop_front();
    const auto since = running_.insert(Clock::now());
    if (!queue_.empty() && running_.size() == threads_ && threads_ < max_threads_) StartThread(false);
    lock.unlock();
    task();
    task = nullptr;  // its captures are released here, where blocking is allowed
    lock.lock();
    running_.erase(since);
  }
  --threads_;
}

}  // namespace yagura
