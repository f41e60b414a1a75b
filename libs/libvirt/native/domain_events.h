#pragma once

#include <memory>

#include <libvirt/libvirt.h>

#include "dispatcher.h"

namespace yagura {

// What libvirt hands back to an event callback, and frees with it.
struct EventTarget {
  std::shared_ptr<Dispatcher> dispatcher;
  ConnectionId connection;
  int event_id;
};

// The callback for VIR_DOMAIN_EVENT_ID_*; throws Failure for an event that is not known.
virConnectDomainEventGenericCallback EventCallback(int event_id);

}  // namespace yagura
