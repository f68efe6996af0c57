// A shard that is being written, as what writes chunks sees it.
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include <tessera/cast/concept.hpp>
#include <tessera/shard/builder.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/write_many.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The draft as a store of its chunks: what writes chunks into a store writes them into a shard.
template <class S>
class ShardStore {
  using Space = space_of<S>;

 public:
  using buffer_type = buffer_of<S>;

  ShardStore(ShardBuilder<Space>& draft, S const& store, Key const& shard)
      : draft_{&draft}, store_{&store}, shard_{&shard} {}

  std::string name() const { return name_of(*store_); }

  /// A chunk's number, in digits.
  void put_key(Key& key, Extents const& chunk) const {
    char digits[20];
    key.path.assign(digits, std::to_chars(digits, digits + sizeof digits, draft_->number_of(chunk)).ptr);
  }
  void blame(Error& error, Extents const& chunk) const {
    error.in_inner_chunk(to_string(chunk)).in_key(shard_->path).in_store(name());
  }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  queue_for<Space>& on) const {
    auto const chunk = draft_->chunk(number(key));
    if (!chunk.data) return std::nullopt;
    auto const [offset, size] = range.resolve(chunk.size);
    crossing<Space, Space>::copy(chunk.sub(offset, size), destination(size), on);
    return size;
  }
  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const {
    WriteRequest<Space> const request{&key, value};
    write_many({&request, 1}, on);
  }
  void write_many(std::span<WriteRequest<Space> const> requests, queue_for<Space>& on) const {
    std::size_t sum = 0;
    for (auto const& request : requests) sum += request.value.size;
    auto destination = draft_->destination(sum, on);
    for (auto const& request : requests) {
      auto const to = destination.sub(0, request.value.size);
      crossing<Space, Space>::copy(request.value, to, on);
      draft_->put(number(*request.key), to);
      destination = destination.sub(to.size, destination.size - to.size);
    }
  }
  bool erase(Key const& key, queue_for<Space>&) const {
    draft_->erase(number(key));
    return true;
  }
  /// Nobody else has this draft.
  std::unique_lock<std::mutex> lock(Key const&) const { return {}; }

 private:
  static std::uint64_t number(Key const& key) {
    std::uint64_t number = 0;
    std::from_chars(key.path.data(), key.path.data() + key.path.size(), number);
    return number;
  }

  ShardBuilder<Space>* draft_;
  S const* store_;
  Key const* shard_;
};

}  // namespace detail
}}  // namespace tessera::v0
