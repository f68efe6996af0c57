// Packing: moves pieces of a shard to their places in it.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// In memory that only kernels touch, one launch moves all pieces, and one copy brings all bytes from the host.
/// Elsewhere each piece is one copy in the queue's order.
template <MemorySpace S>
class Packing {
  using Host = space::Host;
  using Queue = queue_for<S>;

 public:
  void begin() { pieces_.clear(), of_host_.clear(), places_.clear(); }

  /// Both are in use until the queue has done the work that `finish` gives it. They do not overlap, unless they are the
  /// same memory of the host.
  void add(ByteView<S> from, ByteSpan<S> to) {
    if constexpr (std::same_as<S, Host>) {
      if (from.size > 0 && from.data != to.data) std::memcpy(to.data, from.data, from.size);
    } else {
      pieces_.push_back({from.data, to.data, {from.size}});
    }
  }
  /// Memory for bytes from the host that belong at `to`; valid until the next call.
  ByteSpan<Host> room(ByteSpan<S> to) {
    if constexpr (std::same_as<S, Host>) {
      return to;
    } else {
      auto const at = of_host_.size();
      of_host_.resize(at + to.size);
      places_.push_back(to);
      return {of_host_.data() + at, to.size};
    }
  }

  void finish(Queue& on) {
    if constexpr (!std::same_as<S, Host>) {
      if (!of_host_.empty()) bring(on);
      if constexpr (S::host_accessible) {
        for (auto const& [from, to, count] : pieces_)
          crossing<S, S>::copy(ByteView<S>{from, count[0]}, ByteSpan<S>{to, count[0]}, on);
      } else if constexpr (check_placer<S>()) {
        if (!pieces_.empty()) placer<S>::place(pieces_, {.from_strides = {1}, .to_strides = {1}}, on);
      }
    }
  }

 private:
  void bring(Queue& on) {
    auto const there = there_.take(of_host_.size(), on);
    crossing<S, Host>::copy({of_host_.data(), of_host_.size()}, there, on);
    on.keep(std::move(of_host_));
    std::size_t at = 0;
    for (auto const& to : places_) add(there.sub(std::exchange(at, at + to.size), to.size), to);
  }

  std::vector<Placement<S>> pieces_;
  std::vector<std::byte> of_host_;   // one after the other ...
  std::vector<ByteSpan<S>> places_;  // ... and their destinations
  Scratch<S> there_;
};

}}}  // namespace tessera::v0::detail
