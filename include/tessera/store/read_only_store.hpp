// A store that cannot be written, whatever it is made of: who tries does not compile.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/store/unfinished.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {

/// Shows what `S` holds, and its documents where it is split.
template <class S>
class ReadOnlyStore {
  static_assert(detail::check_store<S>());
  using Space = space_of<S>;
  using Documents = typename detail::metadata_half<tessera::ReadOnlyStore, S>::type;
  static constexpr bool has_documents = !std::same_as<Documents, detail::NoHalf>;

 public:
  using buffer_type = buffer_of<S>;
  static constexpr bool reads_in_turn = ReadsInTurn<S>;

  explicit ReadOnlyStore(S store)
      : store_{std::move(store)}, documents_{detail::make_metadata_half<tessera::ReadOnlyStore>(store_)} {}

  S const& source() const { return store_; }
  auto const& metadata_store() const requires has_documents { return documents_; }
  std::string name() const { return name_of(store_); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  queue_for<Space>& on) const {
    return store_.read(key, range, destination, on);
  }
  std::optional<std::uint64_t> size(Key const& key, queue_for<Space>& on) const {
    return tessera::size(store_, key, on);
  }
  void get_many(std::span<ReadRequest<Space>> requests, queue_for<Space>& on) const {
    tessera::get_many(store_, requests, on);
  }
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range,
                                  queue_for<Space>& on) const requires LendingStore<S> {
    return store_.lend(key, range, on);
  }
  /// Others may write: who reads can wait for them.
  auto lock(Key const& key) const requires requires(S const& store) { store.lock(key); }
  { return store_.lock(key); }
  ValueWatch watch(Key const& key) const requires detail::HasWatch<S> { return store_.watch(key); }
  SequenceCounter& changes(Key const& key) const requires requires(S const& store) { store.changes(key); }
  { return store_.changes(key); }
  bool has_folder(std::string_view path) const { return detail::has_folder(store_, path); }
  void list(std::string_view prefix, Visitor visit) const requires ListableStore<S> { store_.list(prefix, visit); }
  void list_directory(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    store_.list_directory(prefix, visit);
  }
  void list_unfinished(std::string_view prefix, Visitor visit) const { detail::list_unfinished(store_, prefix, visit); }

 private:
  S store_;
  [[no_unique_address]] Documents documents_;
};

}}  // namespace tessera::v0
