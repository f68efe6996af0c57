// ArrayView: a typed, borrowed view of an array: small, passed by value, without std:: members, so that kernels can use
// it. array_view: mdspans (std::mdspan, Kokkos's, cuda::std's) as ArrayViews. None of their headers is needed.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/element_iterator.hpp>
#include <tessera/view/detail/layout.hpp>  // IWYU pragma: export

namespace tessera { inline namespace v0 {
namespace detail {

template <MemorySpace S>
consteval bool check_touched() {
  static_assert(
      S::host_accessible,
      "tessera: these elements are in device memory, which the host cannot access: read them with "
      "array.read<PinnedBuffer>(selection), or pass their view() to a kernel with launch(queue, count, kernel), "
      "where view.in_kernel(indices...) is an element");
  return S::host_accessible;
}

}  // namespace detail

/// `strides` are in elements and may be negative or zero.
template <class T, std::size_t Rank, MemorySpace S = space::Host>
struct ArrayView {
  static_assert(Rank <= max_rank);
  using element_type = T;
  using space_type = S;
  static constexpr std::size_t rank = Rank;  ///< the number of dimensions

  T* data = nullptr;                            ///< the first element, in space S
  std::uint64_t shape[Rank == 0 ? 1 : Rank]{};  ///< in elements
  std::int64_t strides[Rank == 0 ? 1 : Rank]{};

  /// Contiguous memory in C order.
  static constexpr ArrayView c_order(T* data, Extents const& shape) {
    ArrayView view{data, {}, {}};
    std::uint64_t stride = 1;  // unsigned, so that overflow wraps: with a length of 0 the others may be any
    for (std::size_t d = Rank; d-- > 0; stride *= shape[d]) {
      view.shape[d] = shape[d];
      view.strides[d] = static_cast<std::int64_t>(stride);
    }
    return view;
  }

  /// An element, in memory that the host can access.
  template <std::convertible_to<std::uint64_t>... Index>
  requires(sizeof...(Index) == Rank) TESSERA_HOST_DEVICE constexpr T& operator()(Index... index) const {
    [[maybe_unused]] constexpr bool is_touched = detail::check_touched<S>();
    return in_kernel(index...);
  }
  /// `view[{1, 2, 3}]`, also in memory that the host can access.
  template <class Space = S>
  constexpr T& operator[](Extents const& index) const {
    [[maybe_unused]] constexpr bool is_touched = detail::check_touched<Space>();
    std::int64_t at = 0;
    for (std::size_t d = 0; d < Rank; ++d) at += static_cast<std::int64_t>(index[d]) * strides[d];
    return data[at];
  }
  /// An element in any memory, for code that can access it, such as kernels.
  template <std::convertible_to<std::uint64_t>... Index>
  requires(sizeof...(Index) == Rank) TESSERA_HOST_DEVICE constexpr T& in_kernel(Index... index) const {
    std::int64_t at = 0;
    [[maybe_unused]] std::size_t d = 0;
    ((at += static_cast<std::int64_t>(index) * strides[d++]), ...);
    return data[at];
  }

  /// A part of the view, with as many dimensions: `view.sub({{0, 64}, all, 3})`. Throws: SelectionError, if an index
  /// lies outside.
  ArrayView sub(Box const& box) const {
    Extents whole;
    for (std::size_t d = 0; d < Rank; ++d) whole.push_back(shape[d]);
    auto const region = box.resolve(whole);
    ArrayView part{data, {}, {}};
    std::uint64_t first = 0;  // unsigned, so that wrapping is defined; only in-range offsets are used
    bool is_empty = false;
    for (std::size_t d = 0; d < Rank; ++d) {
      auto const stride = static_cast<std::uint64_t>(strides[d]);
      is_empty = is_empty || region.count[d] == 0;
      first += region.first[d] * stride;
      part.shape[d] = region.count[d];
      part.strides[d] = static_cast<std::int64_t>(region.step[d] * stride);
    }
    if (!is_empty) part.data += static_cast<std::int64_t>(first);
    return part;
  }

  /// The elements as a range, in C order, if the host can access them: `sum(view.sub({all, 3}))`.
  auto begin() const requires(S::host_accessible) { return detail::ElementIterator<T, Rank>{*this}; }
  std::default_sentinel_t end() const requires(S::host_accessible) { return {}; }

  /// Shape and strides, these in bytes.
  Layout layout() const {
    Layout result{{}, {}, sizeof(T), 1};
    for (std::size_t d = 0; d != Rank; ++d) {
      result.shape.push_back(shape[d]);
      result.strides.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(strides[d]) * sizeof(T)));
    }
    return result;
  }
};

/// An mdspan over plain memory whose layout has strides.
template <class M>
concept Mdspan = requires(M const& m, std::size_t d) {
  typename M::element_type;
  requires std::same_as<typename M::reference, typename M::element_type&>;
  { M::rank() } -> std::convertible_to<std::size_t>;
  { m.data_handle() } -> std::convertible_to<typename M::element_type*>;
  { m.extent(d) } -> std::integral;
  { m.stride(d) } -> std::integral;
};

/// The memory space of an mdspan's accessor. An extension point:
///
///   template <class T>
///   struct tessera::accessor_space<my::DeviceAccessor<T>> { using type = tessera::space::Device; };
///
/// with/cccl.cuh specialises it for cuda::host_mdspan, device_mdspan and managed_mdspan.
template <class Accessor>
struct accessor_space;

namespace detail {

// Whether a type is in namespace std, or Kokkos, which has the standard's mdspan for older compilers. Decided by name,
// "... T = std::default_accessor<float>]", because many standard libraries have no mdspan, and its header would add to
// the compile time of every program. If a compiler spells the name otherwise, the mdspan is refused.
template <class T>
consteval bool is_of_the_standard() {
  std::string_view name{__PRETTY_FUNCTION__};
  name.remove_prefix(name.find('=') + 1);
  if (name.starts_with(' ')) name.remove_prefix(1);
  return name.starts_with("std::") || name.starts_with("Kokkos::");
}

}  // namespace detail

/// std::default_accessor and std::aligned_accessor refer to host memory. Those of cuda::std do not: CUDA programs use
/// them for host and device memory.
template <class Accessor>
requires(detail::is_of_the_standard<Accessor>()) struct accessor_space<Accessor> {
  using type = space::Host;
};

/// An mdspan whose type tells its memory space.
template <class M>
concept MdspanOfASpace = Mdspan<M> && MemorySpace<typename accessor_space<typename M::accessor_type>::type>;

/// The same elements, in space S: `array_view<space::Device>(m)` for an mdspan whose type does not tell its space.
template <MemorySpace S, Mdspan M>
constexpr auto array_view(M const& m) {
  ArrayView<typename M::element_type, M::rank(), S> view{m.data_handle(), {}, {}};
  if constexpr (M::rank() > 0) {
    for (std::size_t d = 0; d < M::rank(); ++d) {
      view.shape[d] = static_cast<std::uint64_t>(m.extent(d));
      view.strides[d] = static_cast<std::int64_t>(m.stride(d));
    }
  }
  return view;
}
template <MdspanOfASpace M>
constexpr auto array_view(M const& m) {
  return array_view<typename accessor_space<typename M::accessor_type>::type>(m);
}

}}  // namespace tessera::v0

// A view in the sense of <ranges>: copies are cheap, and iterators may outlive it.
template <class T, std::size_t Rank, tessera::MemorySpace S>
inline constexpr bool std::ranges::enable_view<tessera::ArrayView<T, Rank, S>> = true;
template <class T, std::size_t Rank, tessera::MemorySpace S>
inline constexpr bool std::ranges::enable_borrowed_range<tessera::ArrayView<T, Rank, S>> = true;
