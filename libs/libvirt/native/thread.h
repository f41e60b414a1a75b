#pragma once

#include <functional>

namespace yagura {

// Starts a thread that nobody joins, with all signals left to the main thread. Throws std::system_error.
void StartDetachedThread(const char* name, std::function<void()> run);

}  // namespace yagura
