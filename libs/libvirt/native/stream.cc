// What libvirt sends as a stream.
#include "api.h"
#include "submit.h"

namespace yagura {

namespace {

int Append(virStreamPtr, const char* data, size_t size, void* opaque) {
  static_cast<std::string*>(opaque)->append(data, size);
  return static_cast<int>(size);
}

// Receives all of a stream that `start` opened. Blocks, so the stream is a blocking one.
template <typename Start>
std::string Receive(virConnectPtr connection, Start start) {
  virStreamPtr stream = CheckPointer(virStreamNew(connection, 0));
  std::string data;
  try {
    start(stream);
    // Both abort the stream themselves when they fail.
    Check(virStreamRecvAll(stream, Append, &data));
    Check(virStreamFinish(stream));
  } catch (...) {
    virStreamFree(stream);
    throw;
  }
  virStreamFree(stream);
  return data;
}

}  // namespace

Napi::Value DomainScreenshot(const Napi::CallbackInfo& info) {
  const Args args(info);
  const unsigned screen = args.Uint(1);
  return SubmitToDomain(args, [=](virDomainPtr domain) -> ToJs {
    std::string mime_type;
    auto data = std::make_shared<std::string>(Receive(virDomainGetConnect(domain), [&](virStreamPtr stream) {
      char* type = CheckPointer(virDomainScreenshot(domain, stream, screen, 0));
      mime_type = type;
      free(type);
    }));
    return [mime_type, data](Napi::Env env) {
      Napi::Array array = Napi::Array::New(env, 2);
      array.Set(0u, Napi::String::New(env, mime_type));
      array.Set(1u, Napi::Buffer<char>::Copy(env, data->data(), data->size()));
      return array;
    };
  });
}

}  // namespace yagura
