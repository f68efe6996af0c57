// ShardStore: a shard under construction as a store of its chunks.
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tessera/cast/cast.hpp>
#include <tessera/shard/detail/builder.hpp>
#include <tessera/shard/detail/packing.hpp>
#include <tessera/store/detail/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Writes chunks into a ShardBuilder or a GrowingShard. A chunk's key is its number, in digits.
template <MemorySpace Space, class Builder = ShardBuilder<Space>>
class ShardStore final : public ErasedWritableStore<Space> {
  using Queue = queue_for<Space>;

 public:
  /// `store` is the shard's own store.
  ShardStore(Builder& builder, ErasedStore<Space> const& store)
      : ErasedWritableStore<Space>{StoreAbilities{}}, builder_{&builder}, store_{&store} {}

  static void put_key(Key& key, std::uint64_t chunk) {
    char digits[20];
    key.path.assign(digits, std::to_chars(digits, digits + sizeof digits, chunk).ptr);
  }

  std::string name() const override { return store_->name(); }
  bool is_near() const override { return true; }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  Queue& on) const override {
    auto const chunk = builder_->chunk(number(key));
    if (!chunk.data) return std::nullopt;
    auto const [offset, size] = range.resolve(chunk.size);
    crossing<Space, Space>::copy(chunk.sub(offset, size), destination(size), on);
    return size;
  }
  void write(Key const& key, ByteView<Space> value, Queue& on) const override {
    WriteRequest<Space> const request{&key, value};
    write_many({&request, 1}, on);
  }
  void write_many(std::span<WriteRequest<Space> const> requests, Queue& on) const override {
    std::size_t sum = 0;
    for (auto const& request : requests) sum += request.value.size;
    auto destination = builder_->destination(sum, on);
    Packing<Space> packing;
    for (auto const& request : requests) {
      auto const to = destination.sub(0, request.value.size);
      packing.add(request.value, to);
      builder_->put(number(*request.key), to);
      destination = destination.sub(to.size, destination.size - to.size);
    }
    packing.finish(on);
  }
  bool erase(Key const& key, Queue&) const override {
    builder_->erase(number(key));
    return true;
  }
  /// Nothing else uses this builder.
  KeyLock lock(Key const&, Stop = nullptr) const override { return {}; }
  SequenceCounter& changes(Key const& key) const override { return store_->changes(key); }

  // Its abilities exclude all but reads and writes of single chunks.
  std::optional<std::uint64_t> size(Key const& key, Queue&) const override { throw refusal(key); }
  void get_many(std::span<ReadRequest<Space>> requests, Queue&) const override { throw refusal(*requests.front().key); }
  void get_many_on_host(std::span<ReadRequest<space::Host>> requests, Queue&) const override {
    throw refusal(*requests.front().key);
  }
  void lend_many(std::span<LendRequest<Space>> requests, Queue&) const override {
    throw refusal(*requests.front().key);
  }
  bool append(Key const& key, ByteView<Space>, std::uint64_t, Queue&) const override { throw refusal(key); }
  ValueWatch watch(Key const& key) const override { throw refusal(key); }

 private:
  StoreError refusal(Key const& key) const {
    return StoreError{"a shard that is being written supports only reads and writes of single chunks"}
        .in_key(key.path)
        .in_store(name());
  }
  static std::uint64_t number(Key const& key) {
    std::uint64_t number = 0;
    std::from_chars(key.path.data(), key.path.data() + key.path.size(), number);
    return number;
  }

  Builder* builder_;
  ErasedStore<Space> const* store_;
};
}}}  // namespace tessera::v0::detail
