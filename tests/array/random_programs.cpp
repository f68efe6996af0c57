// Programs of random operations on arrays in host memory: plain, sharded and nested, of every type and rank.
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <support/random_program.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>

namespace random_programs_tests {

using namespace tessera;
using test::Bytes, test::HostQueue, test::Random;

namespace {

struct HostMemory {
  template <class F>
  Bytes through(Bytes memory, F&& f) const {
    f(memory.data());
    return memory;
  }
};

std::string leaf(Random& random, std::size_t rank) {
  std::string chain;
  if (random.one_in(3)) chain = test::json(test::random_codec<codec::Transpose>(random, rank)) + ", ";
  chain += test::json(test::random_codec<codec::Bytes>(random, 0));
  auto const append = [&](auto const& codec) { chain += ", " + test::json(codec); };
  if (random.one_in(4)) append(test::random_codec<codec::Zstd>(random, 0));
  if (random.one_in(4)) append(test::random_codec<codec::Blosc>(random, 0));
  if (random.one_in(4)) append(test::random_codec<codec::Gzip>(random, 0));
  if (random.one_in(4)) append(codec::Crc32c{});
  return '[' + chain + ']';
}

template <class S>
void run(S store, Random& random) {
  using Composed = AnyPipeline<space::Host, space::Host, AllCodecs>;
  test::RandomProgram<Composed, S, HostMemory> program{std::move(store), {}, HostQueue{random(1, 3)}, random};
  for (int step = 0; step < 40; ++step) {
    CAPTURE(step);
    program.step(leaf);
  }
  program.finish();
}

}  // namespace

TEST_CASE("random programs over memory do what they do to arrays of NumPy's") {
  test::run_programs(1, 2000, [](Random& random) { run(MemoryStore<HostBuffer>{}, random); });
}
TEST_CASE("random programs over files do what they do to arrays of NumPy's") {
  test::run_programs(100001, 400, [](Random& random) {
    test::TemporaryFolder const folder;
    run(LocalStore<HostBuffer>{folder / "root"}, random);
  });
}
TEST_CASE("random programs over documents in memory and chunks in files do what they do to arrays of NumPy's") {
  test::run_programs(200001, 400, [](Random& random) {
    test::TemporaryFolder const folder;
    run(SplitStore{MemoryStore<HostBuffer>{}, LocalStore<HostBuffer>{folder / "chunks"}}, random);
  });
}

}  // namespace random_programs_tests
