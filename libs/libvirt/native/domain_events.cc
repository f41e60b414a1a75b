// libvirt's event callbacks: each copies what it is told, on the event loop's thread, and passes it to JavaScript as
// [event id, domain's name, uuid, id, then the fields in libvirt's order].
#include "domain_events.h"

#include <libvirt/virterror.h>

#include "typed_params.h"

namespace yagura {

namespace {

using Field = std::variant<std::monostate, TypedParams::Value, TypedParams>;

Field ToField(int value) { return TypedParams::Value(static_cast<int32_t>(value)); }
Field ToField(unsigned value) { return TypedParams::Value(static_cast<uint32_t>(value)); }
Field ToField(long long value) { return TypedParams::Value(static_cast<int64_t>(value)); }
Field ToField(unsigned long long value) { return TypedParams::Value(static_cast<uint64_t>(value)); }
Field ToField(const char* value) { return value == nullptr ? Field() : TypedParams::Value(std::string(value)); }

Napi::Value FieldToJs(Napi::Env env, const Field& field) {
  if (const auto* value = std::get_if<TypedParams::Value>(&field)) return ToValue(env, *value);
  if (const auto* params = std::get_if<TypedParams>(&field)) return params->ToJs(env);
  return env.Null();
}

void Pass(void* opaque, virDomainPtr domain, std::vector<Field> fields) {
  const auto* target = static_cast<EventTarget*>(opaque);
  char uuid[VIR_UUID_STRING_BUFLEN] = "";
  virDomainGetUUIDString(domain, uuid);
  target->dispatcher->PostEvent(
      target->connection, [event = target->event_id, name = std::string(virDomainGetName(domain)),
                           uuid = std::string(uuid), id = static_cast<int32_t>(virDomainGetID(domain)),
                           fields = std::move(fields)](Napi::Env env) -> Napi::Value {
        Napi::Array array = Napi::Array::New(env, 4 + fields.size());
        array.Set(0u, Napi::Number::New(env, event));
        array.Set(1u, Napi::String::New(env, name));
        array.Set(2u, Napi::String::New(env, uuid));
        array.Set(3u, Napi::Number::New(env, id));
        for (uint32_t i = 0; i < fields.size(); ++i) array.Set(4 + i, FieldToJs(env, fields[i]));
        return array;
      });
}

// A callback that takes these arguments between the domain and the opaque pointer.
template <typename... Fields>
struct Callback {
  static void Run(virConnectPtr, virDomainPtr domain, Fields... fields, void* opaque) {
    Pass(opaque, domain, {ToField(fields)...});
  }
};

int OnLifecycle(virConnectPtr, virDomainPtr domain, int event, int detail, void* opaque) {
  Pass(opaque, domain, {ToField(event), ToField(detail)});
  return 0;
}

void OnParams(virConnectPtr, virDomainPtr domain, virTypedParameterPtr params, int count, void* opaque) {
  Pass(opaque, domain, {TypedParams(params, count)});
}

}  // namespace

virConnectDomainEventGenericCallback EventCallback(int event_id) {
  using Text = const char*;
  switch (event_id) {
    case VIR_DOMAIN_EVENT_ID_LIFECYCLE:
      return VIR_DOMAIN_EVENT_CALLBACK(OnLifecycle);
    case VIR_DOMAIN_EVENT_ID_REBOOT:
    case VIR_DOMAIN_EVENT_ID_CONTROL_ERROR:
      return VIR_DOMAIN_EVENT_CALLBACK(&Callback<>::Run);
    case VIR_DOMAIN_EVENT_ID_RTC_CHANGE:
      return VIR_DOMAIN_EVENT_CALLBACK(&Callback<long long>::Run);
    case VIR_DOMAIN_EVENT_ID_WATCHDOG:
    case VIR_DOMAIN_EVENT_ID_PMWAKEUP:
    case VIR_DOMAIN_EVENT_ID_PMSUSPEND:
    case VIR_DOMAIN_EVENT_ID_PMSUSPEND_DISK:
    case VIR_DOMAIN_EVENT_ID_MIGRATION_ITERATION:
      return VIR_DOMAIN_EVENT_CALLBACK(&Callback<int>::Run);
    case VIR_DOMAIN_EVENT_ID_IO_ERROR_REASON:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<Text, Text, int, Text>::Run));
    case VIR_DOMAIN_EVENT_ID_DISK_CHANGE:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<Text, Text, Text, int>::Run));
    case VIR_DOMAIN_EVENT_ID_TRAY_CHANGE:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<Text, int>::Run));
    case VIR_DOMAIN_EVENT_ID_BALLOON_CHANGE:
      return VIR_DOMAIN_EVENT_CALLBACK(&Callback<unsigned long long>::Run);
    case VIR_DOMAIN_EVENT_ID_DEVICE_REMOVED:
    case VIR_DOMAIN_EVENT_ID_DEVICE_ADDED:
    case VIR_DOMAIN_EVENT_ID_DEVICE_REMOVAL_FAILED:
      return VIR_DOMAIN_EVENT_CALLBACK(&Callback<Text>::Run);
    case VIR_DOMAIN_EVENT_ID_BLOCK_JOB_2:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<Text, int, int>::Run));
    case VIR_DOMAIN_EVENT_ID_TUNABLE:
    case VIR_DOMAIN_EVENT_ID_JOB_COMPLETED:
      return VIR_DOMAIN_EVENT_CALLBACK(OnParams);
    case VIR_DOMAIN_EVENT_ID_AGENT_LIFECYCLE:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<int, int>::Run));
    case VIR_DOMAIN_EVENT_ID_METADATA_CHANGE:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<int, Text>::Run));
    case VIR_DOMAIN_EVENT_ID_BLOCK_THRESHOLD:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<Text, Text, unsigned long long, unsigned long long>::Run));
    case VIR_DOMAIN_EVENT_ID_MEMORY_FAILURE:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<int, int, unsigned>::Run));
    case VIR_DOMAIN_EVENT_ID_MEMORY_DEVICE_SIZE_CHANGE:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<Text, unsigned long long>::Run));
#if LIBVIR_VERSION_NUMBER >= 11002000
    case VIR_DOMAIN_EVENT_ID_NIC_MAC_CHANGE:
      return VIR_DOMAIN_EVENT_CALLBACK((&Callback<Text, Text, Text>::Run));
#endif
  }
  throw Failure(VIR_ERR_NO_SUPPORT, VIR_FROM_EVENT, VIR_ERR_ERROR,
                "this libvirt has no domain event " + std::to_string(event_id));
}

}  // namespace yagura
