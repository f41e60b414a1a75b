#include "thread.h"

#include <pthread.h>
#include <signal.h>

#include <thread>

namespace yagura {

void StartDetachedThread(const char* name, std::function<void()> run) {
  sigset_t all, before;
  sigfillset(&all);
  // The new thread inherits the mask; SIGTERM and the like must reach Node's own thread.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(std::move(run));
    pthread_setname_np(thread.native_handle(), name);
    thread.detach();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace yagura
