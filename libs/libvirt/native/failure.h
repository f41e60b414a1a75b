// A failed libvirt call, copied on the thread where it failed: libvirt keeps its last error per thread.
#pragma once

#include <stdexcept>
#include <string>

#include <napi.h>

namespace yagura {

struct Failure : std::exception {
  int code;
  int domain;
  int level;
  std::string message;

  Failure(int code, int domain, int level, std::string message)
      : code(code), domain(domain), level(level), message(std::move(message)) {}
  const char* what() const noexcept override { return message.c_str(); }

  Napi::Value ToJs(Napi::Env env) const;
};

// What virGetLastError says on this thread.
Failure LastFailure();

// Throws LastFailure() for the -1 of libvirt's calls; hands other results through.
template <typename T>
T Check(T result) {
  if (result < 0) throw LastFailure();
  return result;
}

// The same for calls that answer with a pointer.
template <typename T>
T* CheckPointer(T* result) {
  if (result == nullptr) throw LastFailure();
  return result;
}

// Without this libvirt prints every error to stderr.
void SilenceErrorHandler();

}  // namespace yagura
