// Codecs that a program lists where they cannot run: the error says that they are listed, where they run, and the cast.
#include <string>
#include <vector>

#include <device/device.hpp>
#include <support/document.hpp>
#include <support/refused.hpp>
#include <tessera/any_spaces.hpp>
#include <tessera/with/all.hpp>

namespace listed_codecs_tests {

using namespace tessera;
using test::check_refused, test::DeviceQueue;

namespace {

// Runs on the device alone.
struct OfTheDevice {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "example.of_the_device";
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Device>;
  static OfTheDevice from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  std::size_t encoded_bound(std::size_t size) const { return size; }
  template <class Batch>
  void decode(Batch, test::DeviceQueue&) const {}
  template <class Batch>
  void encode(Batch, test::DeviceQueue&) const {}
};

// With a name that the host has, too.
struct ZstdOfTheDevice : OfTheDevice {
  static constexpr std::string_view name = "zstd";
  static ZstdOfTheDevice from(ObjectReader& configuration) {
    (void)configuration.find("level"), (void)configuration.find("checksum");
    return {};
  }
};

template <class P>
void refuse(std::string const& codecs, std::initializer_list<char const*> words) {
  check_refused<MetadataError>([&] { (void)P::from(test::specifications(codecs)); }, words);
}

}  // namespace

TEST_CASE("a listed codec that cannot run where chunks are coded is said to be listed, with the cast") {
  refuse<AnyPipeline<space::Device, space::Device, AllCodecs>>(
      R"(["bytes", {"name": "zstd", "configuration": {"level": 3}}])",
      {"member codecs: \"zstd\" is among this program's codecs, but runs in host memory only, and the chunks must be "
       "coded in device memory; name the cast, AnyPipeline<space::Device, space::Host, Codecs<...>>, over a store of "
       "host bytes"});
  using List = Codecs<codec::Bytes, OfTheDevice>;
  refuse<AnyPipeline<space::Host, space::Host, List>>(
      R"(["bytes", "example.of_the_device"])",
      {"is among this program's codecs, but runs in device memory only, and the chunks must be coded in host "
       "memory; list a codec of that name that runs there, or name the place of the copy, AnyPipeline<space::Device, "
       "space::Host, Codecs<...>>"});
  refuse<AnyPipeline<space::Pinned, space::Host, List>>(
      R"(["bytes", "example.of_the_device"])",
      {"runs in device memory only, and the chunks must be coded in pinned or host memory; name the cast, "
       "AnyPipeline<space::Pinned, space::Device, Codecs<...>>"});
}

TEST_CASE("an array of which the device alone decodes a codec is not the host's, and the error says what to list for that") {
  DeviceQueue on{test::HostQueue{1}};
  MemoryStore<HostBuffer> const store;
  create_array<float, 1>(store, "a", {.shape = {4}, .chunks = {4}},
                         Pipeline<space::Host, codec::Bytes, codec::Zstd>{});
  using Known = AnyPipeline<space::Device, space::Host, Codecs<codec::Bytes, ZstdOfTheDevice>>;
  auto const array = open_array<float, 1, Known>(store, "a", on);
  check_refused<MetadataError>(
      [&] { (void)array.through<space::Host>(); },
      {"\"zstd\" is among this program's codecs, but runs in device memory only, and the chunks must be coded in "
       "host memory; include <tessera/with/zstd.hpp> and list codec::Zstd"});
}

TEST_CASE("behind a shard, where the host decodes, a listed codec of the device alone is said to be one") {
  auto const in_shard = [](std::string const& behind) {
    return R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": ["bytes", )"
           R"("example.of_the_device"], "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}})" +
           behind + "]";
  };
  using Known = AnyPipeline<space::Device, space::Host, Codecs<codec::Bytes, OfTheDevice>>;
  CHECK_NOTHROW(Known::from(test::specifications(in_shard(""))));
  refuse<Known>(
      in_shard(R"(, "example.of_the_device")"),
      {"\"example.of_the_device\" after sharding_indexed runs on the host only, and this program's codec of that "
       "name does not run there"});
}

TEST_CASE("one that is not listed is said not to be, on the device as well") {
  refuse<AnyPipeline<space::Device>>(R"(["bytes", "zstd"])", {"\"zstd\" is not among this program's codecs"});
  CHECK_NOTHROW((AnyPipeline<space::Host, space::Device, Codecs<codec::Bytes, OfTheDevice>>::from(
      test::specifications(R"(["bytes", "example.of_the_device"])"))));
}

}  // namespace listed_codecs_tests
