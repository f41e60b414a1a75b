#include "event_loop.h"

#include <mutex>

#include <libvirt/libvirt.h>

#include "failure.h"
#include "thread.h"

namespace yagura {
namespace {

// Registered once and never taken back: libvirt allows neither a second loop nor the end of the first.
// The thread is detached, so that exit() finds nothing to join and nothing to destroy.
void Start() {
  Check(virInitialize());
  Check(virEventRegisterDefaultImpl());
  // An empty loop may sleep for ever; a timer that never matters keeps it turning.
  Check(virEventAddTimeout(3600 * 1000, [](int, void*) {}, nullptr, nullptr));
  StartDetachedThread("libvirt-events", [] {
    for (;;) virEventRunDefaultImpl();
  });
}

}  // namespace

void EnsureEventLoop() {
  // On the heap and never freed: a static object would be destroyed under the running threads at exit.
  static std::once_flag* once = new std::once_flag;
  std::call_once(*once, Start);
}

}  // namespace yagura
