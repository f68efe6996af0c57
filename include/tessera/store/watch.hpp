// Whether a value that is read by several calls was one value throughout: of stores that others write to as well, in
// this process or in another.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <tessera/key/key.hpp>

namespace tessera { inline namespace v0 {

/// What tells a value from others that its key has at other times.
struct ValueVersion {
  std::array<std::uint64_t, 4> numbers{};
  bool is_there = false;  ///< else there is no such key
  /// Whether no later value can have the same numbers. Files that were just written do not: their inode may be used
  /// again within one tick of the clock.
  bool is_settled = false;

  /// Of the same value: if this one is settled, or watched still.
  bool is_same(ValueVersion const& other) const { return is_there == other.is_there && numbers == other.numbers; }
};

/// Of one value, which no later one is taken for as long as this is there. It does not outlive the store that gave it.
class ValueWatch {
 public:
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
  ValueWatch& operator=(ValueWatch&& other) noexcept {
    std::swap(seen_, other.seen_), std::swap(owner_, other.owner_), std::swap(handle_, other.handle_);
    return *this;
  }
  ~ValueWatch() {
    if (owner_) owner_->unwatch(handle_);
  }

  ValueVersion const& version() const { return seen_; }
  /// Whether nobody wrote into the watched value: its key may have another by now. Throws: StoreError.
  bool is_unchanged() const { return !owner_ || owner_->is_unchanged(handle_, seen_); }
  /// What `owner` has of the value; nullopt: the watch is not one of its own, or there is no value.
  std::optional<std::intptr_t> handle_of(Owner const& owner) const {
    return owner_ == &owner ? std::optional{handle_} : std::nullopt;
  }

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

}  // namespace detail
}}  // namespace tessera::v0
