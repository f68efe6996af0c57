// with_defaults: options for all reads and writes of a scope, also in functions that the program cannot change.
#pragma once
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 {

/// Options for calls that do not set them, through handles that do not either (`array.with`).
struct Defaults {
  ReadOptions read{};    ///< of reads
  WriteOptions write{};  ///< of writes
};

namespace detail {

/// The given options, completed by those of `usual`.
TESSERA_DECL ReadOptions completed(ReadOptions given, ReadOptions const& usual);
TESSERA_DECL WriteOptions completed(WriteOptions given, WriteOptions const& usual);

/// The options of this thread's innermost scope, completed by those of the scopes around it; null: no scope.
TESSERA_DECL Defaults const*& defaults_of_scope();

/// `inner`, completed by the scope around it, until the object ends.
class DefaultsScope {
 public:
  explicit DefaultsScope(Defaults const& inner);
  DefaultsScope(DefaultsScope const&) = delete;
  DefaultsScope& operator=(DefaultsScope const&) = delete;
  ~DefaultsScope();

 private:
  Defaults all_;
  Defaults const* around_;
};

}  // namespace detail

/// Calls f() and returns its result. Reads and writes that this thread begins meanwhile use the options:
///
///     with_defaults(ReadOptions{.memory = 1 << 30, .stop = &cancelled}, [&] { train(array); });
///
/// A call's own options come first, then those of its handle, of this scope, and of the scopes around it. Threads that
/// f starts have no defaults; pass them on by `with_defaults(defaults(), f)`, where `defaults()` is called in the
/// thread of this scope. A read_async, a write_async and a Loader that begin in the scope keep its options.
template <class F>
decltype(auto) with_defaults(Defaults const& options, F&& f) {
  detail::DefaultsScope const scope{options};
  return std::forward<F>(f)();
}
template <class F>
decltype(auto) with_defaults(ReadOptions const& options, F&& f) {
  return with_defaults(Defaults{.read = options}, std::forward<F>(f));
}
template <class F>
decltype(auto) with_defaults(WriteOptions const& options, F&& f) {
  return with_defaults(Defaults{.write = options}, std::forward<F>(f));
}

/// The options of the scopes that this thread is in, for another thread.
inline Defaults defaults() {
  auto const* const of_scope = detail::defaults_of_scope();
  return of_scope ? *of_scope : Defaults{};
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/defaults.ipp>
#endif
