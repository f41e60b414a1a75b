// The arguments of a call from JavaScript, checked; and the way of the call to a worker thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <napi.h>

#include "handles.h"
#include "typed_params.h"

namespace yagura {

class Args {
 public:
  explicit Args(const Napi::CallbackInfo& info) : info_(info) {}

  // Each throws a TypeError that names the argument by its position.
  ConnectionHandle& Handle(size_t index) const;
  std::shared_ptr<Connection> OpenConnection(size_t index) const;
  DomainHandle& HandleOfDomain(size_t index) const;
  std::shared_ptr<const Domain> OpenDomain(size_t index) const;
  std::string String(size_t index) const;
  std::optional<std::string> MaybeString(size_t index) const;
  std::vector<std::string> Strings(size_t index) const;
  bool Boolean(size_t index) const;
  int32_t Int(size_t index) const;
  uint32_t Uint(size_t index) const;
  int64_t Int64(size_t index) const;
  uint64_t Uint64(size_t index) const;
  TypedParams Params(size_t index) const;
  Napi::Function Function(size_t index) const;
  Napi::Object Object(size_t index) const;

  // Runs `work` on the worker and gives its result to the callback, which is the last argument.
  // Returns the call's id.
  Napi::Value Submit(const std::shared_ptr<Worker>& worker, std::function<ToJs()> work) const;
  Napi::Env Env() const { return info_.Env(); }

 private:
  Napi::TypeError Wrong(size_t index, const char* wanted) const;
  const Napi::CallbackInfo& info_;
};

// The C string of an optional argument.
inline const char* OrNull(const std::optional<std::string>& text) { return text ? text->c_str() : nullptr; }

// Common results.
ToJs Nothing();
ToJs Number(double value);
ToJs Boolean(bool value);
ToJs Text(std::string value);
// Takes over a string that libvirt allocated; throws LastFailure() if there is none.
ToJs TakeText(char* value);
// Arrays of BigInts.
ToJs Uint64s(std::vector<uint64_t> values);
ToJs Int64s(std::vector<int64_t> values);

}  // namespace yagura
