// The memory resource of a host queue: buffers of reads and writes between the store and the caller come from it.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace {

struct Counted : std::pmr::memory_resource {
  std::atomic<std::size_t> in_use{0}, calls{0};

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    in_use += size, ++calls;
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* data, std::size_t size, std::size_t alignment) override {
    in_use -= size;
    std::pmr::new_delete_resource()->deallocate(data, size, alignment);
  }
  bool do_is_equal(memory_resource const& other) const noexcept override { return this == &other; }
};

using P = Pipeline<space::Host, codec::Bytes, codec::Crc32c>;

auto made_in(MemoryStore<HostBuffer> const& store, Queue<space::Host> on) {
  return create_array<std::int32_t, 2>(store, "a", {.shape = {30, 30}, .chunks = {10, 10}, .overwrite = true}, P{},
                                       on);
}

}  // namespace

TEST_CASE("scratch memory comes from the queue's memory resource, which has it back when the queue goes") {
  MemoryStore<HostBuffer> const store;
  std::vector<std::int32_t> given(900), read(25);
  std::iota(given.begin(), given.end(), 1);
  for (auto const threads : {std::size_t{1}, std::size_t{3}}) {
    CAPTURE(threads);
    Counted resource;
    {
      Queue<space::Host> on{threads, &resource};
      auto const array = made_in(store, on);
      array.write(all, given);
      CHECK(resource.calls > 0);
      on.trim();
      CHECK(resource.in_use == 0);
      array.read({{8, 13}, {8, 13}}, read);  // parts of four chunks
      CHECK(resource.in_use >= 10 * 10 * sizeof(std::int32_t));
      CHECK(read[0] == given[8 * 30 + 8]);
      auto const calls = resource.calls.load();
      if (threads == 1) {
        array.read({{8, 13}, {8, 13}}, read);
        CHECK(resource.calls == calls);  // it is used again
      }
    }
    CHECK(resource.in_use == 0);
  }
}

TEST_CASE("a memory resource that has no memory left is named") {
  MemoryStore<HostBuffer> const store;
  std::vector<std::int32_t> const memory(900, 7);
  made_in(store, Queue<space::Host>{}).write(all, memory);
  Queue<space::Host> on{1, std::pmr::null_memory_resource()};
  auto const array = open_array<std::int32_t, 2, P>(store, "a", on);
  test::check_refused<Error>([&] { array.read({{8, 13}, {8, 13}}); }, {"cannot allocate", "memory resource"});
}
