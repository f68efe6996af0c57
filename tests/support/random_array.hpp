// Arrays and options, drawn at random.
#pragma once
#include <algorithm>
#include <cstdint>

#include <support/random.hpp>
#include <support/written_array.hpp>

#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/json.hpp>

namespace test {

/// Bytes that are elements of that type.
inline Bytes random_elements(Random& random, std::size_t size, tessera::DataType type) {
  auto elements = random.noise(size);
  if (type.kind == tessera::DataKind::boolean)
    for (auto& b : elements) b &= std::byte{1};
  return elements;
}

template <class Options>
Options random_options(Random& random, std::uint64_t budget) {
  std::size_t const batches[] = {0, 1, 2, 3, tessera::every_chunk};
  Options options{};
  options.mini_batch = batches[random(0, 4)];
  options.mini_batch_bytes = random.one_in(3) ? random(1, 500) : 0;
  options.in_flight = random(0, 3);
  options.memory = random.one_in(3) ? budget : 0;
  return options;
}

inline ArrayContent random_content(Random& random) {
  auto const rank = random.one_in(6) ? random(6, 8) : random(0, 5);
  std::uint64_t const most[] = {1, 40, 20, 9, 6, 4, 3, 3, 2};
  ArrayContent content{
      random_type(random), random.extents(rank, 1, most[rank]), random.extents(rank, 1, (most[rank] + 2) / 2), {}};
  auto const fill =
      random.one_in(2) ? Bytes(content.type.size) : random_elements(random, content.type.size, content.type);
  content.elements = random_elements(random, size_of(content.shape) * content.type.size, content.type);
  content.fill = tessera::to_json(tessera::write_fill_value(fill, content.type));
  return content;
}

}  // namespace test
