// libvirt's typed parameters, as values that can cross threads and the border to JavaScript.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <libvirt/libvirt.h>
#include <napi.h>

namespace yagura {

class TypedParams {
 public:
  // int and uint become numbers in JavaScript, llong and ullong bigints: exact, and told apart by type.
  using Value = std::variant<int32_t, uint32_t, int64_t, uint64_t, double, bool, std::string>;

  TypedParams() = default;
  // Copies; the caller frees.
  TypedParams(const virTypedParameter* params, int count);
  // From [name, value, …]: bigint is ullong, number is int, string is string. Nothing if it is anything else.
  static std::optional<TypedParams> FromJs(const Napi::Array& flat);

  // [name, value, …]
  Napi::Value ToJs(Napi::Env env) const;
  // For a call that takes parameters; virTypedParamsFree them. Throws Failure.
  std::pair<virTypedParameterPtr, int> ToLibvirt() const;

 private:
  std::vector<std::pair<std::string, Value>> items_;
};

Napi::Value ToValue(Napi::Env env, const TypedParams::Value& value);

}  // namespace yagura
