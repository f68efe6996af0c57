#include "unpacked.hpp"

#include <tessera/array/convert.hpp>
#include <tessera/core/detail/convert.hpp>

namespace cli {

tessera::Conversion unpacking_of(Array const& array) {
  auto type = array.type();
  bool const is_number = type.format == tessera::NumberFormat::usual &&
                         (type.kind == tessera::DataKind::signed_integer ||
                          type.kind == tessera::DataKind::unsigned_integer || type.kind == tessera::DataKind::floating);
  if (!is_number)
    throw UsageError{"--unpacked: elements of " + type.name() + " are not packed; integers and real numbers can be"};
  return about(array, [&] { return tessera::mask_and_scale(array.metadata()); });
}

std::vector<double> unpacked(std::span<std::byte const> elements, tessera::DataType type,
                             tessera::Conversion const& conversion) {
  std::vector<double> numbers;
  numbers.reserve(elements.size() / type.size);
  with_numbers(elements, type, [&]<class T>(std::span<T const> packed) {
    auto const way = tessera::detail::way_of<tessera::detail::ToProgram<double, T>>(conversion);
    bool fits = true;  // always, in double
    for (T const number : packed)
      numbers.push_back(tessera::detail::is_same(way)
                            ? tessera::detail::converted<tessera::detail::AsItIs>(way, number, fits)
                            : tessera::detail::converted<tessera::detail::WorkedOut>(way, number, fits));
  });
  return numbers;
}

}  // namespace cli
