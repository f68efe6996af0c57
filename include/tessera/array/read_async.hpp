// read_async and write_async: reads and writes of host memory that return at once.
#pragma once
#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class P>
consteval bool check_asynchronous() {
  constexpr bool is_of_host = std::same_as<typename P::array_space, space::Host>;
  static_assert(is_of_host,
                "tessera: read_async and write_async are for host memory: array.read(selection, memory) of an array in "
                "device memory returns a Pending already");
  return is_of_host;
}

template <class M>
consteval bool check_lasting() {
  using Memory = std::remove_cvref_t<M>;
  constexpr bool lasts = std::is_lvalue_reference_v<M> || !std::ranges::range<Memory> ||
                         std::ranges::borrowed_range<Memory> || std::ranges::view<Memory>;
  static_assert(lasts,
                "tessera: this memory is a temporary, which ends before the read or write: keep it in a variable until "
                "the Pending is done");
  return lasts;
}

}  // namespace detail

/// Like Array::read into the caller's memory, but returns at once. A thread of the array's queue reads; idle threads of
/// the queue help it. Any number of reads may wait for a thread. If the queue has only one thread, the read is done
/// before this returns. Memory, lists and masks of a selection are in use until the Pending is done. `.stop` cancels
/// it. Throws: SelectionError, as Array::read. `wait` throws all other errors: StoreError, CodecError, with the key;
/// Cancelled.
///
///     auto first = read_async(array, {{0, 64}, all}, top), second = read_async(array, {{64, 128}, all}, bottom);
///     first.wait(), second.wait();
template <class T, std::size_t Rank, class S, class P, detail::AnySelector Sel = Box, detail::MemoryOrMistake M>
auto read_async(Array<T, Rank, S, P> const& array, Sel const& selection, M&& to, ReadOptions const& options = {}) {
  constexpr auto rank = detail::memory_rank<Sel, Rank>;
  if constexpr (!detail::check_asynchronous<P>()) {
    return detail::InvalidCall{};
  } else if constexpr (!detail::check_selected_in<Sel, space::Host>()) {
    return detail::InvalidCall{};
  } else if constexpr (!detail::check_lasting<M>() || !detail::check_destination<T, rank, space::Host, M>()) {
    return detail::InvalidCall{};
  } else {
    auto const& untyped = array.untyped();
    return detail::in_document(untyped.store(), untyped.document(), [&] {
      auto what = detail::selected_in(selection, array.shape(), array.chunk_shape(), untyped.edges());
      auto const view = detail::caller_view<rank>(to, what.shape);
      StridedSpan<space::Host> const there{reinterpret_cast<std::byte*>(view.data), view.layout().strides};
      return untyped.queue().start([untyped, what = ResolvedSelection{std::move(what)}, there, options,
                                    of_scope = defaults()] {
        with_defaults(of_scope, [&] { untyped.read_into(what, detail::ElementsOf<T>::placed(there), options); });
      });
    });
  }
}

/// Like Array::write from the caller's memory, but returns at once. Otherwise like read_async. Writes of the same
/// chunks in one process wait for each other, in any order.
template <class T, std::size_t Rank, class S, class P, detail::AnySelector Sel = Box, detail::MemoryOrMistake M>
auto write_async(Array<T, Rank, S, P> const& array, Sel const& selection, M&& from, WriteOptions const& options = {}) {
  constexpr auto rank = detail::memory_rank<Sel, Rank>;
  if constexpr (!detail::check_asynchronous<P>()) {
    return detail::InvalidCall{};
  } else if constexpr (!detail::check_selected_in<Sel, space::Host>()) {
    return detail::InvalidCall{};
  } else if constexpr (!detail::check_lasting<M>() || !detail::check_writable<S>() ||
                       !detail::check_memory<T, rank, space::Host, std::remove_reference_t<M> const>()) {
    return detail::InvalidCall{};
  } else {
    auto const& untyped = array.untyped();
    return detail::in_document(untyped.store(), untyped.document(), [&] {
      auto what = detail::selected_in(selection, array.shape(), array.chunk_shape(), untyped.edges());
      auto const view = detail::caller_view<rank>(std::as_const(from), what.shape);
      StridedView<space::Host> const there{reinterpret_cast<std::byte const*>(view.data), view.layout().strides};
      return untyped.queue().start([untyped, what = ResolvedSelection{std::move(what)}, there, options,
                                    of_scope = defaults()] {
        with_defaults(of_scope, [&] { untyped.write_from(what, detail::ElementsOf<T>::placed(there), options); });
      });
    });
  }
}

}}  // namespace tessera::v0
