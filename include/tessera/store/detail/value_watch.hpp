// ValueWatch: whether several calls read one value, in stores that others write too, in this process or in another.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <tessera/key/key.hpp>

namespace tessera { inline namespace v0 {

/// Identifies a value among those that its key has at different times.
struct ValueVersion {
  std::array<std::uint64_t, 4> numbers{};  ///< of the store that made it; equal for one value
  bool is_there = false;  ///< false: no such key
  /// Whether no later value can have these numbers. False for files just written: an inode may be reused within one
  /// tick of the clock.
  bool is_settled = false;

  /// Whether both are of the same value. Requires: this one is settled, or still watched.
  bool is_same(ValueVersion const& other) const { return is_there == other.is_there && numbers == other.numbers; }
};

/// A watch of one value: while it exists, no later value of the key has the same version. Must not outlive its store.
class ValueWatch {
 public:
  /// The store: `is_unchanged` says whether the watched value was not written since, `unwatch` ends the watch.
  struct Owner {
    virtual bool is_unchanged(std::intptr_t handle, ValueVersion const& seen) const = 0;
    virtual void unwatch(std::intptr_t handle) noexcept = 0;

   protected:
    ~Owner() = default;
  };

  explicit ValueWatch(ValueVersion const& seen) : seen_{seen} {}
  ValueWatch(ValueVersion const& seen, Owner& owner, std::intptr_t handle)
      : seen_{seen}, owner_{&owner}, handle_{handle} {}
  ValueWatch(ValueWatch&& other) noexcept
      : seen_{other.seen_}, owner_{std::exchange(other.owner_, nullptr)}, handle_{other.handle_} {}
  ValueWatch& operator=(ValueWatch&& other) noexcept;
  ~ValueWatch() {
    if (owner_) owner_->unwatch(handle_);
  }

  ValueVersion const& version() const { return seen_; }
  /// Whether the watched value was not written since; its key may have another by now. Throws: StoreError.
  bool is_unchanged() const { return !owner_ || owner_->is_unchanged(handle_, seen_); }
  /// `owner`'s handle; nullopt: the watch is another owner's, or the value is missing.
  std::optional<std::intptr_t> handle_of(Owner const& owner) const;

 private:
  ValueVersion seen_;
  Owner* owner_ = nullptr;
  std::intptr_t handle_ = 0;
};

namespace detail {

template <class S>
concept HasWatch = requires(S const& store, Key const& key) {
  store.watch(key);
};
// Whether a watch learns the version from reads under it: two watches of one value have different versions.
template <class S>
concept VersionsOnlyReads = requires {
  requires S::versions_only_reads;
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/value_watch.ipp>
#endif
