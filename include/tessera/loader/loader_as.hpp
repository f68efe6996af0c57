// loader_as: a Loader whose batches have another number type than the array. For an array in device memory include
// <tessera/loader/loader.cuh> and <tessera/array/convert.cuh> too.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/converting_placer.hpp>
#include <tessera/core/convert.hpp>
#include <tessera/core/detail/convert.hpp>
#include <tessera/loader/detail/number_batches.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/loader/loader_options.hpp>
#include <tessera/loader/sampler.hpp>

namespace tessera { inline namespace v0 {

/// A Loader whose batches have another element type than the array: each number is converted while it is placed, as
/// read_boxes_as does. Kept chunks have the array's own, often smaller numbers:
///
///     auto loader = loader_as<float>(array, crops, {.scale = 1.0 / 255}, {.batch = 16});
///     while (auto batch = loader.next()) train(batch->view());
///
/// The padding's value is one of the array, before it is converted. `next` throws a ConversionError naming the first
/// element of the batch that does not fit, unless such elements become the nearest number: in device memory, if some
/// number of the array's type does not fit, the loader's thread therefore waits for each batch. Throws: as the
/// constructor of Loader; ConversionError, if numbers may be missing and Program is an integer type.
template <class Program, Element T, std::size_t Rank, class S, class P, Sampler F>
auto loader_as(Array<T, Rank, S, P> const& array, F sampler, Conversion const& conversion = {},
               LoaderOptions const& options = {}) {
  if constexpr (detail::check_conversion<Program, T, P>()) {
    auto const converter = [&](AnyArray<S, P> const& own) -> std::unique_ptr<detail::BatchConverter<S, P>> {
      auto placer = detail::box_converting_placer<detail::ToProgram<Program, T>>(own, conversion, own.shape());
      bool const refuses = detail::refuses_some(conversion, *placer);
      return std::make_unique<detail::NumberBatches<S, P>>(own, std::move(placer), refuses);
    };
    return Loader<T, Rank, S, P, Program>{array, std::move(sampler), options, converter};
  } else {
    return detail::InvalidCall{};
  }
}

}}  // namespace tessera::v0
