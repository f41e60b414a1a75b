#include "args.h"

#include <cmath>
#include <cstdlib>

namespace yagura {

Napi::TypeError Args::Wrong(size_t index, const char* wanted) const {
  return Napi::TypeError::New(Env(), "argument " + std::to_string(index) + " must be " + wanted);
}

ConnectionHandle& Args::Handle(size_t index) const {
  if (info_[index].IsExternal()) {
    void* handle = info_[index].As<Napi::External<void>>().Data();
    if (Dispatcher::Of(Env())->IsHandle(handle, Dispatcher::Kind::kConnection)) {
      return *static_cast<ConnectionHandle*>(handle);
    }
  }
  throw Wrong(index, "a connection handle");
}

std::shared_ptr<Connection> Args::OpenConnection(size_t index) const {
  const auto& handle = Handle(index);
  if (!handle.connection) throw Wrong(index, "an open connection");
  return handle.connection;
}

DomainHandle& Args::HandleOfDomain(size_t index) const {
  if (info_[index].IsExternal()) {
    void* handle = info_[index].As<Napi::External<void>>().Data();
    if (Dispatcher::Of(Env())->IsHandle(handle, Dispatcher::Kind::kDomain)) return *static_cast<DomainHandle*>(handle);
  }
  throw Wrong(index, "a domain handle");
}

std::shared_ptr<const Domain> Args::OpenDomain(size_t index) const {
  const auto& handle = HandleOfDomain(index);
  if (!handle.domain) throw Wrong(index, "an open domain");
  return handle.domain;
}

std::string Args::String(size_t index) const {
  if (!info_[index].IsString()) throw Wrong(index, "a string");
  std::string text = info_[index].As<Napi::String>().Utf8Value();
  if (text.find('\0') != std::string::npos) throw Wrong(index, "a string without NUL characters");
  return text;
}

std::optional<std::string> Args::MaybeString(size_t index) const {
  if (info_[index].IsNull()) return std::nullopt;
  if (!info_[index].IsString()) throw Wrong(index, "a string or null");
  return String(index);
}

std::vector<std::string> Args::Strings(size_t index) const {
  if (!info_[index].IsArray()) throw Wrong(index, "an array of strings");
  const auto array = info_[index].As<Napi::Array>();
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value item = array.Get(i);
    if (!item.IsString()) throw Wrong(index, "an array of strings");
    texts.push_back(item.As<Napi::String>().Utf8Value());
  }
  return texts;
}

bool Args::Boolean(size_t index) const {
  if (!info_[index].IsBoolean()) throw Wrong(index, "a boolean");
  return info_[index].As<Napi::Boolean>().Value();
}

int32_t Args::Int(size_t index) const {
  if (info_[index].IsNumber()) {
    const double value = info_[index].As<Napi::Number>().DoubleValue();
    if (std::trunc(value) == value && value >= INT32_MIN && value <= INT32_MAX) return static_cast<int32_t>(value);
  }
  throw Wrong(index, "a 32-bit integer");
}

uint32_t Args::Uint(size_t index) const {
  if (info_[index].IsNumber()) {
    const double value = info_[index].As<Napi::Number>().DoubleValue();
    if (std::trunc(value) == value && value >= 0 && value <= UINT32_MAX) return static_cast<uint32_t>(value);
  }
  throw Wrong(index, "an unsigned 32-bit integer");
}

int64_t Args::Int64(size_t index) const {
  bool lossless = false;
  if (info_[index].IsBigInt()) {
    const int64_t value = info_[index].As<Napi::BigInt>().Int64Value(&lossless);
    if (lossless) return value;
  }
  throw Wrong(index, "a signed 64-bit bigint");
}

uint64_t Args::Uint64(size_t index) const {
  bool lossless = false;
  if (info_[index].IsBigInt()) {
    const uint64_t value = info_[index].As<Napi::BigInt>().Uint64Value(&lossless);
    if (lossless) return value;
  }
  throw Wrong(index, "an unsigned 64-bit bigint");
}

TypedParams Args::Params(size_t index) const {
  if (!info_[index].IsArray()) throw Wrong(index, "an array of names and values");
  auto params = TypedParams::FromJs(info_[index].As<Napi::Array>());
  if (!params) throw Wrong(index, "an array of names and values");
  return std::move(*params);
}

Napi::Function Args::Function(size_t index) const {
  if (!info_[index].IsFunction()) throw Wrong(index, "a function");
  return info_[index].As<Napi::Function>();
}

Napi::Object Args::Object(size_t index) const {
  if (!info_[index].IsObject()) throw Wrong(index, "an object");
  return info_[index].As<Napi::Object>();
}

Napi::Value Args::Submit(const std::shared_ptr<Worker>& worker, std::function<ToJs()> work) const {
  const Napi::Function done = Function(info_.Length() == 0 ? 0 : info_.Length() - 1);
  return Napi::Number::New(Env(), Dispatcher::Of(Env())->Submit(done, worker, std::move(work)));
}

ToJs Nothing() {
  return [](Napi::Env env) { return env.Null(); };
}

ToJs Number(double value) {
  return [value](Napi::Env env) { return Napi::Number::New(env, value); };
}

ToJs Boolean(bool value) {
  return [value](Napi::Env env) { return Napi::Boolean::New(env, value); };
}

ToJs Text(std::string value) {
  return [value = std::move(value)](Napi::Env env) { return Napi::String::New(env, value); };
}

ToJs TakeText(char* value) {
  std::string text = CheckPointer(value);
  free(value);
  return Text(std::move(text));
}

ToJs Uint64s(std::vector<uint64_t> values) {
  return [values = std::move(values)](Napi::Env env) {
    Napi::Array array = Napi::Array::New(env, values.size());
    for (uint32_t i = 0; i < values.size(); ++i) array.Set(i, Napi::BigInt::New(env, values[i]));
    return array;
  };
}

ToJs Int64s(std::vector<int64_t> values) {
  return [values = std::move(values)](Napi::Env env) {
    Napi::Array array = Napi::Array::New(env, values.size());
    for (uint32_t i = 0; i < values.size(); ++i) array.Set(i, Napi::BigInt::New(env, values[i]));
    return array;
  };
}

}  // namespace yagura
