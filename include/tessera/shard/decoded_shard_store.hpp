// Shards that codecs stand behind: their values are encoded as a whole, and seen here as what is in them.
#pragma once
#include <algorithm>
#include <concepts>
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
#include <tessera/store/append.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/is_near.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/store/watch.hpp>
#include <tessera/store/write_many.hpp>

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

/// The store of an array's chunks or shards, for the length of one call. Where codecs stand behind the shards a value
/// is read and decoded as a whole when any part of it is asked for, and encoded before it is written; else this is the
/// store. Of bytes in the host's memory.
template <class S>
class DecodedShardStore {
  using Host = space::Host;
  using Value = DecodedValues::Value;

 public:
  using buffer_type = buffer_of<S>;
  static constexpr bool reads_in_turn = ReadsInTurn<S>;

  /// What is given outlives this. `locks` count changes where the store does not.
  DecodedShardStore(S const& store, ResolvedChunk const& form, KeyLocks& locks)
      : store_{&store}, form_{&form}, locks_{&locks} {
    if (codecs()) decoded_ = std::make_shared<DecodedValues>();
  }

  std::string name() const { return name_of(*store_); }
  bool is_near() const { return detail::is_near(*store_); }
  auto lock(Key const& key) const { return lock_of(*store_, key, *locks_); }
  /// What is read after it is of the value that is watched, or of a later one.
  ValueWatch watch(Key const& key) const requires HasWatch<S> {
    auto now = store_->watch(key);
    if (decoded_) decoded_->expect(key, now.version(), [&] { return store_->watch(key); });
    return now;
  }
  SequenceCounter& changes(Key const& key) const { return changes_of(*store_, key, *locks_); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Host> destination,
                                  Queue<Host>& on) const {
    if (!decoded_) return store_->read(key, range, destination, on);
    auto const value = decoded(key, on);
    if (!value) return std::nullopt;
    auto const [offset, size] = range.resolve(value->view.size);
    auto const to = destination(size);
    if (size > 0) std::memcpy(to.data, value->view.data + offset, size);
    return size;
  }
  std::optional<std::uint64_t> size(Key const& key, Queue<Host>& on) const {
    if (!decoded_) return tessera::size(*store_, key, on);
    auto const value = decoded(key, on);
    return value ? std::optional<std::uint64_t>{value->view.size} : std::nullopt;
  }
  void get_many(std::span<ReadRequest<Host>> requests, Queue<Host>& on) const requires HasGetMany<S> {
    if (!decoded_) return store_->get_many(requests, on);
    for (auto& request : requests)
      request.size = detail::read(*this, *request.key, request.range, request.destination, on);
  }
  std::optional<Lent<Host>> lend(Key const& key, ByteRange range, Queue<Host>& on) const requires LendingStore<S> {
    if (!decoded_) return store_->lend(key, range, on);
    auto const value = decoded(key, on);
    if (!value) return std::nullopt;
    auto const [offset, size] = range.resolve(value->view.size);
    return Lent<Host>{value->view.sub(offset, size), value};
  }

  void write(Key const& key, ByteView<Host> value, Queue<Host>& on) const requires WritableStore<S> {
    if (!decoded_) return store_->write(key, value, on);
    store_->write(key, codecs()->encode(value, on).view, on);
  }
  /// Of chunks that are not in shards.
  void write_many(std::span<WriteRequest<Host> const> requests, Queue<Host>& on) const requires HasWriteMany<S> {
    store_->write_many(requests, on);
  }
  bool append(Key const& key, ByteView<Host> bytes, std::uint64_t size,
              Queue<Host>& on) const requires AppendableStore<S> {
    return !decoded_ && store_->append(key, bytes, size, on);
  }
  bool erase(Key const& key, Queue<Host>& on) const requires WritableStore<S> { return store_->erase(key, on); }

 private:
  ValueCodecs const* codecs() const { return form_->shards.empty() ? nullptr : form_->shards.front().behind.get(); }

  // Throws: CodecError, if it is damaged, or more than any that this program would write.
  Value decoded(Key const& key, Queue<Host>& on) const {
    auto const few = std::max<std::size_t>(2, on.threads());  // each may be at a shard of its own
    return decoded_->get(key, changes(key), few, [&]() -> Value {
      auto const bound = shard_bound(*form_);
      auto const most = checked_size(bound + bound / 8 + (1 << 20), "a shard");
      auto const most_encoded = codecs()->encoded_bound(most);
      HostBuffer encoded;
      auto destination = [&](std::size_t n) {
        expect_at_most(n, most_encoded);
        return (encoded = HostBuffer{n}).span();
      };
      auto const found = store_->read(key, {}, destination, on);
      expect_given(found, encoded.view().size, key);
      if (!found) return nullptr;
      return std::make_shared<ValueCodecs::Bytes const>(codecs()->decode(encoded.view(), most, on));
    });
  }

  S const* store_;
  ResolvedChunk const* form_;
  KeyLocks* locks_;
  std::shared_ptr<DecodedValues> decoded_{};  // null: no codecs stand behind
};

}}}  // namespace tessera::v0::detail
