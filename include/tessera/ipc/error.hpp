// What goes wrong between processes.
#pragma once
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// Memory cannot be published, or what was published cannot be attached or used.
struct IpcError : tessera::detail::Located<IpcError> {
  using Located::Located;
};
/// The process that published it has ended, or has given up publishing.
struct ProducerGone : IpcError {
  using IpcError::IpcError;
};
/// Somebody else holds the lease: one process writes, or many read.
struct LeaseRefused : IpcError {
  using IpcError::IpcError;
};

}}}  // namespace tessera::v0::ipc
