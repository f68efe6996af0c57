// Shards that codecs stand behind: their values are encoded as a whole, and seen here as what is in them.
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

#include <tessera/core/function_ref.hpp>
#include <tessera/key/key.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/value_codecs.hpp>
#include <tessera/shard/whole_shard.hpp>
#include <tessera/store/at_key.hpp>
#include <tessera/store/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Values of some keys, each decoded once; it keeps those that were asked for last. Threads share it.
class DecodedValues {
 public:
  using Value = std::shared_ptr<ValueCodecs::Bytes const>;  ///< null: there is no such key

  /// A value as it was when this was made or later, and as it is by now if `changes` tells. One thread decodes it,
  /// others that want it wait.
  /// `few` are kept however large they are.
  Value get(Key const& key, SequenceCounter const& changes, std::size_t few, FunctionRef<Value()> decode) {
    auto const known = find(key);
    std::lock_guard lock{known->mutex};
    if (!changes.none_since(known->sequence)) {
      known->value.reset();  // first, or both would be held at once
      known->sequence = SequenceCounter::unknown;
      keep(known, 0, few);
      auto const sequence = changes.sequence();
      known->value = decode();
      known->sequence = sequence;
      keep(known, known->value ? known->value->view.size : 0, few);
    }
    return known->value;
  }

  /// Keeps of the key what is of the value that is `seen`, and nothing else. Requires: who calls watches that value.
  void expect(Key const& key, ValueVersion const& seen, FunctionRef<ValueWatch()> watch) {
    auto const known = find(key);
    std::lock_guard lock{known->mutex};
    if (known->watched && known->watched->version().is_same(seen)) return;
    known->value.reset();
    known->sequence = SequenceCounter::unknown;
    keep(known, 0, ~std::size_t{0});
    known->watched.emplace(seen.is_settled ? ValueWatch{seen} : watch());
  }

 private:
  struct Known {
    std::mutex mutex{};  // held while it is decoded
    std::uint64_t sequence = SequenceCounter::unknown;
    Value value{};
    std::optional<ValueWatch> watched{};  // what it was decoded of
  };
  struct Kept {
    std::string key;
    std::shared_ptr<Known> known;
    std::uint64_t size = 0;  // bytes
  };

  std::shared_ptr<Known> find(Key const& key) {
    std::lock_guard lock{mutex_};
    auto found = kept_.begin();
    while (found != kept_.end() && found->key != key.path) ++found;
    if (found == kept_.end())
      kept_.push_front({key.path, std::make_shared<Known>()});
    else
      kept_.splice(kept_.begin(), kept_, found);
    return kept_.front().known;
  }

  void keep(std::shared_ptr<Known> const& known, std::uint64_t size, std::size_t few) {
    constexpr std::uint64_t many = 64, most = std::uint64_t{64} << 20;
    std::lock_guard lock{mutex_};
    auto found = kept_.begin();
    while (found != kept_.end() && found->known != known) ++found;
    if (found == kept_.end()) return;
    size_ += size - found->size;
    found->size = size;
    while (kept_.size() > few && (kept_.size() > many || size_ > most)) {
      size_ -= kept_.back().size;
      kept_.pop_back();
    }
  }

  std::mutex mutex_;
  std::uint64_t size_ = 0;
  std::list<Kept> kept_;  // what was asked for last first
};

/// Of a store of shards that codecs stand behind, for the length of one call: a value is read and decoded as a whole
/// when any part of it is asked for.
template <class Base = ErasedStore<space::Host>>
class DecodedShardStore : public Base {
 protected:
  using Host = space::Host;
  using Queue = tessera::Queue<Host>;

 private:
  using Value = DecodedValues::Value;

 public:
  /// What is given outlives this. Requires: codecs stand behind the form's shards.
  DecodedShardStore(ErasedStore<Host> const& store, ResolvedChunk const& form)
      : Base{abilities_of(store)}, store_{&store}, form_{&form} {}

  std::string name() const override { return store_->name(); }
  bool is_near() const override { return store_->is_near(); }
  KeyLock lock(Key const& key) const override { return store_->lock(key); }
  SequenceCounter& changes(Key const& key) const override { return store_->changes(key); }
  /// What is read after it is of the value that is watched, or of a later one.
  ValueWatch watch(Key const& key) const override {
    auto now = store_->watch(key);
    decoded_.expect(key, now.version(), [&] { return store_->watch(key); });
    return now;
  }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Host> destination,
                                  Queue& on) const override {
    return at_key(*this, key, [&]() -> std::optional<std::size_t> {
      auto const value = decoded(key, on);
      if (!value) return std::nullopt;
      auto const [offset, size] = range.resolve(value->view.size);
      auto const to = destination(size);
      if (size > 0) std::memcpy(to.data, value->view.data + offset, size);
      return size;
    });
  }
  std::optional<std::uint64_t> size(Key const& key, Queue& on) const override {
    auto const value = decoded(key, on);
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
        auto const value = decoded(*request.key, on);
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

  // Throws: CodecError, if it is damaged, or more than any that this program would write.
  Value decoded(Key const& key, Queue& on) const {
    auto const few = std::max<std::size_t>(2, on.threads());  // each may be at a shard of its own
    return decoded_.get(key, changes(key), few, [&]() -> Value {
      auto const bound = form_->varying ? most_varying : shard_bound(*form_);
      auto const most = checked_size(bound + bound / 8 + (1 << 20), "a shard");
      auto const most_encoded = codecs().encoded_bound(most);
      HostBuffer encoded;
      auto destination = [&](std::size_t n) {
        expect_at_most(n, most_encoded);
        return (encoded = HostBuffer{n}).span();
      };
      auto const found = store_->read(key, {}, destination, on);
      expect_given(found, encoded.view().size, key);
      if (!found) return nullptr;
      return std::make_shared<ValueCodecs::Bytes const>(codecs().decode(encoded.view(), most, on));
    });
  }

  ErasedStore<Host> const* store_;
  ResolvedChunk const* form_;
  mutable DecodedValues decoded_;
};

/// And encoded before it is written. A template, so that programs without such codecs compile none of it.
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
  /// Shards are written one by one.
  void write_many(std::span<WriteRequest<Host> const> requests, Queue& on) const override {
    for (auto const& request : requests)
      at_key(*this, *request.key, [&] {
        auto const held = this->lock(*request.key);
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
