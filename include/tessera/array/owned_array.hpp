// OwnedArray: an array that owns its elements, which a read without memory returns.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/buffer/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// For this unit only: other units may be compiled with NDEBUG, and their functions then have other names.
#if defined(NDEBUG)
constexpr bool checks_elements = false;
#else
constexpr bool checks_elements = true;
#endif

// A negative index is also out of range.
TESSERA_DECL void expect_inside(Extents const& shape, Strides const& index);
TESSERA_DECL void expect_inside(Extents const& shape, Extents const& index);

// For members that refer to the elements, of a temporary.
template <class Result>
Result of_a_temporary() {
  static_assert(sizeof(Result*) == 0,
                "tessera: this array is a temporary, and its elements are freed at the end of the statement: keep it "
                "in a variable, 'auto const part = array.read(all)', and ask that");
  return {};
}

}  // namespace detail

/// An array that owns its elements, contiguous and in C order, in a buffer of type B. If the host can access B's
/// memory, it is also a range of its elements. `view()` exists only if the rank is known at compile time. Move-only. An
/// array that was moved from may only be destroyed or assigned to.
template <class T, std::size_t Rank, AllocatableBuffer B>
class OwnedArray {
  using Space = typename B::space_type;

 public:
  OwnedArray(Extents const& shape, queue_for<Space>& on)
      : shape_{shape},
        size_{element_count(shape, "the shape")},
        buffer_(checked_size(checked_product(size_, sizeof(T), "the array"), "the array"), on) {}

  Extents const& shape() const { return shape_; }  ///< in elements
  std::uint64_t size() const { return size_; }  ///< elements
  bool empty() const { return size_ == 0; }     ///< whether it has no elements
  /// The strides: the distance from one element to the next along each dimension, in elements.
  Strides strides() const { return Layout::c_order(shape_, 1).strides; }
  /// The first element, in the memory space of B.
  T* data() & { return reinterpret_cast<T*>(buffer_.span().data); }
  T const* data() const& { return reinterpret_cast<T const*>(buffer_.view().data); }
  template <class U = T>
  U const* data() const&& {  // would dangle: its compile error says so, as those of view, sub and elements
    return detail::of_a_temporary<U const*>();
  }
  /// Owns the elements, in C order from its beginning.
  B const& buffer() const& { return buffer_; }
  B const& buffer() const&& = delete;

  ArrayView<T, Rank, Space> view() & requires(Rank <= max_rank) {
    return ArrayView<T, Rank, Space>::c_order(data(), shape_);
  }
  template <class U = T>
  ArrayView<U const, Rank, Space> view() const&& requires(Rank <= max_rank) {
    return detail::of_a_temporary<ArrayView<U const, Rank, Space>>();
  }
  ArrayView<T const, Rank, Space> view() const& requires(Rank <= max_rank) {
    return ArrayView<T const, Rank, Space>::c_order(data(), shape_);
  }

  /// A view of a part: `array.sub({{0, 64}, all, 3})`. Throws: SelectionError, if an index lies outside.
  auto sub(Box const& box) & requires(Rank <= max_rank) { return view().sub(box); }
  auto sub(Box const& box) const& requires(Rank <= max_rank) { return view().sub(box); }
  template <class U = T>
  ArrayView<U const, Rank, Space> sub(Box const&) const&& requires(Rank <= max_rank) {
    return detail::of_a_temporary<ArrayView<U const, Rank, Space>>();
  }

  /// Elements, if the host can access them. Without NDEBUG, indices are checked, as by at().
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
  template <class U = T>
  std::span<U const> elements() const&& {
    return detail::of_a_temporary<std::span<U const>>();
  }

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
  // The number of elements before the one at an index.
  template <bool Checks, class... Index>
  std::uint64_t place(Index... index) const {
    (void)detail::check_touched<Space>();
    constexpr bool is_index = ((std::convertible_to<Index, std::uint64_t> && !std::floating_point<Index>)&&...);
    constexpr bool fits = Rank > max_rank || sizeof...(Index) == Rank;
    static_assert(is_index && fits, "tessera: pass one integer index for each dimension of the array");
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

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/owned_array.ipp>
#endif
