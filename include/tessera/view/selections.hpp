// Selections other than a Box. Blocks: whole chunks by their position in the grid, like `blocks` of zarr-python.
// Orthogonal: an independent selection along each dimension, also by lists, like ix_ of NumPy and oindex of
// zarr-python. Points: single elements, like coordinate lists in NumPy and vindex of zarr-python. Mask: the elements at
// which a mask of the array's shape is true.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/contiguous_memory.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/view/detail/mask_bits.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 {

/// A slice of chunks per dimension: `Blocks{{0, 2}, all, 5}` selects the first two chunks of one dimension and the
/// sixth of another. Chunks are cut at the array's edge. The memory has as many dimensions as the array.
class Blocks {
 public:
  Blocks(std::initializer_list<Slice> slices) : chunks_(slices) {}
  explicit Blocks(std::vector<Slice> slices) : chunks_(std::move(slices)) {}

  /// Throws: SelectionError naming the dimension.
  ResolvedSelection resolve(Extents const& shape, Extents const& chunk_shape) const;
  /// The same for any grid: `ends(d, chunk)` returns the first index of a chunk and the index after its last.
  template <class F>
  ResolvedSelection resolve_in(Extents const& grid, F&& ends) const {
    auto const chunks = chunks_.resolve(grid, "chunks ");
    Region region = chunks;
    std::vector<IndexList> lists;
    for (std::size_t d = 0; d < grid.rank(); ++d) {
      auto const count = chunks.count[d], step = chunks.step[d];
      region.step[d] = 1;
      if (count == 0) continue;
      region.first[d] = ends(d, chunks.first[d]).first;
      region.count[d] = ends(d, chunks.first[d] + (count - 1) * step).second - region.first[d];
      if (count == 1 || step == 1) continue;
      auto& list = lists.emplace_back(IndexList{d, {}}).indices;
      for (std::uint64_t k = 0; k < count; ++k) {
        auto const [first, end] = ends(d, chunks.first[d] + k * step);
        for (auto i = first; i < end; ++i) list.push_back(i);
      }
      region.count[d] = list.size();
    }
    ResolvedSelection selected{region};
    selected.lists = std::move(lists);
    return selected;
  }

 private:
  Box chunks_;
};

namespace detail {

template <class R>
concept IndexRange = requires(R const& range) {
  std::end(range);
  requires std::integral<std::remove_cvref_t<decltype(*std::begin(range))>>;
  requires !std::same_as<std::remove_cvref_t<decltype(*std::begin(range))>, bool>;
};

template <IndexRange R>
std::vector<std::uint64_t> indices_of(R const& range) {
  std::vector<std::uint64_t> indices;
  indices.reserve(std::size(range));
  for (auto index : range) indices.push_back(natural(index, "a list of indices"));
  return indices;
}

}  // namespace detail

/// The indices of one dimension: a slice, `all`, one index, or a list such as a std::vector<int>, in any order and with
/// repeats.
class Indices {
 public:
  Indices(Slice const& slice) : slice_{slice} {}
  Indices(AllIndices) {}
  template <std::integral N>
  requires(!std::same_as<N, bool>) Indices(N index) : slice_{index} {}
  /// Throws: SelectionError, if an index is negative.
  template <detail::IndexRange R>
  Indices(R const& list) : is_list_{true}, list_(detail::indices_of(list)) {}

 private:
  friend class Orthogonal;
  Slice slice_{};
  bool is_list_ = false;
  std::vector<std::uint64_t> list_{};
};

/// `Orthogonal{std::vector{7, 2, 2}, all, Slice{0, 10}}`: these rows, in this order, of everything that the other
/// dimensions select. The memory has as many dimensions as the array, each as long as its indices. If an index repeats,
/// a write keeps the last element.
class Orthogonal {
 public:
  Orthogonal(std::initializer_list<Indices> indices) : indices_{indices} {}
  explicit Orthogonal(std::vector<Indices> indices) : indices_{std::move(indices)} {}

  /// Throws: SelectionError naming the dimension.
  ResolvedSelection resolve(Extents const& shape) const;

 private:
  std::vector<Indices> indices_;
};

/// `Points{std::vector{0, 5, 5}, std::vector{9, 1, 1}}`: the elements (0, 9), (5, 1) and (5, 1), as a list of
/// coordinates per dimension, in any order and with repeats. If a point repeats, a write keeps the last element. The
/// memory has one dimension.
class Points {
 public:
  /// Throws: SelectionError, if a coordinate is negative or the lists differ in length.
  template <detail::IndexRange First, detail::IndexRange... More>
  explicit Points(First const& first, More const&... more) : Points{1 + sizeof...(more), std::size(first)} {
    std::size_t d = 1;
    (expect_length(d++, std::size(more)), ...);
    auto* next = places_.get();
    put(next, std::begin(first), std::begin(more)...);
  }
  /// One position in the array for each point.
  explicit Points(std::vector<Extents> const& places);

  /// Throws: SelectionError naming the dimension.
  PointList resolve(Extents const& shape) const;

 private:
  static constexpr std::size_t any_rank = ~std::size_t{0};  // of no points

  Points(std::size_t rank, std::size_t count);
  void expect_length(std::size_t d, std::size_t length) const;
  template <class... Coordinates>
  void put(std::uint64_t* next, Coordinates... at) const {
    for (std::size_t i = 0; i < count_; ++i)
      ((*next++ = detail::natural(*at++, "a list of coordinates")), ...);
  }

  std::size_t count_, rank_, numbers_;
  std::shared_ptr<std::uint64_t[]> places_;  // shared with copies and with results of resolve()
};

namespace detail {

// bool, or bytes (true unless 0), because no std::vector of bool is contiguous.
template <class T>
concept MaskElement = std::same_as < std::remove_const_t<T>,
bool > || std::same_as<std::remove_const_t<T>, std::uint8_t>;

template <class M>
concept MaskMemory = ContiguousMemory<M const> && requires(M const& memory) {
  requires MaskElement<std::remove_pointer_t<decltype(contiguous_memory<M const>::data(memory))>>;
};

template <class Space>
consteval void check_mask() {
  static_assert(Space::host_accessible,
                "tessera: this mask is in device memory, which the host cannot access: pass a mask in host memory, or "
                "a DeviceMask of <tessera/with/device_selections.cuh>");
}

template <class M>
consteval void check_mask_memory() {
  static_assert(MaskMemory<M>,
                "tessera: a mask is contiguous memory of bool or std::uint8_t, or an ArrayView of these, with as many "
                "elements as the array: use a std::vector<std::uint8_t>, because a std::vector<bool> holds bits");
}

/// The layout of a mask in bytes. Null `found`: the mask has no shape, and `size` elements in C order. Throws:
/// SelectionError, naming the dimension if the mask has another shape than the array.
TESSERA_DECL Layout layout_of_mask(Layout const* found, std::size_t size, Extents const& shape);

}  // namespace detail

/// Refers to a mask in memory that the host can access, without a copy. Selects elements in C order; their memory has
/// one dimension.
class Mask {
 public:
  template <detail::MaskElement T, std::size_t Rank, MemorySpace S>
  explicit Mask(ArrayView<T, Rank, S> const& mask)
      : data_{reinterpret_cast<std::uint8_t const*>(mask.data)}, layout_{mask.layout()} {
    detail::check_mask<S>();
  }
  /// Contiguous memory in C order, with as many elements as the array.
  template <detail::MaskMemory M>
  explicit Mask(M const& mask)
      : data_{reinterpret_cast<std::uint8_t const*>(contiguous_memory<M const>::data(mask))},
        size_{contiguous_memory<M const>::size(mask)},
        has_shape_{false} {
    detail::check_mask<typename contiguous_memory<M const>::space>();
  }
  template <class M>
  requires(!detail::SaysWhere<M const>) explicit Mask(M const&) : data_{nullptr} {
    (void)detail::check_says_where<M const>();
  }
  template <class M>
  requires(detail::SaysWhere<M const> && !detail::MaskMemory<M> && requires(M const& m) { m.begin(); } &&
           !std::derived_from<M, Mask>) explicit Mask(M const&) : data_{nullptr} {
    detail::check_mask_memory<M>();
  }

  /// Throws: SelectionError, naming the dimension if the mask has another shape than the array.
  MaskBits resolve(Extents const& shape) const;

 private:
  void add_row(MaskBits& bits, std::uint64_t first, Layout const& layout, Extents const& row) const;
  // The eight bytes as bits, the first lowest: sets the highest bit of each nonzero byte, and gathers these by a
  // product.
  static std::uint64_t bits_of_eight(std::uint8_t const* at);

  std::uint8_t const* data_;
  Layout layout_{};  // if it has a shape
  std::size_t size_ = 0;
  bool has_shape_ = true;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/view/detail/selections.ipp>
#endif
