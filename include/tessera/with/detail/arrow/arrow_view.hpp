// arrow_c::view: the values of another library's Arrow array, in its memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/with/detail/arrow/arrow_bits.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_format.hpp>
#include <tessera/with/detail/arrow/arrow_owned.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {
namespace detail {

// The elements from `first` on. Throws: ExchangeError, if one is null or the array contradicts itself.
inline void expect_values(ArrowArray const& array, std::uint64_t first, std::uint64_t count, std::int64_t buffers) {
  if (array.length < 0 || array.offset < 0 || array.n_buffers != buffers || (buffers != 0 && !array.buffers))
    throw ExchangeError{to_text({"the array has ", array.n_buffers, " buffers, length ", array.length, " and offset ",
                                 array.offset, ", expected ", buffers, " buffers, and numbers of 0 or more"})};
  auto const length = static_cast<std::uint64_t>(array.length);
  if (first > length || count > length - first)  // their sum may be above 2^64
    throw ExchangeError{to_text({"the array has ", length, " elements, expected ", count, " from ", first, " on"})};
  if (array.null_count == 0 || !array.buffers[0]) return;
  for (std::uint64_t i = 0; i < count; ++i)
    if (!bit(array.buffers[0], static_cast<std::uint64_t>(array.offset) + first + i))
      throw ExchangeError{to_text({"element ", first + i, " of the array is null, expected a value"})};
}

inline std::uint64_t elements_in(std::uint64_t lists, std::uint64_t size) {
  if (size != 0 && lists > ~std::uint64_t{0} / size)
    throw ExchangeError{to_text({"the array has ", lists, " lists of ", size, " elements, expected fewer than 2^64"})};
  return lists * size;
}

}  // namespace detail

/// A view of a host array's values, during its lifetime: Rank 1 of an array of numbers, each further dimension of a
/// fixed-size list. A source of Array::write. Throws: ExchangeError, if elements, dimensions or lengths differ, a value
/// is null, the values are bits, memory is not aligned, or a struct was released.
template <class T, std::size_t Rank>
requires(Rank > 0) ArrayView<T const, Rank, space::Host> view(ArrowSchema const& schema, ArrowArray const& array) {
  auto const type = data_type_of<T>();
  auto const format = format_of(type);
  auto const* of = &schema;
  auto const* in = &array;
  if (!detail::is_held(of, in)) throw ExchangeError{"the schema or the array was released or moved"};
  std::uint64_t first = 0, count = static_cast<std::uint64_t>(array.length < 0 ? 0 : array.length);
  Extents shape{count};
  for (std::size_t d = 1; d < Rank; ++d) {
    auto const size = of->format ? detail::size_in(of->format, "+w:") : std::nullopt;
    if (!size || of->n_children != 1 || in->n_children != 1 || !of->children || !in->children)
      throw ExchangeError{to_text({"the array has ", d, " dimensions, expected ", Rank})};
    detail::expect_values(*in, first, count, 1);
    first = detail::elements_in(first + static_cast<std::uint64_t>(in->offset), *size);
    count = detail::elements_in(count, *size);
    shape.push_back(*size);
    of = of->children[0], in = in->children[0];
    if (!detail::is_held(of, in)) throw ExchangeError{"a child of the array is missing, or was released or moved"};
  }
  if (!of->format || of->format != format || of->dictionary)
    throw ExchangeError{to_text({"the array's format is \"", std::string_view{of->format ? of->format : ""},
                                 of->dictionary ? "\" with a dictionary" : "\"", ", expected \"", format, "\" of ",
                                 type.name(), ", which this program asks for"})};
  if (type.kind == DataKind::boolean) throw ExchangeError{"Arrow's bools are bits, eight to a byte: no view has them"};
  detail::expect_values(*in, first, count, 2);
  auto const* const data = static_cast<T const*>(in->buffers[1]);
  if (!data && count != 0) throw ExchangeError{"the array has elements but no memory"};
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0)
    throw ExchangeError{to_text({"the array's memory is not aligned to the ", alignof(T), " bytes of ", type.name()})};
  auto const* const begin = count == 0 ? nullptr : data + static_cast<std::uint64_t>(in->offset) + first;
  return ArrayView<T const, Rank, space::Host>::c_order(begin, shape);
}
template <class T, std::size_t Rank>
void view(ArrowSchema const&, ArrowArray const&&) = delete;  // a view of a temporary would dangle

}}}  // namespace tessera::v0::arrow_c
