// Two threads read: the first read, in which both took part, allocated the memory of both.
#include <atomic>
#include <barrier>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/brain.hpp>

using namespace tessera;

namespace {

// While it is on, two threads must be decoding at once.
std::atomic<bool> meeting{false};
std::barrier<> both{2};

/// zstd, where two threads can meet.
struct MeetingZstd : codec::Zstd {
  static MeetingZstd from(ObjectReader& configuration) { return {codec::Zstd::from(configuration)}; }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    if (meeting) both.arrive_and_wait();
    return codec::Zstd::decode(from, to, on);
  }
};

}  // namespace

TEST_CASE("t1: a second read with two threads allocates nothing per chunk") {
  auto const store = test::brain_copy("t1");
  // For the first read every chunk has the longest value, so that no other makes scratch grow later.
  MemoryStore<HostBuffer> const longest;
  test::put(longest, "t1/zarr.json", test::value(store, "t1/zarr.json"));
  std::string value;
  store.list("t1/c", [&](Listed const& entry) {
    if (entry.size > value.size()) value = test::value(store, std::string{entry.path});
  });
  for (auto* key : {"t1/c/0/0/0", "t1/c/0/0/1"}) test::put(longest, key, value);

  using Meeting = Codecs<codec::Bytes, MeetingZstd>;
  test::HostQueue const queue{2};
  std::vector<std::uint8_t> two(64 * 64 * 128), all_of_it(197 * 233 * 189);
  meeting = true;
  open_array<std::uint8_t, 3, Meeting>(longest, "t1", queue).read({{0, 64}, {0, 64}, {0, 128}}, two, {1});
  meeting = false;

  auto const array = open_array<std::uint8_t, 3, Meeting>(store, "t1", queue);
  (void)test::t1_elements();
  (void)test::all_allocations_are_seen();
  test::Allocations counted;
  array.read(all, all_of_it, {1});
  counted.stop();
  CHECK(all_of_it == test::t1_elements());
  // None of the 33 chunks needs anything of its own. Possible new allocations: a zstd context, because the two threads
  // may not have been inside the library at once before; lists in objects that now serve another purpose.
  CHECK(counted.news() <= 6);
  CHECK(counted.blocks() <= 8);
}
