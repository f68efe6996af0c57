// Calls of an array that take the queue as an argument, as in 0.1: they are removed in 0.3.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A base of Array and ArrayOf.
template <class A, class Queue>
class CallsWithQueue {
 public:
  template <Selector Sel = Box, MemoryOrMistake M>
  [[deprecated("tessera: a handle has its queue: array.on(queue).read(selection, memory)")]] auto read(
      Sel const& selection, M&& to, Queue& queue, ReadOptions const& options = {}) const {
    return on(queue).read(selection, to, options);
  }
  template <class B = void, Selector Sel = Box>
  [[deprecated("tessera: a handle has its queue: array.on(queue).read(selection)")]] auto read(
      Sel const& selection, Queue& queue, ReadOptions const& options = {}) const {
    if constexpr (std::same_as<B, void>)
      return on(queue).read(selection, options);
    else
      return on(queue).template read<B>(selection, options);
  }
  template <Selector Sel = Box, MemoryOrMistake M>
  [[deprecated("tessera: a handle has its queue: array.on(queue).write(selection, memory)")]] auto write(
      Sel const& selection, M const& from, Queue& queue, WriteOptions const& options = {}) const {
    return on(queue).write(selection, from, options);
  }
  template <Selector Sel = Box, class V>
  [[deprecated("tessera: a handle has its queue: array.on(queue).fill(selection, value)")]] auto fill(
      Sel const& selection, V const& value, Queue& queue, WriteOptions const& options = {}) const {
    return on(queue).fill(selection, value, options);
  }
  template <MemoryOrMistake M>
  [[deprecated("tessera: a handle has its queue: array.on(queue).append(memory, axis)")]] auto append(
      M const& from, std::size_t axis, Queue& queue, WriteOptions const& options = {}) const {
    return on(queue).append(from, axis, options);
  }
  [[deprecated("tessera: a handle has its queue: array.on(queue).resize(shape)")]] void resize(Extents const& shape,
                                                                                             Queue& queue) const {
    on(queue).resize(shape);
  }
  template <std::same_as<Queue> Q>
  [[deprecated("tessera: a handle has its queue: array.on(queue).compact()")]] std::uint64_t compact(
      Q& queue, CompactOptions const& options = {}) const {
    return on(queue).compact(options);
  }
  template <Selector Sel>
  [[deprecated("tessera: a handle has its queue: array.on(queue).compact(selection)")]] std::uint64_t compact(
      Sel const& selection, Queue& queue, CompactOptions const& options = {}) const {
    return on(queue).compact(selection, options);
  }

 private:
  A on(Queue& queue) const { return static_cast<A const&>(*this).on(queue); }
};

/// A base of AnyArray.
template <class A, class Queue, class Space>
class BytesWithQueue {
 public:
  [[deprecated("tessera: a handle has its queue: array.on(queue).read(selection, memory)")]] auto read(
      ResolvedSelection const& selected, StridedSpan<Space> to, Queue& queue, ReadOptions const& options = {}) const {
    return on(queue).read(selected, to, options);
  }
  [[deprecated("tessera: a handle has its queue: array.on(queue).write(selection, memory)")]] auto write(
      ResolvedSelection const& selected, StridedView<Space> from, Queue& queue,
      WriteOptions const& options = {}) const {
    return on(queue).write(selected, from, options);
  }
  [[deprecated("tessera: a handle has its queue: array.on(queue).read_listed(chunks, memory)")]] auto read_listed(
      std::span<PlacedChunk const> listed, StridedSpan<Space> to, Queue& queue, ReadOptions const& options = {}) const {
    return on(queue).read_listed(listed, to, options);
  }
  [[deprecated("tessera: a handle has its queue: array.on(queue).write_listed(chunks, memory)")]] auto write_listed(
      std::span<PlacedChunk const> listed, StridedView<Space> from, Queue& queue,
      WriteOptions const& options = {}) const {
    return on(queue).write_listed(listed, from, options);
  }
  [[deprecated("tessera: a handle has its queue: array.on(queue).append(axis, shape, memory)")]] auto append(
      std::size_t axis, Extents const& block, StridedView<Space> from, Queue& queue,
      WriteOptions const& options = {}) const {
    return on(queue).append(axis, block, from, options);
  }
  [[deprecated("tessera: a handle has its queue: array.on(queue).resize(shape)")]] void resize(Extents const& shape,
                                                                                             Queue& queue) const {
    on(queue).resize(shape);
  }
  [[deprecated("tessera: a handle has its queue: array.on(queue).compact()")]] std::uint64_t compact(
      Queue& queue, CompactOptions const& options = {}) const {
    return on(queue).compact(options);
  }
  [[deprecated("tessera: a handle has its queue: array.on(queue).compact(selection)")]] std::uint64_t compact(
      ResolvedSelection const& selected, Queue& queue, CompactOptions const& options = {}) const {
    return on(queue).compact(selected, options);
  }

 private:
  A on(Queue& queue) const { return static_cast<A const&>(*this).on(queue); }
};

}}}  // namespace tessera::v0::detail
