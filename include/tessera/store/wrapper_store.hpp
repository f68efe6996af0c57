// WrapperStore: base of stores that count, check, log or change another store's values.
#pragma once
#include <string_view>
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/forwarding_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class S>
consteval bool check_wrapped() {
  constexpr bool is_one = !requires(S const& store) { store.metadata_store(); };
  static_assert(is_one,
                "tessera: a WrapperStore wraps one store, and a SplitStore is two: wrap each half, "
                "SplitStore{WrapperStore{documents}, WrapperStore{chunks}}");
  return is_one;
}

}  // namespace detail

/// A derived class hides the members that it changes:
///
///   struct LoggedStore : WrapperStore<LocalStore<HostBuffer>> {
///     using WrapperStore::WrapperStore;
///     void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const {
///       std::clog << key.path << '\n';
///       source().write(key, value, on);
///     }
///   };
///
/// All values are read through `read` and written through `write`: members of `S` that read or write many at once, in
/// place or without a copy are not shown. Locks are those of `S`. Copies share what copies of `S` share.
template <class S>
class WrapperStore : public detail::ForwardingStore<S, detail::Forwarded{.folders = true, .writes = true}> {
  static_assert(detail::check_wrapped<S>() || true);
  using Base = detail::ForwardingStore<S, detail::Forwarded{.folders = true, .writes = true}>;

 public:
  explicit WrapperStore(S store) : Base{std::move(store)} {}

  S const& source() const { return this->behind(); }
  bool has_folder(std::string_view path) const requires requires(S const& store) { store.has_folder(path); }
  { return source().has_folder(path); }
};

}}  // namespace tessera::v0
