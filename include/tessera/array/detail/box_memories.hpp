// BoxMemories: the caller's memory of each box, for boxes of any shapes.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class M>
using memory_in_list = std::remove_reference_t<decltype(*std::begin(std::declval<M&>()))>;

/// One memory for each box, such as a std::vector of views.
template <class M>
concept ListOfMemories = requires(M& memories) {
  { std::size(memories) } -> std::convertible_to<std::size_t>;
  requires CallerMemory<memory_in_list<M>>::known;
};

/// The same, for elements of type T: a std::vector<std::string> is memory of strings.
template <class M, class T>
concept ListOfMemoriesOf = ListOfMemories<M> && !requires {
  requires std::same_as<std::remove_const_t<typename CallerMemory<M>::element>, T>;
};

// The CallerMemory of M, or of what it lists.
template <class M>
struct box_memory : std::type_identity<CallerMemory<std::remove_reference_t<M>>> {};
template <class M>
requires ListOfMemories<std::remove_reference_t<M>>
struct box_memory<M> : std::type_identity<CallerMemory<memory_in_list<std::remove_reference_t<M>>>> {
};
template <class M>
using BoxMemory = typename box_memory<M>::type;

/// A queue keeps one for reuse.
template <MemorySpace S>
struct BoxMemories {
  std::vector<StridedSpan<S>> each{};

  /// `boxes`: of an array of `Rank` dimensions. Throws: SelectionError, if there are not as many memories as boxes, or
  /// one has another shape than its box, or a stride of 0.
  template <std::size_t Rank, class M>
  void resolve(M& memories, BoxesInChunks const& boxes) {
    if (std::size(memories) != boxes.size())
      throw SelectionError{
          to_text({"found ", std::size(memories), " memories, expected ", boxes.size(), ", one for each box"})};
    each.clear();
    for (auto& memory : memories) try {
        auto const view = caller_view<Rank>(memory, boxes.shape_of(each.size()));
        expect_apart(view.layout().shape, view.layout().strides);
        each.push_back({reinterpret_cast<std::byte*>(view.data), view.layout().strides});
      } catch (SelectionError const& error) {
        throw SelectionError{to_text({"box ", each.size(), ": ", error.what()})};
      }
  }
  std::uint64_t held() const { return each.capacity() * sizeof(StridedSpan<S>); }
};

}}}  // namespace tessera::v0::detail
