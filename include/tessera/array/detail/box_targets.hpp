// BoxTargets: the memory of each box.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of boxes of one shape, one memory, whose first dimension is that of the boxes; or one memory for each box. Refers
/// to those. Strides are in bytes.
template <MemorySpace S>
class BoxTargets {
 public:
  BoxTargets(std::byte* data, Strides const& strides) : data_{data}, between_{strides[0]} {
    for (std::size_t d = 1; d < strides.rank(); ++d) strides_.push_back(strides[d]);
  }
  BoxTargets(StridedSpan<S> const& all) : BoxTargets{all.data, all.strides} {}
  explicit BoxTargets(std::span<StridedSpan<S> const> each) : each_{each} {}

  std::span<StridedSpan<S> const> each() const { return each_; }  ///< empty: one memory has all boxes
  std::byte* data(std::size_t box) const {
    return each_.empty() ? data_ + static_cast<std::int64_t>(box) * between_ : each_[box].data;
  }
  Strides const& strides(std::size_t box) const { return each_.empty() ? strides_ : each_[box].strides; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t between_ = 0;
  Strides strides_{};  // of one box
  std::span<StridedSpan<S> const> each_{};
};

}}}  // namespace tessera::v0::detail
