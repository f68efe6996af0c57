// Arrays read into numbers of another type, and written from them.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/array.hpp>
#include <tessera/array/caller_memory.hpp>
#include <tessera/array/converted.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/array/read.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/core/convert.hpp>
#include <tessera/view/copy.hpp>

namespace tessera::inline v0 {
namespace detail {

template <class Program, class T, class P>
consteval bool check_conversion() {
  constexpr bool are_numbers = ConvertibleElement<Program> && ConvertibleElement<T>;
  static_assert(are_numbers, "tessera: read_as and write_as convert integers, float16, float and double");
  constexpr bool is_host = std::same_as<typename P::array_space, space::Host>;
  static_assert(!are_numbers || is_host,
                "tessera: numbers are converted by the host: open the array with a pipeline that begins in the host's "
                "memory");
  return are_numbers && is_host;
}

// Parts of a selection that together are all of it, in the order of the memory: a box by rows of whole chunks, about
// 16 MiB each. Calls f(part, first element of it).
template <class F>
void for_each_part_of(Selected const& what, Extents const& chunk, std::size_t item_size, F&& f) {
  constexpr std::uint64_t usual = 16 << 20;
  auto const elements = element_count(what.shape, "the selection");
  if (what.is_points || what.is_mask || !what.lists.empty() || what.shape.rank() == 0 || elements * item_size <= usual)
    return f(what, std::uint64_t{0});
  auto const rows = what.shape[0], of_row = elements / rows, first = what.region.first[0], step = what.region.step[0];
  auto const wanted = std::max<std::uint64_t>(usual / (of_row * item_size), 1);
  auto const start_of = [&](std::uint64_t chunks) {  // the first row of that row of chunks, or of the selection
    auto const at = chunks * chunk[0];
    return at <= first ? 0 : (at - first + step - 1) / step;
  };
  for (std::uint64_t row = 0; row < rows;) {
    auto next = row + wanted;
    if (next < rows) {
      auto const last = (first + next * step) / chunk[0];
      next = start_of(last) > row ? start_of(last) : start_of(last + 1);
    }
    next = std::min(next, rows);
    auto region = what.region;
    region.first[0] = first + row * step;
    region.count[0] = next - row;
    f(Selected{region}, row * of_row);
    row = next;
  }
}

// "[3, 4]", of the i-th element of a shape.
inline std::string place_in(Extents const& shape, std::uint64_t i) {
  auto place = shape;
  for (std::size_t d = shape.rank(); d-- > 0; i /= shape[d]) place[d] = i % shape[d];
  return to_string(place);
}

// Numbers of the caller's memory as those of an array and the other way round, by the threads of the queue.
// Returns whether all of them fit.
template <class To, class From, template <class, class> class Way>
bool convert_all(From const* from, To* to, std::uint64_t count, Way<To, From> const& way, Queue<space::Host>& on) {
  constexpr std::uint64_t usual = 64 << 10;
  std::atomic<bool> fits{true};
  on.for_each(static_cast<std::size_t>((count + usual - 1) / usual), [&](std::size_t i) {
    auto const first = i * usual;
    if (!convert(reinterpret_cast<std::byte const*>(from + first), reinterpret_cast<std::byte*>(to + first),
                 static_cast<std::size_t>(std::min(usual, count - first)), false, way))
      fits.store(false, std::memory_order_relaxed);
  });
  return fits;
}

template <class T>
std::vector<T>& room_for(std::vector<T>& memory, std::uint64_t count) {
  if (memory.size() < count) memory.resize(checked_size(count, "the selection"));
  return memory;
}

template <class Program, class T, class S, class P>
void read_converted(AnyArray<S, P> const& array, Selected const& what, Target<space::Host> to,
                    Conversion const& conversion, typename P::queue_type& on, ReadOptions const& options) {
  ToProgram<Program, T> const way{conversion.scale, conversion.offset};
  std::atomic<bool> misfit{false};
  array.for_chunks(what, to.strides, on, [&](auto const& chunks) {
    auto const form = converted(chunks.form, data_type_of<Program>());
    using Leaf = std::remove_cvref_t<decltype(chunks.pipeline)>;
    using Chunks = std::remove_cvref_t<decltype(chunks.store)>;
    Converted<Leaf, Program, T> const pipeline{chunks.pipeline, chunks.form, way, misfit};
    std::byte fill[sizeof(Program)];
    if (!convert(chunks.fill.data, fill, 1, false, way)) misfit = true;
    ChunkSource<Chunks, Converted<Leaf, Program, T>> const source{chunks.store,  chunks.prefix, chunks.key_encoding,
                                                                  pipeline,      form,          {fill, sizeof fill},
                                                                  chunks.shards, chunks.locks,  chunks.array_shape};
    array.with_defaults(options, [&](auto const& used) { read_chunks(source, what, to, on, used); });
  });
  if (!misfit || conversion.out_of_range == OutOfRange::saturate) return;
  // Something in the chunks does not fit. Is it selected? If not, what was looked at is the answer: somebody may have
  // replaced a number that did not fit meanwhile.
  std::vector<T> numbers;
  std::vector<Program> programs;
  for_each_part_of(what, array.chunk_shape(), sizeof(T), [&](Selected const& part, std::uint64_t first) {
    auto const count = element_count(part.shape, "the selection");
    auto* const data = room_for(numbers, count).data();
    array.read(part, {reinterpret_cast<std::byte*>(data), Layout::c_order(part.shape, sizeof(T)).strides}, on);
    expect_all_fit(data, static_cast<std::size_t>(count), way,
                   [&](std::size_t i) { return place_in(what.shape, first + i); });
    auto* const fitting = room_for(programs, count).data();
    (void)convert_all(data, fitting, count, way, on.host());
    auto* begin = to.data;
    if (first > 0) begin += static_cast<std::int64_t>(first / (count / part.shape[0])) * to.strides[0];
    Placement<space::Host> const all_of_it{reinterpret_cast<std::byte const*>(fitting), begin, part.shape};
    auto const dense = Layout::c_order(part.shape, sizeof(Program)).strides;
    placer<space::Host>::place({&all_of_it, 1}, {sizeof(Program), 1, {}, dense, to.strides}, on.host());
  });
}

template <class Program, class T, class S, class P>
void write_converted(AnyArray<S, P> const& array, Selected const& what, Origin<space::Host> from,
                     Conversion const& conversion, typename P::queue_type& on, WriteOptions const& options) {
  ToArray<T, Program> const way{conversion.scale, conversion.offset};
  std::vector<Program> given;
  std::vector<T> numbers;
  auto const for_each_given = [&](auto&& f) {
    for_each_part_of(what, array.chunk_shape(), sizeof(T), [&](Selected const& part, std::uint64_t first) {
      auto const count = element_count(part.shape, "the selection");
      auto const* begin = from.data;
      if (first > 0) begin += static_cast<std::int64_t>(first / (count / part.shape[0])) * from.strides[0];
      auto const dense = Layout::c_order(part.shape, sizeof(Program)).strides;
      if (dense != from.strides) {
        auto* const data = reinterpret_cast<std::byte*>(room_for(given, count).data());
        Placement<space::Host> const all_of_it{begin, data, part.shape};
        placer<space::Host>::place({&all_of_it, 1}, {sizeof(Program), 1, {}, from.strides, dense}, on.host());
        begin = data;
      }
      f(part, first, reinterpret_cast<Program const*>(begin), count);
    });
  };
  std::uint64_t converted = 0;                        // of the part that is in `numbers`
  if (conversion.out_of_range == OutOfRange::refuse)  // before anything is written
    for_each_given([&](Selected const&, std::uint64_t first, Program const* data, std::uint64_t count) {
      converted = count;
      if (convert_all(data, room_for(numbers, count).data(), count, way, on.host())) return;
      expect_all_fit(data, static_cast<std::size_t>(count), way,
                     [&](std::size_t i) { return place_in(what.shape, first + i); });
    });
  bool const is_one = converted == element_count(what.shape, "the selection");
  for_each_given([&](Selected const& part, std::uint64_t, Program const* data, std::uint64_t count) {
    if (!is_one) (void)convert_all(data, room_for(numbers, count).data(), count, way, on.host());
    array.write(part,
                {reinterpret_cast<std::byte const*>(numbers.data()), Layout::c_order(part.shape, sizeof(T)).strides},
                on, options);
  });
}

// Errors say which array it is.
template <class S, class P, class F>
auto of_array(AnyArray<S, P> const& array, F&& f) try {
  return f();
} catch (ConversionError& error) {
  error.in_key(array.path()).in_store(name_of(array.store()));
  throw;
}

template <class Program, class T, std::size_t Rank, class P, class Typed, class Sel>
auto read_new_as(Typed const& array, Sel const& selection, Conversion const& conversion, ReadOptions const& options) {
  if constexpr (check_conversion<Program, T, P>()) {
    auto const& untyped = array.untyped();
    Selected const what = selected_by(selection, array.shape(), array.chunk_shape());
    OwnedArray<Program, Rank, HostBuffer> result{what.shape, untyped.queue()};
    of_array(untyped, [&] {
      auto const dense = Layout::c_order(what.shape, sizeof(Program)).strides;
      read_converted<Program, T>(untyped, what, {reinterpret_cast<std::byte*>(result.data()), dense}, conversion,
                                 untyped.queue(), options);
    });
    return result;
  } else {
    return Mistaken{};
  }
}

}  // namespace detail

/// Reads a selection into the caller's memory, of another element type than the array's: each chunk is converted where
/// it is decoded, by the thread that decodes it. `Conversion` says how. What memory and selections there are,
/// Array::read says. Throws: ConversionError naming the first element that does not fit, unless those shall be the
/// nearest number; then all of the memory is written. As Array::read.
template <class T, std::size_t Rank, class S, class P, detail::Selection Sel = Box, detail::MemoryOrMistake M>
requires(!std::same_as<std::remove_cvref_t<M>, Conversion>) void read_as(Array<T, Rank, S, P> const& array,
                                                                         Sel const& selection, M&& to,
                                                                         Conversion const& conversion = {},
                                                                         ReadOptions const& options = {}) {
  constexpr auto rank = detail::memory_rank<Sel, Rank>;
  if constexpr (detail::CallerMemory<std::remove_reference_t<M>>::known) {
    using Program = typename detail::CallerMemory<std::remove_reference_t<M>>::element;
    if constexpr (detail::check_conversion<std::remove_const_t<Program>, T, P>() &&
                  detail::check_destination<std::remove_const_t<Program>, rank, space::Host, M>()) {
      Selected const what = detail::selected_by(selection, array.shape(), array.chunk_shape());
      auto const view = detail::caller_view<rank>(to, what.shape);
      detail::of_array(array.untyped(), [&] {
        detail::read_converted<Program, T>(array.untyped(), what,
                                           {reinterpret_cast<std::byte*>(view.data), view.layout().strides}, conversion,
                                           array.untyped().queue(), options);
      });
    }
  } else {
    (void)detail::check_memory<T, rank, space::Host, M>();
  }
}

/// Likewise, into a new array: `read_as<float>(array, all, {.scale = 0.5})`.
template <class Program, class T, std::size_t Rank, class S, class P, detail::Selection Sel = Box>
auto read_as(Array<T, Rank, S, P> const& array, Sel const& selection, Conversion const& conversion = {},
             ReadOptions const& options = {}) {
  return detail::read_new_as<Program, T, detail::memory_rank<Sel, Rank>, P>(array, selection, conversion, options);
}
/// Likewise, of an array whose number of dimensions, or element type too, only the file knows: the result has as many
/// dimensions as the selection. Throws: MetadataError, if its elements are not of RealTypes.
template <class Program, class T, class S, class P, detail::Selection Sel = Box>
auto read_as(ArrayOf<T, S, P> const& array, Sel const& selection, Conversion const& conversion = {},
             ReadOptions const& options = {}) {
  return detail::read_new_as<Program, T, detail::any_rank, P>(array, selection, conversion, options);
}
template <class Program, class S, class P, detail::Selection Sel = Box>
auto read_as(AnyArray<S, P> const& array, Sel const& selection, Conversion const& conversion = {},
             ReadOptions const& options = {}) {
  return visit<RealTypes>(
      array, [&](auto const& typed) { return read_as<Program>(typed, selection, conversion, options); });
}

/// Writes a selection from the caller's memory, of another element type than the array's: what is written is
/// `(number - offset) / scale`. Throws: ConversionError naming the first element that does not fit, before anything is
/// written; as Array::write.
template <class T, std::size_t Rank, class S, class P, detail::Selection Sel = Box, detail::MemoryOrMistake M>
void write_as(Array<T, Rank, S, P> const& array, Sel const& selection, M const& from, Conversion const& conversion = {},
              WriteOptions const& options = {}) {
  constexpr auto rank = detail::memory_rank<Sel, Rank>;
  if constexpr (detail::CallerMemory<M const>::known) {
    using Program = std::remove_const_t<typename detail::CallerMemory<M const>::element>;
    if constexpr (detail::check_writable<S>() && detail::check_conversion<Program, T, P>() &&
                  detail::check_memory<Program, rank, space::Host, M const>()) {
      Selected const what = detail::selected_by(selection, array.shape(), array.chunk_shape());
      auto const view = detail::caller_view<rank>(from, what.shape);
      detail::of_array(array.untyped(), [&] {
        detail::write_converted<Program, T>(array.untyped(), what,
                                            {reinterpret_cast<std::byte const*>(view.data), view.layout().strides},
                                            conversion, array.untyped().queue(), options);
      });
    }
  } else {
    (void)detail::check_memory<T, rank, space::Host, M const>();
  }
}

}  // namespace tessera::inline v0
