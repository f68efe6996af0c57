// An array that owns its elements: what a read returns when it is given no memory.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// Of this unit's own: others may be compiled with NDEBUG, and their functions have other names then.
#if defined(NDEBUG)
constexpr bool checks_elements = false;
#else
constexpr bool checks_elements = true;
#endif

// A negative index lies outside too.
inline void expect_inside(Extents const& shape, Strides const& index) {
  bool is_inside = index.rank() == shape.rank();
  for (std::size_t d = 0; is_inside && d < shape.rank(); ++d)
    is_inside = index[d] >= 0 && static_cast<std::uint64_t>(index[d]) < shape[d];
  if (!is_inside)
    throw SelectionError{text({"element ", to_string(index), " lies outside of the shape ", to_string(shape)})};
}
inline void expect_inside(Extents const& shape, Extents const& index) {
  Strides same;
  for (auto n : index) same.push_back(static_cast<std::int64_t>(n));
  expect_inside(shape, same);
}

}  // namespace detail

/// Contiguous, in C order, in a buffer of type B; where the host can touch it, a range of its elements. Where the
/// number of dimensions is known at run time alone, there is no `view()`. Move-only; a moved-from one may only be
/// destroyed or assigned to.
template <class T, std::size_t Rank, AllocatableBuffer B>
class OwnedArray {
  using Space = typename B::space_type;

 public:
  OwnedArray(Extents const& shape, queue_for<Space>& on)
      : shape_{shape},
        size_{element_count(shape, "the shape")},
        buffer_(checked_size(checked_product(size_, sizeof(T), "the array"), "the array"), on) {}

  Extents const& shape() const { return shape_; }
  std::uint64_t size() const { return size_; }  ///< elements
  bool empty() const { return size_ == 0; }
  /// From one element to the next along each dimension, in elements.
  Strides strides() const { return Layout::c_order(shape_, 1).strides; }
  T* data() & { return reinterpret_cast<T*>(buffer_.span().data); }
  T const* data() const& { return reinterpret_cast<T const*>(buffer_.view().data); }
  T const* data() const&& = delete;  // of a temporary: it would dangle
  /// What owns the elements, in C order from its beginning.
  B const& buffer() const& { return buffer_; }
  B const& buffer() const&& = delete;

  ArrayView<T, Rank, Space> view() & requires(Rank <= max_rank) {
    return ArrayView<T, Rank, Space>::c_order(data(), shape_);
  }
  ArrayView<T const, Rank, Space> view() const&& = delete;
  ArrayView<T const, Rank, Space> view() const& requires(Rank <= max_rank) {
    return ArrayView<T const, Rank, Space>::c_order(data(), shape_);
  }

  /// A part of it, in its memory: `array.sub({{0, 64}, all, 3})`. Throws: SelectionError, if an index lies outside.
  auto sub(Box const& box) & requires(Rank <= max_rank) { return view().sub(box); }
  auto sub(Box const& box) const& requires(Rank <= max_rank) { return view().sub(box); }
  auto sub(Box const&) const&& = delete;

  /// Elements, where the host can touch them.
  /// Where NDEBUG is not defined, indices are checked, as at() checks them.
  template <bool Checks = detail::checks_elements, class... Index>
  T& operator()(Index... index) & {
    return data()[place<Checks>(index...)];
  }
  template <bool Checks = detail::checks_elements, class... Index>
  T const& operator()(Index... index) const& {
    return data()[place<Checks>(index...)];
  }
  template <bool Checks = detail::checks_elements, class... Index>
  T operator()(Index... index) const&& {
    return data()[place<Checks>(index...)];
  }
  /// `array[{1, 2, 3}]`
  template <bool Checks = detail::checks_elements>
  T& operator[](Extents const& index) & {
    return data()[place_of<Checks>(index)];
  }
  template <bool Checks = detail::checks_elements>
  T const& operator[](Extents const& index) const& {
    return data()[place_of<Checks>(index)];
  }
  template <bool Checks = detail::checks_elements>
  T operator[](Extents const& index) const&& {
    return data()[place_of<Checks>(index)];
  }
  /// An element, checked in every build. Throws: SelectionError, if the index lies outside.
  template <class... Index>
  T& at(Index... index) & {
    return data()[place<true>(index...)];
  }
  template <class... Index>
  T const& at(Index... index) const& {
    return data()[place<true>(index...)];
  }
  template <class... Index>
  T at(Index... index) const&& {
    return data()[place<true>(index...)];
  }
  std::span<T> elements() & {
    (void)detail::check_touched<Space>();
    return {data(), size_};
  }
  std::span<T const> elements() const& {
    (void)detail::check_touched<Space>();
    return {data(), size_};
  }
  std::span<T const> elements() const&& = delete;

  /// Its elements as a range, in C order: `for (auto x : array)`, `std::ranges::minmax(array.read(all))`.
  T* begin() & {
    (void)detail::check_touched<Space>();
    return data();
  }
  T const* begin() const& {
    (void)detail::check_touched<Space>();
    return data();
  }
  T const* begin() const&& = delete;
  T* end() & { return begin() + size_; }
  T const* end() const& { return begin() + size_; }
  T const* end() const&& = delete;

 private:
  // How many elements lie before the one at an index.
  template <bool Checks, class... Index>
  std::uint64_t place(Index... index) const {
    (void)detail::check_touched<Space>();
    constexpr bool is_index = ((std::convertible_to<Index, std::uint64_t> && !std::floating_point<Index>)&&...);
    constexpr bool fits = Rank > max_rank || sizeof...(Index) == Rank;
    static_assert(is_index && fits, "tessera: an element has one index for each dimension of its array");
    if constexpr (is_index && fits) {
      if constexpr (Checks || Rank > max_rank)
        detail::expect_inside(shape_, Strides{static_cast<std::int64_t>(index)...});
      std::uint64_t at = 0;
      [[maybe_unused]] std::size_t d = 0;
      ((at = at * shape_[d++] + static_cast<std::uint64_t>(index)), ...);
      return at;
    } else {
      return 0;
    }
  }
  template <bool Checks>
  std::uint64_t place_of(Extents const& index) const {
    (void)detail::check_touched<Space>();
    if constexpr (Checks) detail::expect_inside(shape_, index);
    std::uint64_t at = 0;
    for (std::size_t d = 0; d < shape_.rank(); ++d) at = at * shape_[d] + index[d];
    return at;
  }

  Extents shape_;
  std::uint64_t size_;
  B buffer_;
};

}}  // namespace tessera::v0
