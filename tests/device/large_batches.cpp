// A mini-batch of more than a slab of page-locked memory.
#include <device/arrays.hpp>

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::TemporaryFolder;

TEST_CASE("a mini-batch of files takes several slabs of page-locked memory, and every element is right") {
  constexpr std::uint64_t rows = 35, columns = 1 << 20;  // 140 MiB, in chunks of 4 MiB
  TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / "a"};
  DeviceQueue on{HostQueue{2}};
  auto const elements = test::numbers_from(1.f, rows * columns);
  auto const array = create_array<float, 2>(store, "", {.shape = {rows, columns}, .chunks = {1, columns}},
                                            test::FromHost{}, on);
  array.through<space::Host>().write(all, elements);
  bool const is_right = test::on_host(array.on(on).read(all, ReadOptions{.mini_batch = every_chunk}), on) == elements;
  CHECK(is_right);
}
