// Programs of random operations on arrays in device memory: plain, sharded and nested, of every type and rank.
#include <string>
#include <utility>

#include <device/agreement.hpp>
#include <support/random_program.hpp>
#include <support/sharded.hpp>

namespace random_programs_tests {

using namespace tessera;
using test::Bytes, test::DeviceQueue, test::HostQueue, test::Random, test::TemporaryFolder;

namespace {

struct DeviceMemory {
  DeviceQueue on{test::HostQueue{}};

  template <class F>
  Bytes through(Bytes const& memory, F&& f) {
    auto there = test::made<DeviceBuffer>(test::text(test::view(memory)), on);
    f(there.span().data).detach();
    return test::bytes(test::text(there.view(), on));
  }
};

std::string transposed(Random& random, std::size_t rank) {
  return random.one_in(3) ? test::json(test::random_codec<codec::Transpose>(random, rank)) + ", " : "";
}
std::string elements(Random& random, std::size_t rank) {
  return '[' + transposed(random, rank) + test::json(test::random_codec<codec::Bytes>(random, 0)) + ']';
}
std::string compressed(Random& random, std::size_t rank) {
  auto const front = transposed(random, rank) + test::json(test::random_codec<codec::Bytes>(random, 0)) + ", ";
  return '[' + front + test::json(test::random_codec<codec::Zstd>(random, 0)) +
         (random.one_in(2) ? R"(, {"name": "crc32c"}])" : "]");
}

template <class Named, class S, class Leaf>
void run(S store, Random& random, Leaf const& leaf) {
  test::order_streams(random);
  {
    DeviceQueue const on{HostQueue{random(1, 3)}};
    test::RandomProgram<Named, S, DeviceMemory> program{std::move(store), {on}, on, random};
    for (int step = 0; step < 40; ++step) {
      CAPTURE(step);
      program.step(leaf);
    }
    program.finish();
  }
  test::expect_nothing_left();
}

/// Whatever codecs of the device the file has.
using Elements = AnyPipeline<space::Device, space::Device, Codecs<codec::Transpose, codec::Bytes>>;

}  // namespace

TEST_CASE("random programs over the host's memory do to the device's arrays what they do to NumPy's") {
  test::run_programs(300001, 400,
                     [](Random& random) { run<test::Known>(MemoryStore<HostBuffer>{}, random, compressed); });
}
TEST_CASE("random programs over the device's memory do to its arrays what they do to NumPy's") {
  test::run_programs(400001, 400, [](Random& random) { run<Elements>(test::in_device_memory(), random, elements); });
}
TEST_CASE("random programs over the device's files do to its arrays what they do to NumPy's") {
  test::run_programs(500001, 400, [](Random& random) {
    TemporaryFolder const folder;
    run<Elements>(test::files_of_the_device(folder / "root"), random, elements);
  });
}

}  // namespace random_programs_tests
