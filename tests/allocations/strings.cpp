// Arrays of strings: chunks allocate nothing besides the strings themselves.
#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/bytes.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/zstd.hpp>

namespace strings_tests {

using namespace tessera;
using Strings = std::vector<std::string>;

namespace {

template <class F>
std::size_t news(F&& f) {
  test::Allocations counted;
  f();
  return counted.stop().news();
}

}  // namespace

TEST_CASE("a warmed read of strings allocates for the strings that need it, and for no chunk") {
  constexpr std::size_t chunks = 16, of_chunk = 8;
  using P = Pipeline<space::Host, codec::VlenUtf8, codec::Zstd>;
  auto const array = create_array<std::string, 1>(MemoryStore<HostBuffer>{}, "a",
                                                  {.shape = {chunks * of_chunk}, .chunks = {of_chunk}}, P{},
                                                  Queue<space::Host>{});
  auto const short_one = std::string{"short"}, long_one = std::string(40, 'x');
  Strings given(chunks * of_chunk, short_one), to(chunks * of_chunk);
  for (std::size_t i = 0; i < given.size(); i += of_chunk) given[i] = long_one;
  array.write(all, given);
  array.read(all, to);
  CHECK(to == given);
  CHECK(news([&] { array.read(all, to); }) == 0);  // each has enough room
  to = Strings(to.size());
  CHECK(news([&] { array.read(all, to); }) == chunks);
  CHECK(to == given);
  // The store makes its own allocations: two for each value.
  CHECK(news([&] { array.write(all, given); }) <= 2 * chunks);
}

}  // namespace strings_tests
