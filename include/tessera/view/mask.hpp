// Mask: selects the elements at which a mask of the array's shape is true.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/contiguous_memory.hpp>
#include <tessera/view/detail/mask_bits.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 {
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
                "tessera: this mask is in device memory, which the host cannot access: pass a mask in host memory");
}

template <class M>
consteval void check_mask_memory() {
  static_assert(MaskMemory<M>,
                "tessera: a mask is contiguous memory of bool or std::uint8_t, or an ArrayView of these, with as many "
                "elements as the array: use a std::vector<std::uint8_t>, because a std::vector<bool> holds bits");
}

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
  Layout layout_for(Extents const& shape) const;
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
#include <tessera/view/detail/mask.ipp>
#endif
