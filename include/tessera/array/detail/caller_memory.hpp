// CallerMemory: memory for reads and writes of an array, and the compile errors for memory that does not fit.
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/contiguous_memory.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

inline constexpr std::size_t any_rank = ~std::size_t{0};  // of memory without a shape

template <class V>
inline constexpr bool is_array_view = false;
template <class T, std::size_t Rank, class Space>
inline constexpr bool is_array_view<ArrayView<T, Rank, Space>> = true;

template <class M>
concept HasView = requires(M& memory) {
  requires is_array_view<decltype(memory.view())>;
};

// M as an ArrayView: M is one, has one (OwnedArray), is an mdspan, or is contiguous memory, which gets the requested
// shape. `known` is false for any other type, and if the space of M's memory is unknown.
template <class M>
struct CallerMemory {
  static constexpr bool known = false;
};

template <class M>
requires is_array_view<std::remove_cv_t<M>>
struct CallerMemory<M> {
  static constexpr bool known = true;
  static constexpr std::size_t rank = M::rank;
  using element = typename M::element_type;
  using space = typename M::space_type;
  template <std::size_t>
  static auto view(M const& memory, Extents const&) {
    return memory;
  }
};

template <HasView M>
struct CallerMemory<M> : CallerMemory<decltype(std::declval<M&>().view())> {
  template <std::size_t>
  static auto view(M& memory, Extents const&) {
    return memory.view();
  }
};

template <class M>
requires MdspanOfASpace<std::remove_cv_t<M>>
struct CallerMemory<M> : CallerMemory<decltype(array_view(std::declval<M&>()))> {
  template <std::size_t>
  static auto view(M& memory, Extents const&) {
    return array_view(memory);
  }
};

[[noreturn, gnu::cold]] void refuse_size(std::uint64_t found, std::uint64_t expected);

template <ContiguousMemory M>
struct CallerMemory<M> {
  static constexpr bool known = true;
  static constexpr std::size_t rank = any_rank;
  using element = std::remove_pointer_t<decltype(contiguous_memory<M>::data(std::declval<M&>()))>;
  using space = typename contiguous_memory<M>::space;
  template <std::size_t Rank>
  static auto view(M& memory, Extents const& shape) {
    auto const expected = element_count(shape, "the selection");
    auto const found = contiguous_memory<M>::size(memory);
    if (found != expected) refuse_size(found, expected);
    return ArrayView<element, Rank, space>::c_order(contiguous_memory<M>::data(memory), shape);
  }
};

template <class Q>
inline constexpr bool is_queue = false;
template <MemorySpace S>
inline constexpr bool is_queue<Queue<S>> = true;

// An argument for memory, even a wrong one, which then gets its own compile error.
template <class M>
concept MemoryOrMistake = !std::same_as<std::remove_cvref_t<M>, ReadOptions> &&
                          !std::same_as<std::remove_cvref_t<M>, WriteOptions> && !is_queue<std::remove_cvref_t<M>>;
template <class... A>
inline constexpr bool begins_with_memory = false;
template <MemoryOrMistake M, class... A>
inline constexpr bool begins_with_memory<M, A...> = true;

// The device's work reaches pinned and managed memory too, without a crossing.
template <class Memory, class Space>
inline constexpr bool is_worked_on_in = std::same_as<Memory, Space> ||
                                        (std::same_as<Space, space::Device> && Memory::device_accessible);

// Host memory, for an array in another space: it is read through codecs on the host.
template <class Memory, class Space>
inline constexpr bool is_of_the_host_alone = std::same_as<Memory, space::Host> && !std::same_as<Space, space::Host>;

// One compile error for each reason why memory does not fit an array of T, Rank and Space.
template <class T, std::size_t Rank, class Space, class M>
consteval bool check_memory() {
  using Memory = CallerMemory<std::remove_reference_t<M>>;
  if constexpr (was_refused<std::remove_cvref_t<M>>()) {
    return false;
  } else if constexpr (!Memory::known && !SaysWhere<std::remove_reference_t<M>>) {
    return check_says_where<std::remove_reference_t<M>>();
  } else if constexpr (!Memory::known && Mdspan<std::remove_cvref_t<M>>) {
    static_assert(
        Memory::known,
        "tessera: this mdspan does not declare its memory space: pass "
        "tessera::array_view<tessera::space::Device>(memory), or space::Host; if its accessor implies a space, "
        "specialise tessera::accessor_space<Accessor> (tessera/with/cccl.cuh does so for cuda::device_mdspan)");
    return false;
  } else if constexpr (!Memory::known) {
    static_assert(
        Memory::known,
        "tessera: this argument is not memory that holds elements: pass an ArrayView<T, Rank, space>, an mdspan, or "
        "contiguous host memory such as a std::vector<T> (for bool: a std::span over a std::unique_ptr<bool[]>)");
    return false;
  } else if constexpr (!is_worked_on_in<typename Memory::space, Space> && std::same_as<Space, space::Host>) {
    static_assert(is_worked_on_in<typename Memory::space, Space>,
                  "tessera: this memory is in a different memory space from the array's elements; open the array with "
                  "a pipeline that begins in the space of this memory, e.g. Pipeline<space::Device, codec::Bytes, "
                  "CastTo<space::Host>>, view it through one, array.through<...>(queue), or read into new memory, "
                  "array.read<DeviceBuffer>(selection, queue)");
    return false;
  } else if constexpr (!is_worked_on_in<typename Memory::space, Space>) {
    static_assert(is_worked_on_in<typename Memory::space, Space>,
                  "tessera: this memory is in a different memory space from the array's elements; open the array with "
                  "a pipeline that begins in the space of this memory, e.g. Pipeline<space::Host, ...>, or view it "
                  "through one: array.through<space::Host>()");
    return false;
  } else if constexpr (!std::same_as<std::remove_const_t<typename Memory::element>, T>) {
    static_assert(std::same_as<std::remove_const_t<typename Memory::element>, T>,
                  "tessera: the element type of this memory differs from the array's; pass memory of type T as in "
                  "open_array<T, ...>");
    return false;
  } else {
    constexpr bool fits = Memory::rank == Rank || Memory::rank == any_rank;
    static_assert(fits,
                  "tessera: the number of dimensions of this memory differs from the array's; pass an ArrayView of "
                  "Rank dimensions as in open_array<T, Rank>, or of one dimension for Points and a Mask");
    return fits;
  }
}

template <class T, std::size_t Rank, class Space, class M>
consteval bool check_destination() {
  if constexpr (!check_memory<T, Rank, Space, M>()) {
    return false;
  } else {
    constexpr bool writable = !std::is_const_v<typename CallerMemory<std::remove_reference_t<M>>::element>;
    static_assert(writable, "tessera: the destination's elements are const: pass writable memory");
    return writable;
  }
}

[[noreturn]] void refuse_shape(Extents const& found, Extents const& expected);

/// For memory that is read into. Throws: SelectionError, if elements would overwrite each other: an ArrayView that is
/// made without strides has only zeros.
void expect_apart(Extents const& shape, Strides const& strides);

// The memory as a view of that shape. Throws: SelectionError, if it has another.
template <std::size_t Rank, class M>
auto caller_view(M& memory, Extents const& shape) {
  auto const view = CallerMemory<M>::template view<Rank>(memory, shape);
  if (auto const found = view.layout().shape; found != shape) refuse_shape(found, shape);
  return view;
}

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/caller_memory.ipp>
#endif
