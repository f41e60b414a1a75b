// The way of a call to a worker thread: there it gets a libvirt connection, and a domain's call a domain of that one.
#pragma once

#include "args.h"

namespace yagura {

// `ask` is called with the virConnectPtr; the handle is argument 0.
template <typename Ask>
Napi::Value SubmitToConnection(const Args& args, Ask ask) {
  const auto connection = args.OpenConnection(0);
  return args.Submit(connection->commands, [=]() -> ToJs {
    const Lease lease(connection);
    return ask(lease.ptr);
  });
}

// Which of the connection's threads a domain's call goes to.
enum class Lane { kCommands, kJobs, kAgent };

// `ask` is called with the virDomainPtr; the handle is argument 0.
template <typename Ask>
Napi::Value SubmitToDomain(const Args& args, Lane lane, Ask ask) {
  const auto domain = args.OpenDomain(0);
  const auto& connection = domain->connection;
  const auto& worker = lane == Lane::kCommands ? connection->commands
                       : lane == Lane::kJobs   ? connection->jobs
                                               : connection->agent;
  return args.Submit(worker, [=]() -> ToJs {
    const Lease lease(domain->connection);
    const std::unique_ptr<virDomain, decltype(&virDomainFree)> found(
        CheckPointer(virDomainLookupByUUID(lease.ptr, domain->uuid.data())), virDomainFree);
    return ask(found.get());
  });
}

template <typename Ask>
Napi::Value SubmitToDomain(const Args& args, Ask ask) {
  return SubmitToDomain(args, Lane::kCommands, std::move(ask));
}

}  // namespace yagura
