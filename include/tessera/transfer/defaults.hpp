// with_defaults: options for all reads and writes of a scope, also in functions that the program cannot change.
#pragma once
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 {

/// Options for calls that do not give them, of handles that do not (`array.with`).
struct Defaults {
  ReadOptions read{};    ///< of reads
  WriteOptions write{};  ///< of writes
};

namespace detail {

/// The options with those of `usual` that are not given.
TESSERA_DECL ReadOptions completed(ReadOptions given, ReadOptions const& usual);
TESSERA_DECL WriteOptions completed(WriteOptions given, WriteOptions const& usual);

/// Of the innermost scope of this thread, with those around it; null: none.
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
/// f starts have no defaults until they take over the Defaults of another: `with_defaults(defaults(), f)`. A read_async,
/// a write_async and a Loader that begin in the scope keep its options.
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

/// Of the scopes that this thread is in.
inline Defaults defaults() {
  auto const* const of_scope = detail::defaults_of_scope();
  return of_scope ? *of_scope : Defaults{};
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/defaults.ipp>
#endif
