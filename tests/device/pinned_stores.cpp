#include <device/stores.hpp>

TEST_CASE("every store of pinned buffers is a store") {
  test::TemporaryFolder folder;
  test::under_seeds(32, [&] { test::check_stores<tessera::PinnedBuffer>(folder); });
}
