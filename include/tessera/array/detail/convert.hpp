// read_by, read_numbers, write_numbers, append_numbers: what read_as, write_as and append_as do for every rank.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/append.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/converted.hpp>
#include <tessera/array/detail/converting_placer.hpp>
#include <tessera/array/detail/fitting_read.hpp>
#include <tessera/array/detail/listed_elsewhere.hpp>
#include <tessera/array/detail/listed_numbers.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/detail/conversion.hpp>
#include <tessera/core/detail/convert.hpp>
#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/transfer/detail/read.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// As in Array: errors name the array.
template <class Sel, class S, class P>
ResolvedSelection selected_of(AnyArray<S, P> const& array, Sel const& selection) {
  return in_document(array.store(), array.document(), [&]() -> ResolvedSelection {
    return selected_in(selection, array.shape(), array.chunk_shape(), array.edges());
  });
}
template <std::size_t Rank, class M, class S, class P>
auto view_for(AnyArray<S, P> const& array, M& memory, ResolvedSelection const& what) {
  return in_document(array.store(), array.document(), [&] { return caller_view<Rank>(memory, what.shape); });
}

// For any types. Returns a Pending, unless the memory is host memory.
template <class S, class P>
auto read_by(AnyArray<S, P> const& array, ResolvedSelection const& what, StridedSpan<typename P::array_space> const& to,
             std::unique_ptr<AnyConvertingPlacer<typename P::array_space>> placer, bool refuses,
             ReadOptions const& options) {
  if constexpr (std::same_as<typename P::array_space, space::Host>) {
    auto const read = [&] { read_converted(array, what, to, *placer, options); };
    if (!refuses) return read();
    read_fitting(*placer, read, [&] { find_misfit(array, what, placer->conversion(), unobserved(options)); });
  } else {
    using Reading = ConvertedSelection<S, P>;
    if (!refuses) return read_converted(array, what, to, *placer, options);
    return Pending{std::make_unique<FittingRead<Reading>>(Reading{array, what, to}, std::move(placer), options)};
  }
}

template <class Program, class T, class S, class P>
auto read_numbers(AnyArray<S, P> const& array, ResolvedSelection const& what,
                  StridedSpan<typename P::array_space> const& to, Conversion const& conversion,
                  ReadOptions const& options) {
  auto placer = converting_placer<ToProgram<Program, T>>(array, conversion);
  bool const refuses = refuses_some(conversion, placer->conversion());
  return read_by(array, what, to, std::move(placer), refuses, options);
}

// The placer of numbers that are written. Throws: ConversionError, if one does not fit: then none was written.
template <class Program, class T, class S, class P>
auto placer_for_written(AnyArray<S, P> const& array, ResolvedSelection const& what,
                        StridedView<typename P::array_space> const& from, Conversion const& conversion) {
  auto& on = array.queue();
  auto placer = converting_placer<ToArray<T, Program>>(array, conversion);
  if (refuses_some(conversion, placer->conversion())) try {
      expect_given_fits(array, what, from, *placer, queue_in<typename P::array_space>(on));
    } catch (...) {  // the check may have begun
      wait_and_throw(on);
    }
  return placer;
}

template <class Program, class T, class S, class P>
auto write_numbers(AnyArray<S, P> const& array, ResolvedSelection const& what,
                   StridedView<typename P::array_space> const& from, Conversion const& conversion,
                   WriteOptions const& options) {
  auto const placer = placer_for_written<Program, T>(array, what, from, conversion);
  return array.write_from(what, StridedView<typename P::array_space>{from.data, from.strides, placer.get()}, options);
}

template <class Program, class T, class Found, class S, class P>
auto write_numbers_listed(AnyArray<S, P> const& array, Found const& found,
                          StridedView<typename P::array_space> const& from, Conversion const& conversion,
                          WriteOptions const& options) {
  ResolvedSelection const all_of_it{Region{{0}, {found.count()}, {1}}};
  auto const placer = in_work_of(array, "a write with conversion", [&] {
    return placer_for_written<Program, T>(array, all_of_it, from, conversion);
  });
  return found.write_converted(array, from, *placer, options);
}

template <class Program, class T, class S, class P>
auto append_numbers(AnyArray<S, P> const& array, std::size_t axis, Extents const& block,
                    StridedView<typename P::array_space> const& from, Conversion const& conversion,
                    WriteOptions const& options) {
  auto const rank = block.rank();
  ResolvedSelection const all_of_it{Region{Extents::filled(rank, 0), block, Extents::filled(rank, 1)}};
  auto const placer = placer_for_written<Program, T>(array, all_of_it, from, conversion);
  return array.append_from(axis, block, StridedView<typename P::array_space>{from.data, from.strides, placer.get()},
                           options);
}

template <class Program, class T, std::size_t Rank, class P, class Typed, class Sel>
auto read_new_as(Typed const& array, Sel const& selection, Conversion const& conversion, ReadOptions const& options) {
  using Space = typename P::array_space;
  if constexpr (!check_selected_in<Sel, Space>()) {
    return InvalidCall<Program>{};
  } else if constexpr (!check_conversion<Program, T, P>()) {
    return InvalidCall<Program>{};
  } else if constexpr (ListedElsewhere<Sel>) {
    return read_new_numbers_listed<Program, T>(array.untyped(), selection, conversion, options);
  } else {
    auto const& untyped = array.untyped();
    auto& on = untyped.queue();
    ResolvedSelection const what = selected_of(untyped, selection);
    OwnedArray<Program, Rank, buffer_in_t<Space>> result{what.shape, queue_in<Space>(on)};
    StridedSpan<Space> const to{reinterpret_cast<std::byte*>(result.data()),
                           Layout::c_order(what.shape, sizeof(Program)).strides};
    auto placer = converting_placer<ToProgram<Program, T>>(untyped, conversion);
    bool const refuses = refuses_some(conversion, placer->conversion());
    if constexpr (std::same_as<Space, space::Host>) {
      read_by(untyped, what, to, std::move(placer), refuses, options);
    } else {
      auto reading = read_by(untyped, what, to, std::move(placer), refuses, options);
      if (Space::host_accessible || refuses)
        reading.wait();
      else
        reading.detach();
    }
    return result;
  }
}

}}}  // namespace tessera::v0::detail
