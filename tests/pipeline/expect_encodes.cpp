// A codec that decodes its configuration but does not encode it reports that before anything is made.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::check_refused;

namespace expect_encodes_tests {
namespace {

struct Leveled {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "example.leveled";
  int level = 0;

  static Leveled from(ObjectReader& configuration) { return {configuration.at("level").integer<int>(0, 9)}; }
  Value configuration() const { return Members{{"level", level}}; }
  void expect_encodes() const {
    if (level != 0) throw CodecError{to_text({"member level: found ", level, ", this codec writes 0 alone"})};
  }
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    std::copy_n(from.data, from.size, to.data);
    return from.size;
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    std::copy_n(from.data, from.size, to.data);
    return from.size;
  }
};

using Plain = Pipeline<space::Host, codec::Bytes, Leveled>;
using Listed = Codecs<codec::Bytes, Leveled>;
using Shard = codec::Sharding<Plain>;

template <class F>
void check_level(F&& f) {
  check_refused<CodecError>(f, {"key \"a/zarr.json\"", "codec example.leveled: member level: found 3"});
}

}  // namespace

TEST_CASE("what a codec does not encode is refused when an array is created, and before a write") {
  MemoryStore<HostBuffer> const store;
  NewArray<std::uint8_t> const wanted{.shape = {4}, .chunks = {4}, .overwrite = true};
  check_level([&] { create_array<std::uint8_t, 1>(store, "a", wanted, Plain{{}, {3}}); });
  check_level([&] {
    create_array<std::uint8_t, 1>(store, "a", wanted,
                                  Pipeline<space::Host, Shard>{Shard{Extents{2}, Plain{{}, {3}}}});
  });
  CHECK_FALSE(exists(store, "a"));

  create_array<std::uint8_t, 1>(store, "a", wanted, Plain{}).fill(all, 7);
  change_attributes(store, "a", [](Members&) {});
  auto document = *detail::read_value(store, {"a/zarr.json"});
  document["codecs"][1]["configuration"]["level"] = 3;
  write_document(store, "a", document);
  auto const typed = open_array<std::uint8_t, 1, Plain>(store, "a");
  auto const listed = open_array<std::uint8_t, 1, Listed>(store, "a");
  CHECK(typed.read(all)(3) == 7);
  CHECK(listed.read(all)(3) == 7);
  std::vector<std::uint8_t> const numbers(4, 1);
  check_level([&] { typed.write(all, numbers); });
  check_level([&] { listed.write(all, numbers); });
  check_level([&] { listed.fill({0}, 1); });
  check_level([&] { listed.append(numbers); });
  CHECK(listed.shape() == Extents{4});
  check_level([&] { create_any<Listed>(store, "a", listed.metadata(), {.overwrite = true}); });
  CHECK(exists(store, "a"));  // refused before it is erased
}

}  // namespace expect_encodes_tests
