// DecodedShardStore: shards that codecs encode as a whole; readers see the decoded shards.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/value_codecs.hpp>
#include <tessera/shard/detail/whole_shard.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Decoded values of keys. Each is decoded once; the most recently used are kept. Threads share it.
class DecodedValues {
 public:
  using Value = std::shared_ptr<ValueCodecs::Bytes const>;  ///< null: the key does not exist

  /// The decoded value: not older than this object, and the present one if `changes` tells. One thread decodes it while
  /// others wait. The `few` most recent are kept whatever their size. Throws: Cancelled, if it waits and `stop` becomes
  /// true.
  Value get(Key const& key, SequenceCounter const& changes, std::size_t few, FunctionRef<Value()> decode,
            Stop stop = nullptr);

  /// Drops the key's value unless it was decoded from the version `seen`. Requires: the caller watches that version.
  void expect(Key const& key, ValueVersion const& seen, FunctionRef<ValueWatch()> watch);

 private:
  struct Known {
    std::mutex mutex{};  // held while it is decoded
    std::uint64_t sequence = SequenceCounter::unknown;
    Value value{};
    std::optional<ValueWatch> watched{};  // the version it was decoded from
  };
  struct Kept {
    std::string key;
    std::shared_ptr<Known> known;
    std::uint64_t size = 0;  // bytes
  };

  std::shared_ptr<Known> find(Key const& key);
  void keep(std::shared_ptr<Known> const& known, std::uint64_t size, std::size_t few);

  std::mutex mutex_;
  std::uint64_t size_ = 0;
  std::list<Kept> kept_;  // most recently used first
};

/// For one call. Reading any part of a value reads and decodes all of it.
template <class Base = ErasedStore<space::Host>>
class DecodedShardStore : public Base {
 protected:
  using Host = space::Host;
  using Queue = tessera::Queue<Host>;

 private:
  using Value = DecodedValues::Value;

 public:
  /// Requires: both arguments outlive this; codecs stand behind the form's shards.
  DecodedShardStore(ErasedStore<Host> const& store, ResolvedChunk const& form)
      : Base{abilities_of(store)}, store_{&store}, form_{&form} {}

  std::string name() const override { return store_->name(); }
  bool is_near() const override { return store_->is_near(); }
  KeyLock lock(Key const& key, Stop stop = nullptr) const override { return store_->lock(key, stop); }
  SequenceCounter& changes(Key const& key) const override { return store_->changes(key); }
  /// Later reads return the watched version, or a later one.
  ValueWatch watch(Key const& key) const override {
    auto now = store_->watch(key);
    decoded_.expect(key, now.version(), [&] { return store_->watch(key); });
    return now;
  }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Host> destination,
                                  Queue& on) const override {
    return at_key(*this, key, [&]() -> std::optional<std::size_t> {
      auto const value = decoded(key, destination.limits().stop, on);
      if (!value) return std::nullopt;
      auto const [offset, size] = range.resolve(value->view.size);
      auto const to = destination(size);
      if (size > 0) std::memcpy(to.data, value->view.data + offset, size);
      return size;
    });
  }
  std::optional<std::uint64_t> size(Key const& key, Queue& on) const override {
    auto const value = decoded(key, nullptr, on);
    return value ? std::optional<std::uint64_t>{value->view.size} : std::nullopt;
  }
  void get_many(std::span<ReadRequest<Host>> requests, Queue& on) const override {
    for (auto& request : requests) request.size = read(*request.key, request.range, request.destination, on);
  }
  void get_many_on_host(std::span<ReadRequest<Host>> requests, Queue& on) const override { get_many(requests, on); }
  void lend_many(std::span<LendRequest<Host>> requests, Queue& on) const override {
    for (auto& request : requests)
      at_key(*this, *request.key, [&] {
        request.lent.reset();
        auto const value = decoded(*request.key, request.limits.stop, on);
        if (!value) return;
        auto const [offset, size] = request.range.resolve(value->view.size);
        request.lent = Lent<Host>{value->view.sub(offset, size), value};
      });
  }

 protected:
  ValueCodecs const& codecs() const { return *form_->shards.front().behind; }

 private:
  static StoreAbilities abilities_of(ErasedStore<Host> const& store) {
    auto abilities = store.can;
    abilities.appends = false;
    return abilities;
  }

  // Throws: CodecError, if the value is damaged, or larger than any that this program would write.
  Value decoded(Key const& key, Stop stop, Queue& on) const {
    auto const few = std::max<std::size_t>(2, on.threads());  // each may read another shard
    auto const decode = [&]() -> Value {
      auto const bound = form_->varying ? most_varying : shard_bound(*form_);
      auto const most = checked_size(bound + bound / 8 + (1 << 20), "a shard");
      auto const most_encoded = codecs().encoded_bound(most);
      HostBuffer encoded;
      auto destination = [&](std::size_t n) {
        expect_at_most(n, most_encoded);
        return (encoded = HostBuffer{n}).span();
      };
      auto const found = store_->read(key, {}, {destination, ReadLimits{most_encoded, stop}}, on);
      expect_given(found, encoded.view().size, key);
      if (!found) return nullptr;
      return std::make_shared<ValueCodecs::Bytes const>(codecs().decode(encoded.view(), most, on));
    };
    return decoded_.get(key, changes(key), few, decode, stop);
  }

  ErasedStore<Host> const* store_;
  ResolvedChunk const* form_;
  mutable DecodedValues decoded_;
};

/// Encodes shards before it writes them. A template, so that programs without such codecs compile none of it.
template <class Base = DecodedShardStore<ErasedWritableStore<space::Host>>>
class EncodedShardStore final : public Base {
  using typename Base::Host;
  using typename Base::Queue;

 public:
  EncodedShardStore(ErasedWritableStore<Host> const& store, ResolvedChunk const& form)
      : Base{store, form}, store_{&store} {}

  void write(Key const& key, ByteView<Host> value, Queue& on) const override {
    store_->write(key, this->codecs().encode(value, on).view, on);
  }
  void write_many(std::span<WriteRequest<Host> const> requests, Queue& on) const override {
    for (auto const& request : requests)
      at_key(*this, *request.key, [&] {
        auto const held = this->lock(*request.key, request.stop);
        write(*request.key, request.value, on);
      });
  }
  /// A value that is encoded as a whole cannot grow at its end.
  bool append(Key const&, ByteView<Host>, std::uint64_t, Queue&) const override { return false; }
  bool erase(Key const& key, Queue& on) const override { return store_->erase(key, on); }

 private:
  ErasedWritableStore<Host> const* store_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/shard/detail/decoded_shard_store.ipp>
#endif
