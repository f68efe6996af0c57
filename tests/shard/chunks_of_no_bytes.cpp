// Inner chunks whose encoded value has no bytes: they are present, not missing.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/node/create.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/store/memory_store.hpp>

namespace chunks_of_no_bytes_tests {

using namespace tessera;

namespace {

// Zeros alone become empty; other bytes are unchanged.
struct WithoutZeros {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "example.without_zeros";

  static WithoutZeros from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    auto const end = from.data + from.size;
    if (std::all_of(from.data, end, [](std::byte one) { return one == std::byte{}; })) return 0;
    std::copy(from.data, end, to.data);
    return from.size;
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    if (from.size > to.size) throw CodecError{"too long"};
    std::fill(to.data, to.data + to.size, std::byte{});
    std::copy(from.data, from.data + from.size, to.data);
    return to.size;
  }
};

using Inner = Pipeline<space::Host, codec::Bytes, WithoutZeros>;
using Shards = Pipeline<space::Host, codec::Sharding<Inner>>;

}  // namespace

TEST_CASE("a chunk of no bytes in a shard is a chunk, whatever is written beside it") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {16}, .chunks = {8}, .fill = 7},
                                                   Shards{codec::Sharding<Inner>{{2}}});
  std::vector<std::uint8_t> expected(16, 0);
  auto const check = [&](char const* what) {
    CAPTURE(what);
    auto const found = array.read(all);
    CHECK(std::ranges::equal(found.elements(), expected));
  };
  array.write(all, expected);
  check("no shard has a byte of chunks");
  expected[5] = 1;
  array.write({{5, 6}}, std::vector<std::uint8_t>{1});
  check("one chunk has");
  expected[5] = 0;
  array.write({{4, 6}}, std::vector<std::uint8_t>{0, 0}, {.append_to_shards = true});
  check("none has any more");
  array.write({{6, 7}}, std::vector<std::uint8_t>{0}, {.append_to_shards = true});
  check("part of one that has none");
  array.compact();
  check("compacted");
}

}  // namespace chunks_of_no_bytes_tests
