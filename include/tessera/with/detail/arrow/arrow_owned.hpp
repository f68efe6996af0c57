// arrow_c::Owned: a struct of Arrow's C data interfaces, released by its destructor.
#pragma once
#include <type_traits>
#include <utility>

#include <tessera/with/detail/arrow/arrow_abi.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// Owns an ArrowSchema, ArrowArray or ArrowDeviceArray: its destructor calls `release`, once, unless the struct was
/// moved to a consumer. Move-only. As the specification says of moved structs, one that was moved has a null `release`.
template <class Struct>
class Owned {
 public:
  Owned() = default;
  /// Moves a producer's struct here: `from->release` becomes null.
  explicit Owned(Struct* from) noexcept : held_{std::exchange(*from, Struct{})} {}
  Owned(Owned&& other) noexcept : Owned{&other.held_} {}
  Owned& operator=(Owned&& other) noexcept {
    Owned before{std::move(*this)};
    held_ = std::exchange(other.held_, Struct{});
    return *this;
  }
  ~Owned() { reset(); }

  bool empty() const { return base(held_).release == nullptr; }
  /// Valid while this owns it; its address is this object's.
  Struct const& get() const& { return held_; }
  Struct* address() & { return &held_; }  ///< for functions of other libraries, which fill it or take it over
  /// Moves the struct to a consumer, who must release it. `to` is overwritten, so it must own nothing.
  void move_to(Struct* to) noexcept { *to = std::exchange(held_, Struct{}); }
  /// Releases the struct now.
  void reset() noexcept {
    if (auto& held = base(held_); held.release) held.release(&held);
    held_ = {};
  }

 private:
  // A device array is released as the array in it.
  template <class S>
  static auto& base(S& held) {
    if constexpr (std::is_same_v<Struct, ArrowDeviceArray>)
      return held.array;
    else
      return held;
  }

  Struct held_{};
};

}}}  // namespace tessera::v0::arrow_c
