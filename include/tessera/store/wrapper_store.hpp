// WrapperStore: base of stores that count, check, log or change another store's values. ReadOnlyStore: a wrapped store
// that cannot be written: trying does not compile.
#pragma once
#include <concepts>
#include <string_view>
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/forwarding_store.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

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
/// All values are read through `read` and written through `write`: members of `S` for many values, for appending and
/// for lending are hidden. Locks are those of `S`. Copies share what copies of `S` share.
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

/// `S` without its writing members; split if `S` is. Others may still write: a reader can lock a key to wait for them.
template <class S>
class ReadOnlyStore : public detail::ForwardingStore<S, detail::Forwarded{.batches = true}> {
  using Base = detail::ForwardingStore<S, detail::Forwarded{.batches = true}>;
  using Documents = typename detail::metadata_half<tessera::ReadOnlyStore, S>::type;
  static constexpr bool has_documents = !std::same_as<Documents, detail::NoHalf>;

 public:
  explicit ReadOnlyStore(S store)
      : Base{std::move(store)}, documents_{detail::make_metadata_half<tessera::ReadOnlyStore>(source())} {}

  S const& source() const { return this->behind(); }
  auto const& metadata_store() const requires has_documents { return documents_; }
  bool has_folder(std::string_view path) const { return detail::has_folder(source(), path); }

 private:
  [[no_unique_address]] Documents documents_;
};

}}  // namespace tessera::v0
