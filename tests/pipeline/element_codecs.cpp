// Custom codecs that are functions of elements, and members that a codec may omit.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

namespace element_codecs_tests {
namespace {

/// Each element of a chunk becomes the difference from the one before it.
struct Delta {
  using kind = array_to_array;
  static constexpr std::string_view name = "example.delta";

  template <std::integral T>
  void encode(std::span<T const> from, std::span<T> to) const {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<T>(from[i] - (i == 0 ? T{0} : from[i - 1]));
  }
  template <std::integral T>
  void decode(std::span<T const> from, std::span<T> to) const {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<T>(from[i] + (i == 0 ? T{0} : to[i - 1]));
  }
};

/// For one type, with the chunk's metadata and a configuration.
struct Times {
  using kind = array_to_array;
  static constexpr std::string_view name = "example.times";
  float factor = 2;

  static Times from(ObjectReader& configuration) {
    return {static_cast<float>(configuration.at("factor").integer<int>())};
  }
  Value configuration() const { return Members{{"factor", static_cast<int>(factor)}}; }
  void encode(ChunkSpecification const& chunk, std::span<float const> from, std::span<float> to) const {
    REQUIRE(from.size() == element_count(chunk.shape, "the chunk"));
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i] * factor;
  }
  void decode(ChunkSpecification const&, std::span<float const> from, std::span<float> to) const {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i] / factor;
  }
};

/// Decodes more than it encodes.
struct Reads {
  using kind = array_to_array;
  static constexpr std::string_view name = "example.reads";
  template <class T>
  void decode(std::span<T const> from, std::span<T> to) const {
    std::copy(from.begin(), from.end(), to.begin());
  }
  void encode(std::span<float const> from, std::span<float> to) const { decode(from, to); }
};

template <class T, class P>
void check_stored(P const& pipeline, std::span<T const> first_chunk) {
  MemoryStore<HostBuffer> const store;
  std::vector<T> elements(7);
  std::iota(elements.begin(), elements.end(), T{3});
  auto const array = create_array<T, 1>(store, "a", {.shape = {7}, .chunks = {3}}, pipeline);
  array.write(all, elements);
  std::vector<T> found(7);
  array.read(all, found);
  CHECK(found == elements);
  found.assign(7, T{0});
  open_array<T, 1, Codecs<codec::Transpose, Delta, Times, codec::Bytes>>(store, "a").read(all, found);
  CHECK(found == elements);

  Queue<space::Host> on;
  auto const bytes = get_value(store, {"a/c/0"}, on);
  REQUIRE(bytes);
  REQUIRE(bytes->view().size == 3 * sizeof(T));
  auto const* stored = reinterpret_cast<T const*>(bytes->view().data);
  CHECK(std::vector<T>(stored, stored + 3) == std::vector<T>(first_chunk.begin(), first_chunk.end()));
}

template <class T>
void check_delta() {
  T const expected[] = {3, 1, 1};
  check_stored<T>(Pipeline<space::Host, Delta, codec::Bytes>{}, expected);
  using Any = AnyPipeline<space::Host, space::Host, Codecs<codec::Transpose, Delta, codec::Bytes>>;
  ChunkSpecification const chunk{{3}, data_type_of<T>()};
  check_stored<T>(Any::from(Pipeline<space::Host, Delta, codec::Bytes>{}.specifications(chunk)), expected);
}

}  // namespace

TEST_CASE("a codec of elements codes arrays of each type that it is a function of") {
  check_delta<std::int8_t>();
  check_delta<std::uint8_t>();
  check_delta<std::int16_t>();
  check_delta<std::uint16_t>();
  check_delta<std::int32_t>();
  check_delta<std::uint32_t>();
  check_delta<std::int64_t>();
  check_delta<std::uint64_t>();
}

TEST_CASE("a codec of elements may have a configuration, and be told the chunk") {
  float const expected[] = {9, 12, 15};
  check_stored<float>(Pipeline<space::Host, Times, codec::Bytes>{{.factor = 3}, {}}, expected);
}

TEST_CASE("a codec of elements refuses arrays of others, by name") {
  MemoryStore<HostBuffer> const store;
  test::check_refused<MetadataError>(
      [&] {
        create_array<float, 1>(store, "a", {.shape = {4}, .chunks = {2}},
                               Pipeline<space::Host, Delta, codec::Bytes>{});
      },
      {"example.delta", "float32", "does not support"});
  test::check_refused<MetadataError>(
      [&] {
        create_array<double, 1>(store, "a", {.shape = {4}, .chunks = {2}},
                                Pipeline<space::Host, Times, codec::Bytes>{});
      },
      {"example.times", "float64", "does not support"});
}

TEST_CASE("elements that a codec decodes and does not encode are not written") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {4}, .chunks = {2}, .fill = 7},
                                                   Pipeline<space::Host, Reads, codec::Bytes>{});
  std::vector<std::uint8_t> const given{1, 2, 3, 4};
  test::check_refused<CodecError>([&] { array.write(all, given); },
                                  {"\"a/c/", "example.reads", "uint8", "does not support"});
  CHECK(array.read(all)(0) == 7);
}

TEST_CASE("a configuration that a codec has not is refused") {
  MemoryStore<HostBuffer> const store;
  create_array<int, 1>(store, "a", {.shape = {4}, .chunks = {2}}, Pipeline<space::Host, Delta, codec::Bytes>{});
  Queue<space::Host> on;
  auto const document = get_value(store, {"a/zarr.json"}, on);
  std::string text{reinterpret_cast<char const*>(document->view().data), document->view().size};
  auto const at = text.find("\"example.delta\"");
  REQUIRE(at != text.npos);
  auto const end = text.find('}', at);
  text.insert(end, text.find("configuration", at) < end ? "" : R"(,"configuration":{"step":2})");
  store.write({"a/zarr.json"}, {reinterpret_cast<std::byte const*>(text.data()), text.size()}, on);
  test::check_refused<MetadataError>(
      [&] { open_array<int, 1, Codecs<Delta, codec::Bytes>>(store, "a"); }, {"example.delta", "step"});
}

}  // namespace element_codecs_tests
