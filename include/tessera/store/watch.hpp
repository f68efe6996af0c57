// Whether a value that is read by several calls was one value throughout: of stores that others write to as well, in this
// process or in another.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <tessera/key/key.hpp>

namespace tessera::inline v0 {

/// What tells a value from others that its key has at other times.
struct ValueVersion {
  std::array<std::uint64_t, 5> numbers{};
  /// Whether no later value can have the same numbers. Files that were just written do not: their inode may be used
  /// again within one tick of the clock.
  bool is_settled = false;
  std::uint64_t watch = 0;  ///< that saw it: as long as it is there, the value keeps its numbers

  /// This is of the same value as a later `other`.
  bool proves(ValueVersion const& other) const {
    return numbers == other.numbers && (is_settled || watch == other.watch);
  }
};

/// Of one value, or of there being none, from when it was made. Empty: the store cannot tell.
class ValueWatch {
 public:
  struct Interface {
    virtual ~Interface() = default;
    virtual ValueVersion version() const = 0;
    virtual bool is_current() const = 0;
  };

  ValueWatch() = default;
  explicit ValueWatch(std::unique_ptr<Interface const> watched) : watched_{std::move(watched)} {}

  explicit operator bool() const { return watched_ != nullptr; }
  ValueVersion version() const { return watched_->version(); }
  /// The key has that value still, so that whatever was read of it since is of one value. Throws: StoreError.
  bool is_current() const { return watched_->is_current(); }

 private:
  std::unique_ptr<Interface const> watched_;
};

namespace detail {

template <class S>
concept HasWatch = requires(S const& store, Key const& key) {
  store.watch(key);
};

template <class S>
ValueWatch watch([[maybe_unused]] S const& store, [[maybe_unused]] Key const& key) {
  if constexpr (HasWatch<S>)
    return store.watch(key);
  else
    return {};
}

}  // namespace detail
}  // namespace tessera::inline v0
