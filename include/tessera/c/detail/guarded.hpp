// guarded: runs a body of a C function, and turns its exceptions into a status and a message.
#pragma once
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include <tessera/tessera.h>
#include <tessera/core/error.hpp>
#include <tessera/ipc/detail/error.hpp>

namespace tessera {
inline namespace v0 {
namespace c {
namespace detail {

/// An argument that no valid call has.
struct WrongArgument : tessera::detail::Located<WrongArgument> {
  using Located::Located;
};

/// Throws: WrongArgument naming it.
template <class T>
T& given(T* argument, std::string_view name) {
  if (argument == nullptr) throw WrongArgument{to_text({"the argument ", name, " is NULL"})};
  return *argument;
}
inline char const* given_text(char const* argument, std::string_view name) { return &given(argument, name); }

inline int report(tessera_error* to, int status, std::string_view message) noexcept {
  if (to == nullptr) return status;
  auto size = message.size();
  if (size >= sizeof to->message) {
    size = sizeof to->message - 1;
    while (size > 0 && (static_cast<unsigned char>(message[size]) & 0xc0) == 0x80) --size;  // not within a character
  }
  to->status = status;
  std::memcpy(to->message, message.data(), size);
  to->message[size] = '\0';
  return status;
}

// In a handler. The order is from derived classes to their bases.
inline int report_caught(tessera_error* to) noexcept {
  try {
    throw;
  } catch (WrongArgument const& error) {
    return report(to, TESSERA_ARGUMENT, error.what());
  } catch (NodeNotFound const& error) {
    return report(to, TESSERA_NOT_FOUND, error.what());
  } catch (StoreError const& error) {
    return report(to, TESSERA_STORE, error.what());
  } catch (MetadataError const& error) {
    return report(to, TESSERA_METADATA, error.what());
  } catch (CodecError const& error) {
    return report(to, TESSERA_CODEC, error.what());
  } catch (SelectionError const& error) {
    return report(to, TESSERA_SELECTION, error.what());
  } catch (ipc::ProducerGone const& error) {
    return report(to, TESSERA_PRODUCER_GONE, error.what());
  } catch (ipc::LeaseRefused const& error) {
    return report(to, TESSERA_LEASE_REFUSED, error.what());
  } catch (ipc::IpcError const& error) {
    return report(to, TESSERA_IPC, error.what());
  } catch (BudgetError const& error) {
    return report(to, TESSERA_MEMORY, error.what());
  } catch (HostOutOfMemory const& error) {
    return report(to, TESSERA_MEMORY, error.what());
  } catch (std::bad_alloc const&) {
    return report(to, TESSERA_MEMORY, "too little memory is free");
  } catch (std::exception const& error) {
    return report(to, TESSERA_OTHER, error.what());
  } catch (...) {
    return report(to, TESSERA_OTHER, "an exception of an unknown type");
  }
}

/// Calls f. Returns the status.
template <class F>
int guarded(tessera_error* error, F const& f) noexcept {
  try {
    f();
    return report(error, TESSERA_OK, "");
  } catch (...) {
    return report_caught(error);
  }
}
/// Sets `*made` to what `make()` returns, or to null.
template <class Handle, class F>
int guarded_make(Handle** made, char const* name, tessera_error* error, F const& make) noexcept {
  if (made != nullptr) *made = nullptr;
  return guarded(error, [&] {
    given(made, name);
    *made = make();
  });
}

}  // namespace detail
}  // namespace c
}  // namespace v0
}  // namespace tessera
