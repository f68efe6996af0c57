// A Loader in a child of fork(), which has no thread of it.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/child.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

TEST_CASE("a child refuses the loader of its parent, which goes on, and makes its own") {
  auto const made = [] {
    auto const array = create_array<std::uint8_t, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {20}, .chunks = {5}});
    array.write(all, std::vector<std::uint8_t>(20, 7));
    return std::make_unique<Loader<std::uint8_t, 1, MemoryStore<HostBuffer>, detail::usual_pipeline<std::uint8_t>>>(
        array, UniformBoxes{{20}, {3}, {}, 4});
  };
  auto loader = made();
  REQUIRE(loader->next());
  CHECK(test::in_child([&] {
    bool is_refused = false;
    try {
      (void)loader->next();
    } catch (Error const& error) {
      is_refused = std::string{error.what()}.find("before fork()") != std::string::npos;
    }
    loader->cancel();
    loader.reset();
    return is_refused && made()->next()->array()(0, 2) == 7;
  }));
  for (int i = 0; i < 3; ++i) CHECK(loader->next()->array()(0, 0) == 7);
  CHECK_FALSE(loader->next());
}
