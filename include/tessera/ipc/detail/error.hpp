// IpcError, ProducerGone, LeaseRefused: errors of sharing memory between processes.
#pragma once
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// Memory cannot be published, or published memory cannot be attached or used.
struct IpcError : tessera::detail::Located<IpcError> {
  using Located::Located;
};
/// The process that published the memory has ended, or has stopped publishing.
struct ProducerGone : IpcError {
  using IpcError::IpcError;
};
/// The lease conflicts with another one: one process writes, or many read.
struct LeaseRefused : IpcError {
  using IpcError::IpcError;
};

}}}  // namespace tessera::v0::ipc
