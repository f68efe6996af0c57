// read_boxes_into and read_new_boxes: boxes of an array in the caller's memory and in new memory.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/box_memories.hpp>
#include <tessera/array/detail/box_placer.hpp>
#include <tessera/array/detail/box_targets.hpp>
#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/orientation.hpp>
#include <tessera/array/detail/padding.hpp>
#include <tessera/array/detail/place_padding.hpp>
#include <tessera/array/detail/read_owned.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/element_reference.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/detail/rectilinear.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class M>
concept BoxMemoryOrMistake = MemoryOrMistake<M> && !std::same_as<std::remove_cvref_t<M>, Padding>;

// As check_destination, for memory that has a dimension more than the array, or for memory of each box.
template <class T, std::size_t Rank, class Space, class M>
consteval bool check_boxes() {
  using Given = std::remove_reference_t<M>;
  if constexpr (ListOfMemoriesOf<Given, T>) {
    return check_destination<T, Rank, Space, memory_in_list<Given>>();
  } else {
    using Memory = CallerMemory<Given>;
    constexpr bool fits = !requires { requires Memory::rank != any_rank && Memory::rank != Rank + 1; };
    static_assert(fits,
                  "tessera: read_boxes reads into memory of one dimension more than the array's, the first for the "
                  "boxes");
    if constexpr (fits)
      return check_destination<T, Rank + 1, Space, M>();
    else
      return false;
  }
}

/// Resolves boxes in an array with padding. Errors name the array.
template <class S, class P>
void resolve_boxes(AnyArray<S, P> const& array, BoxList const& boxes, Padding const& padding, BoxesInChunks& resolved,
                   bool have_one_shape = true) {
  in_document(array.store(), array.document(),
              [&] { resolved.resolve(boxes, array.shape(), padding, have_one_shape); });
}

/// The chunk lengths of a rectilinear grid whose chunks are decoded one by one; empty, if these have one shape, as the
/// inner chunks of shards do.
template <class S, class P>
std::vector<ChunkAxis> axes_of_chunks(AnyArray<S, P> const& array, Extents const& shape) {
  if (array.inner_chunk_shape() != array.chunk_shape()) return {};
  return chunk_axes(array.edges(), shape);
}

/// The value that pads an array of T.
template <class T>
class PaddingElement {
 public:
  /// Throws: SelectionError naming the array, if the padding's value does not fit.
  template <class S, class P>
  PaddingElement(AnyArray<S, P> const& array, Padding const& padding)
      : value_{in_document(array.store(), array.document(), [&] {
          return padding.value.is_fill_value() ? array.template fill_value<T>() : padding.value.template as<T>();
        })} {
    if constexpr (VaryingElement<T>) reference_ = {reinterpret_cast<std::byte const*>(value_.data()), value_.size()};
  }
  PaddingElement(PaddingElement const&) = delete;

  /// As an element of a decoded chunk.
  ByteView<space::Host> bytes() const {
    if constexpr (VaryingElement<T>)
      return {reinterpret_cast<std::byte const*>(&reference_), sizeof reference_};
    else
      return {reinterpret_cast<std::byte const*>(&value_), sizeof(T)};
  }

 private:
  T const value_;
  ElementReference reference_{};
};

/// `to`: the boxes' memory. `value`: the bytes of the element that pads the array, if boxes may have
/// such. `part_placer`: what places elements, if that is not a copy. One plan: every chunk is listed once, and the
/// placer knows its boxes.
template <class S, class P>
auto read_boxes_into(AnyArray<S, P> const& array, BoxesInChunks& boxes, BoxTargets<typename P::array_space> const& to,
                     ReadOptions const& options, ByteView<space::Host> value = {},
                     AnyPlacer<typename P::array_space> const* part_placer = nullptr) {
  using Space = typename P::array_space;
  auto const item_size = array.type().size;
  auto const& inner = array.inner_chunk_shape();
  auto of_shard = inner;
  for (std::size_t d = 0; d < inner.rank(); ++d) of_shard[d] = array.chunk_shape()[d] / inner[d];
  boxes.find_chunks(inner, of_shard, item_size, axes_of_chunks(array, boxes.shape()));
  auto const made_size = PlacerOrUsual<Space>{part_placer}.placed_size(item_size);
  BoxPlacer<Space> const placer{boxes, to, checked_product(boxes.elements(), made_size, "the boxes"), part_placer};
  auto const read = [&] {
    return array.read_listed_into(boxes.chunks(), {placer.listed(), boxes.strides(), &placer, item_size}, options);
  };
  if (!boxes.has_constant()) return read();
  try {
    in_document(array.store(), array.document(),
                [&] { place_padding<Space>(boxes, to, value, array.queue(), part_placer); });
    return read();
  } catch (...) {
    wait_and_throw(array.queue());
  }
}

template <class T, class S, class P>
auto read_boxes_of(AnyArray<S, P> const& array, BoxesInChunks& boxes, Padding const& padding,
                   BoxTargets<typename P::array_space> const& to, ReadOptions const& options) {
  using Space = typename P::array_space;
  auto const* const placer = ElementsOf<T>::placed(StridedSpan<Space>{nullptr, {}}).placer;
  if (!boxes.has_constant()) return read_boxes_into(array, boxes, to, options, {}, placer);
  PaddingElement<T> const value{array, padding};
  return read_boxes_into(array, boxes, to, options, value.bytes(), placer);
}

/// The memory as a view of all boxes. Throws: SelectionError, if it has another shape, or a stride is 0.
template <std::size_t Rank, class M>
auto view_of_boxes(M& memory, Extents const& all) {
  auto const view = CallerMemory<M>::template view<Rank>(memory, all);
  auto const found = view.layout().shape;
  auto expected = all;
  if (expected[0] == 0)
    for (std::size_t d = 1; d < Rank; ++d) expected[d] = found[d];  // no box says them
  if (found != expected) refuse_shape(found, expected);
  expect_apart(found, view.layout().strides);
  return view;
}

/// Resolves boxes and the caller's memory for them, whose elements are T, of the shape of all or of each, and returns
/// f(resolved, targets).
template <class T, std::size_t Rank, class S, class P, class M, class F>
auto with_given_boxes(AnyArray<S, P> const& array, BoxList const& boxes, M& to, Padding const& padding, F&& f) {
  using Space = typename P::array_space;
  auto const kept = array.queue().host().template lease<BoxesInChunks>();
  constexpr bool is_list = ListOfMemoriesOf<M, T>;
  resolve_boxes(array, boxes, padding, *kept, !is_list);
  if constexpr (is_list) {
    auto const memories = array.queue().host().template lease<BoxMemories<Space>>();
    in_document(array.store(), array.document(), [&] { memories->template resolve<Rank>(to, *kept); });
    return f(*kept, BoxTargets<Space>{std::span<StridedSpan<Space> const>{memories->each}});
  } else {
    auto const view =
        in_document(array.store(), array.document(), [&] { return view_of_boxes<Rank + 1>(to, kept->shape_of_all()); });
    return f(*kept, BoxTargets<Space>{reinterpret_cast<std::byte*>(view.data), view.layout().strides});
  }
}

template <class T, std::size_t Rank, class S, class P, class M>
auto read_given_boxes(AnyArray<S, P> const& array, BoxList const& boxes, M& to, Padding const& padding,
                      ReadOptions const& options) {
  using Space = typename P::array_space;
  auto const read = [&](BoxesInChunks& found, BoxTargets<Space> const& there) {
    return read_boxes_of<T>(array, found, padding, there, options);
  };
  return with_given_boxes<T, Rank>(array, boxes, to, padding, read);
}

template <class T, std::size_t Rank, class B, class S, class P>
OwnedArray<T, Rank + 1, B> read_new_boxes(AnyArray<S, P> const& array, BoxList const& boxes, Padding const& padding,
                                          ReadOptions const& options) {
  using Space = typename B::space_type;
  auto const kept = array.queue().host().template lease<BoxesInChunks>();
  resolve_boxes(array, boxes, padding, *kept);
  auto const shape = kept->shape_of_all();
  auto result = in_document(array.store(), array.document(), [&] {
    return OwnedArray<T, Rank + 1, B>{shape, queue_in<Space>(array.queue())};
  });
  auto* const data = reinterpret_cast<std::byte*>(result.data());
  auto const strides = Layout::c_order(shape, sizeof(T)).strides;
  if constexpr (is_of_the_host_alone<Space, typename P::array_space>) {
    if constexpr (check_host_route<S, P>())
      read_boxes_of<T>(array.template through<space::Host>(), *kept, padding, {data, strides}, options);
  } else if constexpr (!check_new_memory<T, Rank + 1, typename P::array_space, Space>()) {
  } else if constexpr (std::same_as<typename P::array_space, space::Host>) {
    read_boxes_of<T>(array, *kept, padding, {data, strides}, options);
  } else {
    auto pending = read_boxes_of<T>(array, *kept, padding, {data, strides}, options);
    if constexpr (Space::host_accessible)
      pending.wait();
    else
      pending.detach();
  }
  return result;
}

}}}  // namespace tessera::v0::detail
