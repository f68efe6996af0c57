// Stores derived from a WrapperStore: every value passes through their overrides.
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/testing/store_conformance.hpp>

using namespace tessera;
using space::Host;

namespace wrapper_store_tests {
namespace {

struct Counts {
  std::atomic<int> reads{0}, writes{0};
  std::atomic<std::uint64_t> read{0}, written{0};  // bytes
};

template <class S>
struct Counting : WrapperStore<S> {
  using Base = WrapperStore<S>;
  using Base::Base;
  std::shared_ptr<Counts> counts = std::make_shared<Counts>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Host> destination,
                                  Queue<Host>& on) const {
    ++counts->reads;
    auto const size = Base::read(key, range, destination, on);
    counts->read += size.value_or(0);
    return size;
  }
  void write(Key const& key, ByteView<Host> value, Queue<Host>& on) const {
    ++counts->writes;
    counts->written += value.size;
    Base::write(key, value, on);
  }
};

template <class S>
void check_counts(S store) {
  Counting<S> const counting{std::move(store)};
  auto const array = create_array<std::uint32_t, 1>(counting, "a", {.shape = {64}, .chunks = {8}});
  auto const& counts = *counting.counts;
  counting.counts->writes = 0, counting.counts->written = 0;
  std::vector<std::uint32_t> elements(64, 7);
  array.write(all, elements);
  CHECK(counts.writes == 8);
  CHECK(counts.written == 256);
  counting.counts->reads = 0, counting.counts->read = 0;
  CHECK(array.read(all)(63) == 7);
  CHECK(counts.reads == 8);
  CHECK(counts.read == 256);
  array.write({{3, 5}}, std::vector<std::uint32_t>{1, 2});
  CHECK(counts.writes == 9);
  CHECK(counts.written == 288);
}

}  // namespace

TEST_CASE("a WrapperStore is a store as good as its own") {
  for (auto const& broken : testing::store_conformance([] { return WrapperStore{MemoryStore<HostBuffer>{}}; }))
    FAIL_CHECK(broken);
  test::TemporaryFolder const folder;
  int number = 0;
  auto const files = [&] { return LocalStore<HostBuffer>{folder / std::to_string(++number)}; };
  for (auto const& broken : testing::store_conformance([&] { return WrapperStore{files()}; })) FAIL_CHECK(broken);
  for (auto const& broken : testing::store_conformance([&] { return Counting<LocalStore<HostBuffer>>{files()}; }))
    FAIL_CHECK(broken);
}

TEST_CASE("every value passes through what a class derived from WrapperStore hides") {
  test::TemporaryFolder const folder;
  check_counts(MemoryStore<HostBuffer>{});
  check_counts(LocalStore<HostBuffer>{folder.path()});
}

TEST_CASE("a WrapperStore has the locks and the name of its store") {
  MemoryStore<HostBuffer> const memory;
  WrapperStore const store{memory};
  CHECK(store.name() == memory.name());
  auto* const mutex = memory.lock({"k"}).mutex();
  CHECK(store.lock({"k"}).mutex() == mutex);
  static_assert(!WritableStore<WrapperStore<ReadOnlyStore<MemoryStore<HostBuffer>>>>);
  static_assert(ListableStore<WrapperStore<MemoryStore<HostBuffer>>>);
}

}  // namespace wrapper_store_tests
