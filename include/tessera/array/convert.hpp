// read_as, write_as and append_as: arrays read into, and written from, numbers of another type.
// mask_and_scale: attributes of packed numbers as a Conversion, as NetCDF's conventions (CF, "Packed Data", "Missing
// Data") describe them and xarray's mask_and_scale uses them.
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/convert.hpp>
#include <tessera/array/detail/listed_elsewhere.hpp>
#include <tessera/array/detail/listed_numbers.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/conversion.hpp>  // IWYU pragma: export
#include <tessera/core/detail/number_as.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/metadata/detail/missing_numbers.hpp>

namespace tessera { inline namespace v0 {

/// Reads a selection into the caller's memory with another element type than the array's: the thread that decodes a
/// chunk also converts it. `Conversion` has scale, offset and missing values; mask_and_scale(array) makes it from the
/// attributes of NetCDF and xarray. Memory and selections are as for Array::read. Throws: ConversionError naming the
/// first element that does not fit, after all of the memory is written, unless `out_of_range` is OutOfRange::saturate;
/// ConversionError, if `missing` is set and the memory has an integer type; as Array::read.
template <class T, std::size_t Rank, class S, class P, detail::AnySelector Sel = Box, detail::MemoryOrMistake M>
requires(!std::same_as<std::remove_cvref_t<M>, Conversion>) auto read_as(Array<T, Rank, S, P> const& array,
                                                                         Sel const& selection, M&& to,
                                                                         Conversion const& conversion = {},
                                                                         ReadOptions const& options = {}) {
  using Space = typename P::array_space;
  constexpr auto rank = detail::memory_rank<Sel, Rank>;
  if constexpr (detail::CallerMemory<std::remove_reference_t<M>>::known) {
    using Program = typename detail::CallerMemory<std::remove_reference_t<M>>::element;
    if constexpr (!detail::check_selected_in<Sel, Space>()) {
      return detail::InvalidCall<T>{};
    } else if constexpr (!detail::check_conversion<std::remove_const_t<Program>, T, P>() ||
                         !detail::check_destination<std::remove_const_t<Program>, rank, Space, M>()) {
      return detail::InvalidCall<T>{};
    } else if constexpr (detail::ListedElsewhere<Sel>) {
      auto found = detail::found_to_read(array.untyped(), selection);
      auto const there = detail::destination_of(array.untyped(), to, found.count());
      return detail::read_numbers_listed<Program, T>(array.untyped(), std::move(found), there, conversion, options);
    } else {
      ResolvedSelection const what = detail::selected_of(array.untyped(), selection);
      auto const view = detail::view_for<rank>(array.untyped(), to, what);
      return detail::read_numbers<Program, T>(
          array.untyped(), what, StridedSpan<Space>{reinterpret_cast<std::byte*>(view.data), view.layout().strides},
          conversion, options);
    }
  } else {
    (void)detail::check_memory<T, rank, Space, M>();
    return detail::InvalidCall<T>{};
  }
}

/// The same, into a new array: `read_as<float>(array, all, {.scale = 0.5})`.
template <class Program, class T, std::size_t Rank, class S, class P, detail::AnySelector Sel = Box>
auto read_as(Array<T, Rank, S, P> const& array, Sel const& selection, Conversion const& conversion = {},
             ReadOptions const& options = {}) {
  return detail::read_new_as<Program, T, detail::memory_rank<Sel, Rank>, P>(array, selection, conversion, options);
}
/// The same, for an array whose rank, or rank and element type, are known only at run time. The result has as many
/// dimensions as the selection. Throws: MetadataError, if its elements are not of RealTypes.
template <class Program, class T, class S, class P, detail::AnySelector Sel = Box>
auto read_as(ArrayOf<T, S, P> const& array, Sel const& selection, Conversion const& conversion = {},
             ReadOptions const& options = {}) {
  return detail::read_new_as<Program, T, detail::any_rank, P>(array, selection, conversion, options);
}
template <class Program, class S, class P, detail::AnySelector Sel = Box>
auto read_as(AnyArray<S, P> const& array, Sel const& selection, Conversion const& conversion = {},
             ReadOptions const& options = {}) {
  return visit<RealTypes>(array,
                          [&](auto const& typed) { return read_as<Program>(typed, selection, conversion, options); });
}

/// Writes a selection from the caller's memory with another element type than the array's: it writes
/// `(number - offset) / scale`. Throws: ConversionError naming the first element that does not fit, before it writes
/// anything; as Array::write.
template <class T, std::size_t Rank, class S, class P, detail::AnySelector Sel = Box, detail::MemoryOrMistake M>
auto write_as(Array<T, Rank, S, P> const& array, Sel const& selection, M const& from, Conversion const& conversion = {},
              WriteOptions const& options = {}) {
  using Space = typename P::array_space;
  constexpr auto rank = detail::memory_rank<Sel, Rank>;
  if constexpr (detail::CallerMemory<M const>::known) {
    using Program = std::remove_const_t<typename detail::CallerMemory<M const>::element>;
    if constexpr (!detail::check_selected_in<Sel, Space>()) {
      return detail::InvalidCall<T>{};
    } else if constexpr (!detail::check_writable<S>() || !detail::check_conversion<Program, T, P>() ||
                         !detail::check_memory<Program, rank, Space, M const>()) {
      return detail::InvalidCall<T>{};
    } else if constexpr (detail::ListedElsewhere<Sel>) {
      auto const found = detail::found_to_write(array.untyped(), selection);
      auto const there = detail::source_of(array.untyped(), from, found.count());
      return detail::write_numbers_listed<Program, T>(array.untyped(), found, there, conversion, options);
    } else {
      ResolvedSelection const what = detail::selected_of(array.untyped(), selection);
      auto const view = detail::view_for<rank>(array.untyped(), from, what);
      return detail::write_numbers<Program, T>(
          array.untyped(), what,
          StridedView<Space>{reinterpret_cast<std::byte const*>(view.data), view.layout().strides}, conversion,
          options);
    }
  } else {
    (void)detail::check_memory<T, rank, Space, M const>();
    return detail::InvalidCall<T>{};
  }
}

/// Grows the array along `axis` by the caller's memory with another element type than the array's, as Array::append and
/// write_as do. Throws: ConversionError naming the first element that does not fit, by its position in the memory,
/// before it writes anything; as Array::append.
template <class T, std::size_t Rank, class S, class P, detail::MemoryOrMistake M>
auto append_as(Array<T, Rank, S, P> const& array, M const& from, std::size_t axis = 0,
               Conversion const& conversion = {}, WriteOptions const& options = {}) {
  using Space = typename P::array_space;
  if constexpr (detail::CallerMemory<M const>::known) {
    using Program = std::remove_const_t<typename detail::CallerMemory<M const>::element>;
    if constexpr (detail::check_writable<S>() && detail::check_conversion<Program, T, P>() &&
                  detail::check_memory<Program, Rank, Space, M const>()) {
      auto const& untyped = array.untyped();
      auto const in_array = [&](auto&& f) { return detail::in_document(untyped.store(), untyped.document(), f); };
      auto const block = in_array([&] { return detail::block_of<Rank>(from, array.shape(), axis); });
      auto const view = in_array([&] { return detail::caller_view<Rank>(from, block); });
      return detail::append_numbers<Program, T>(
          untyped, axis, block,
          StridedView<Space>{reinterpret_cast<std::byte const*>(view.data), view.layout().strides}, conversion,
          options);
    } else {
      return detail::InvalidCall<T>{};
    }
  } else {
    (void)detail::check_memory<T, Rank, Space, M const>();
    return detail::InvalidCall<T>{};
  }
}
/// Along the first dimension: `append_as(array, rows, mask_and_scale(array))`.
template <class T, std::size_t Rank, class S, class P, detail::MemoryOrMistake M>
auto append_as(Array<T, Rank, S, P> const& array, M const& from, Conversion const& conversion,
               WriteOptions const& options = {}) {
  return append_as(array, from, std::size_t{0}, conversion, options);
}

/// The conversion that these attributes describe: `scale_factor` and `add_offset` are the scale and the offset;
/// elements equal to `_FillValue` or `missing_value` are missing. Absent attributes change nothing. In Zarr v2, xarray
/// stores `_FillValue` as the fill value, so pass the array in place of its attributes. Throws: MetadataError naming
/// the attribute, if its value is not a number or a list of numbers, if there is an attribute `_Unsigned`, or if there
/// are more than two missing values.
TESSERA_DECL Conversion mask_and_scale(Members const& attributes);

/// The same for an array: `read_as<float>(array, all, mask_and_scale(array))`; write_as packs in the same way.
/// `_FillValue` is where xarray has it: in Zarr v3, the attribute; in Zarr v2, the fill value, if xarray opens the
/// array (it has the attribute `_ARRAY_DIMENSIONS`, or those of NCZarr) and `fill_value` is not null; else the
/// attribute.
TESSERA_DECL Conversion mask_and_scale(ArrayMetadata const& array);
template <class A>
requires requires(A const& array) {
  { array.metadata() } -> std::same_as<ArrayMetadata>;
}
Conversion mask_and_scale(A const& array) {
  return mask_and_scale(array.metadata());
}

/// The attribute `_FillValue` as xarray reads it in Zarr v3, for an array of T:
/// `.attributes = {{"_FillValue", fill_value_attribute<float>(NAN)}}`. For a floating-point type it is a double's eight
/// bytes in base64, for an integer the number.
template <ConvertibleElement T>
Value fill_value_attribute(T number) {
  if constexpr (detail::is_fraction<T>)
    return detail::base64_of(static_cast<double>(number));
  else
    return number;
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/convert.ipp>
#endif
