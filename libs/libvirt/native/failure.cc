#include "failure.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

namespace yagura {

Failure LastFailure() {
  const virError* error = virGetLastError();
  if (error == nullptr || error->code == VIR_ERR_OK) {
    return Failure(VIR_ERR_INTERNAL_ERROR, VIR_FROM_NONE, VIR_ERR_ERROR, "libvirt failed without an error");
  }
  return Failure(error->code, error->domain, error->level, error->message != nullptr ? error->message : "");
}

Napi::Value Failure::ToJs(Napi::Env env) const {
  Napi::Object object = Napi::Object::New(env);
  object.Set("code", Napi::Number::New(env, code));
  object.Set("domain", Napi::Number::New(env, domain));
  object.Set("level", Napi::Number::New(env, level));
  object.Set("message", Napi::String::New(env, message));
  return object;
}

void SilenceErrorHandler() {
  virSetErrorFunc(nullptr, [](void*, virErrorPtr) {});
}

}  // namespace yagura
