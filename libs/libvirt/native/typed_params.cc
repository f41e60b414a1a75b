#include "typed_params.h"

#include "failure.h"

namespace yagura {

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

TypedParams::Value FromLibvirt(const virTypedParameter& param) {
  switch (param.type) {
    case VIR_TYPED_PARAM_INT:
      return static_cast<int32_t>(param.value.i);
    case VIR_TYPED_PARAM_UINT:
      return static_cast<uint32_t>(param.value.ui);
    case VIR_TYPED_PARAM_LLONG:
      return static_cast<int64_t>(param.value.l);
    case VIR_TYPED_PARAM_ULLONG:
      return static_cast<uint64_t>(param.value.ul);
    case VIR_TYPED_PARAM_DOUBLE:
      return param.value.d;
    case VIR_TYPED_PARAM_BOOLEAN:
      return param.value.b != 0;
    case VIR_TYPED_PARAM_STRING:
      return std::string(param.value.s != nullptr ? param.value.s : "");
  }
  return std::string();
}

}  // namespace

TypedParams::TypedParams(const virTypedParameter* params, int count) {
  items_.reserve(count);
  for (int i = 0; i < count; ++i) items_.emplace_back(params[i].field, FromLibvirt(params[i]));
}

std::optional<TypedParams> TypedParams::FromJs(const Napi::Array& flat) {
  TypedParams params;
  if (flat.Length() % 2 != 0) return std::nullopt;
  for (uint32_t i = 0; i < flat.Length(); i += 2) {
    const Napi::Value name = flat.Get(i), value = flat.Get(i + 1);
    if (!name.IsString()) return std::nullopt;
    Value converted;
    bool lossless = true;
    if (value.IsString()) {
      converted = value.As<Napi::String>().Utf8Value();
    } else if (value.IsNumber()) {
      converted = value.As<Napi::Number>().Int32Value();
    } else if (value.IsBigInt()) {
      converted = value.As<Napi::BigInt>().Uint64Value(&lossless);
    } else {
      return std::nullopt;
    }
    if (!lossless) return std::nullopt;
    params.items_.emplace_back(name.As<Napi::String>().Utf8Value(), std::move(converted));
  }
  return params;
}

Napi::Value ToValue(Napi::Env env, const TypedParams::Value& value) {
  return std::visit(Overloaded{
                        [&](int64_t v) -> Napi::Value { return Napi::BigInt::New(env, v); },
                        [&](uint64_t v) -> Napi::Value { return Napi::BigInt::New(env, v); },
                        [&](bool v) -> Napi::Value { return Napi::Boolean::New(env, v); },
                        [&](const std::string& v) -> Napi::Value { return Napi::String::New(env, v); },
                        [&](auto v) -> Napi::Value { return Napi::Number::New(env, static_cast<double>(v)); },
                    },
                    value);
}

Napi::Value TypedParams::ToJs(Napi::Env env) const {
  Napi::Array flat = Napi::Array::New(env, items_.size() * 2);
  uint32_t i = 0;
  for (const auto& [name, value] : items_) {
    flat.Set(i++, Napi::String::New(env, name));
    flat.Set(i++, ToValue(env, value));
  }
  return flat;
}

std::pair<virTypedParameterPtr, int> TypedParams::ToLibvirt() const {
  virTypedParameterPtr params = nullptr;
  int count = 0, capacity = 0;
  for (const auto& [key, value] : items_) {
    const char* name = key.c_str();
    const int result = std::visit(
        Overloaded{
            [&](int32_t v) { return virTypedParamsAddInt(&params, &count, &capacity, name, v); },
            [&](uint32_t v) { return virTypedParamsAddUInt(&params, &count, &capacity, name, v); },
            [&](int64_t v) { return virTypedParamsAddLLong(&params, &count, &capacity, name, v); },
            [&](uint64_t v) { return virTypedParamsAddULLong(&params, &count, &capacity, name, v); },
            [&](double v) { return virTypedParamsAddDouble(&params, &count, &capacity, name, v); },
            [&](bool v) { return virTypedParamsAddBoolean(&params, &count, &capacity, name, v ? 1 : 0); },
            [&](const std::string& v) {
              return virTypedParamsAddString(&params, &count, &capacity, name, v.c_str());
            },
        },
        value);
    if (result < 0) {
      const Failure failure = LastFailure();
      virTypedParamsFree(params, count);
      throw failure;
    }
  }
  return {params, count};
}

}  // namespace yagura
