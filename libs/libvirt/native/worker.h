// The threads that libvirt's blocking calls run on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace yagura {

// A queue with one thread, and more only when needed: a task that has run for kPatience is taken to be stuck, and the
// next ones overtake it on a further thread. So calls keep their order as long as libvirt answers, and a hung call
// holds up nothing else. Threads are started at the first task and end with the worker.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  using Task = std::function<void()>;

  Worker(const char* name, size_t max_threads) : name_(name), max_threads_(max_threads) {}
  void Post(Task task);
  // Lets the threads end once the queue is empty.
  void Finish();
  // True on a thread of any worker, where blocking is allowed.
  static bool IsCurrentThread();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kPatience = std::chrono::milliseconds(250);
  static constexpr auto kIdle = std::chrono::seconds(5);

  void StartThread(bool first);
  void Run(bool first);
  bool WaitForTask(std::unique_lock<std::mutex>& lock, bool first);

  const char* const name_;
  const size_t max_threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  std::multiset<Clock::time_point> running_;  // since when
  size_t threads_ = 0;
  bool finished_ = false;
};

}  // namespace yagura
