// libvirt's event loop, one a process, in a thread that lives as long as the process.
#pragma once

namespace yagura {

// Starts the loop at its first call; must return before any connection is opened. Throws Failure.
void EnsureEventLoop();

}  // namespace yagura
