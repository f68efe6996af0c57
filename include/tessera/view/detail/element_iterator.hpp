// ElementIterator: visits the elements of a strided array in C order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace tessera { inline namespace v0 { namespace detail {

/// A forward iterator over `Rank` dimensions. It may outlive its view, but not the elements.
template <class T, std::size_t Rank>
class ElementIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  ElementIterator() = default;
  /// At the first element, or at the end if the view is empty. `View` has `data`, `shape` and `strides`.
  template <class View>
  explicit ElementIterator(View const& view) : at_{view.data}, left_{1} {
    for (std::size_t d = 0; d < Rank; ++d) {
      shape_[d] = view.shape[d];
      strides_[d] = view.strides[d];
      left_ *= view.shape[d];
    }
  }

  T& operator*() const { return *at_; }
  T* operator->() const { return at_; }
  ElementIterator& operator++() {
    if (--left_ == 0) return *this;  // no next element to point to
    for (auto d = Rank; d-- > 0;) {
      at_ += strides_[d];
      if (++index_[d] < shape_[d]) break;
      at_ -= static_cast<std::int64_t>(shape_[d]) * strides_[d];
      index_[d] = 0;
    }
    return *this;
  }
  ElementIterator operator++(int) {
    auto const before = *this;
    ++*this;
    return before;
  }
  /// Requires: both are of one view.
  friend bool operator==(ElementIterator const& a, ElementIterator const& b) { return a.left_ == b.left_; }
  friend bool operator==(ElementIterator const& a, std::default_sentinel_t) { return a.left_ == 0; }

 private:
  T* at_ = nullptr;
  std::uint64_t left_ = 0;  // elements
  std::uint64_t shape_[Rank == 0 ? 1 : Rank]{}, index_[Rank == 0 ? 1 : Rank]{};
  std::int64_t strides_[Rank == 0 ? 1 : Rank]{};
};

}}}  // namespace tessera::v0::detail
