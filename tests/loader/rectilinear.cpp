// Loaders of an array whose chunks have different lengths, compared with a regular array of the same elements.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_boxes.hpp>
#include <support/rectilinear_array.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>

namespace loader_rectilinear_tests {

using namespace tessera;
using test::Random;
using Memory = MemoryStore<HostBuffer>;

TEST_CASE("batches of a rectilinear grid, for every budget and kind of chunks that are kept") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    auto const shape = random.extents(2, 5, 25);
    bool const has_shards = random.one_in(2);
    auto const inner = has_shards ? random.extents(2, 1, 3) : Extents{1, 1};
    Memory const store, other;
    test::put_rectilinear(store, shape, test::random_lengths(random, shape, inner),
                          has_shards ? test::sharded_codecs(inner) : test::plain_codecs);
    auto const array = open_array<std::int32_t, 2>(store, "a", Queue<space::Host>{2});
    std::vector<std::int32_t> elements(array.size());
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::int32_t>(i);
    array.write(all, elements);
    auto const regular = create_array<std::int32_t, 2>(other, "a", {.shape = shape, .chunks = shape});
    regular.write(all, elements);
    auto const drawn = test::random_oriented_boxes(random, shape, 30);
    for (auto const keep : {Keep::decoded, Keep::stored, Keep::either})
      for (std::uint64_t const cache : {0u, 200u, 1000u, 1u << 20}) {
        CAPTURE(static_cast<int>(keep));
        CAPTURE(cache);
        LoaderOptions const options{.batch = random(1, 5), .cache = cache, .keep = keep};
        Loader loader{array, drawn.sampler(), options};
        auto halves = loader_as<double>(array, drawn.sampler(), {.scale = 0.5}, options);
        std::size_t wrong = 0;
        while (auto batch = loader.next()) {
          auto const some = drawn.some(batch->first(), batch->boxes().size());
          auto const expected = read_boxes(regular, some.list());
          wrong += !std::ranges::equal(batch->array(), expected);
          auto const half = halves.next();
          wrong += !std::ranges::equal(half->array(), expected, [](double a, std::int32_t b) { return 2 * a == b; });
        }
        CHECK(wrong == 0);
        CHECK(loader.position() == drawn.size());
        if (keep == Keep::decoded && cache == 1u << 20) {
          auto const did = loader.statistics();
          CHECK(did.hits + did.decoded == did.chunks);
          if (!has_shards) CHECK(did.decoded <= element_count(array.grid_shape(), "the grid"));
        }
      }
    Loader usual{array, drawn.sampler()};
    while (usual.next()) {
    }
    CHECK(usual.position() == drawn.size());
  }
}

}  // namespace loader_rectilinear_tests
