// Metadata documents from one store, chunk values from another: each in its own memory (zarr-python 2's `chunk_store`).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <tessera/store/append.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/store/unfinished.hpp>
#include <tessera/store/watch.hpp>
#include <tessera/store/write_many.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

template <class Meta, class Chunks>
consteval bool check_split() {
  if constexpr (!check_store<Meta>() || !check_store<Chunks>()) {
    return false;
  } else {
    static_assert(reads_documents<Meta>,
                  "tessera: metadata is read by the host: give SplitStore a metadata store of host buffers first, e.g. "
                  "SplitStore{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}}");
    return reads_documents<Meta>;
  }
}

}  // namespace detail

/// As a store it is its second half; documents are read through `metadata_store()`. The two may show the same folder:
/// `SplitStore{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}}`.
template <class Meta, class Chunks>
class SplitStore {
  static_assert(detail::check_split<Meta, Chunks>() || true);  // so that it is asked at once
  using Space = space_of<Chunks>;

 public:
  using buffer_type = buffer_of<Chunks>;
  static constexpr bool reads_in_turn = ReadsInTurn<Chunks>;
  static constexpr bool refused = !detail::check_split<Meta, Chunks>();  ///< a message was given

  SplitStore(Meta meta, Chunks chunks) : meta_{std::move(meta)}, chunks_{std::move(chunks)} {}

  Meta const& metadata_store() const { return meta_; }
  Chunks const& chunk_store() const { return chunks_; }
  std::string name() const { return name_of(chunks_); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  queue_for<Space>& on) const {
    return chunks_.read(key, range, destination, on);
  }
  std::optional<std::uint64_t> size(Key const& key, queue_for<Space>& on) const {
    return tessera::size(chunks_, key, on);
  }
  void get_many(std::span<ReadRequest<Space>> requests, queue_for<Space>& on) const {
    tessera::get_many(chunks_, requests, on);
  }
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range,
                                  queue_for<Space>& on) const requires LendingStore<Chunks> {
    return chunks_.lend(key, range, on);
  }
  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const requires WritableStore<Chunks> {
    chunks_.write(key, value, on);
  }
  void write_many(std::span<WriteRequest<Space> const> requests,
                  queue_for<Space>& on) const requires detail::HasWriteMany<Chunks> {
    chunks_.write_many(requests, on);
  }
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size,
              queue_for<Space>& on) const requires AppendableStore<Chunks> {
    return chunks_.append(key, bytes, size, on);
  }
  bool erase(Key const& key, queue_for<Space>& on) const requires WritableStore<Chunks> {
    return chunks_.erase(key, on);
  }

  auto lock(Key const& key) const requires requires(Chunks const& chunks) { chunks.lock(key); }
  { return chunks_.lock(key); }
  ValueWatch watch(Key const& key) const requires detail::HasWatch<Chunks> { return chunks_.watch(key); }
  SequenceCounter& changes(Key const& key) const requires requires(Chunks const& chunks) { chunks.changes(key); }
  { return chunks_.changes(key); }

  /// Both halves, each key as its own half shows it: a key that is in both is visited twice.
  void list(std::string_view prefix, Visitor visit) const requires ListableStore<Meta> && ListableStore<Chunks> {
    meta_.list(prefix, visit);
    chunks_.list(prefix, visit);
  }
  void list_directory(std::string_view prefix,
                      Visitor visit) const requires ListableStore<Meta> && ListableStore<Chunks> {
    meta_.list_directory(prefix, visit);
    chunks_.list_directory(prefix, visit);
  }

  /// Of both halves likewise.
  void list_unfinished(std::string_view prefix, Visitor visit) const {
    detail::list_unfinished(meta_, prefix, visit);
    detail::list_unfinished(chunks_, prefix, visit);
  }
  std::size_t erase_unfinished(std::string_view prefix) const {
    return detail::erase_unfinished(meta_, prefix) + detail::erase_unfinished(chunks_, prefix);
  }

 private:
  Meta meta_;
  Chunks chunks_;
};

}}  // namespace tessera::v0
