// Lists with two implementations of a codec, one on the host and one on the device: the number of bytes that cross
// shows which one decodes.
#include <cstdint>
#include <string>
#include <vector>

#include <device/arrays.hpp>
#include <support/refused.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/with/nvcomp.cuh>

namespace nvcomp_mixed_tests {

using namespace tessera;
using codec::Bytes, codec::Crc32c, codec::DeviceCrc32c, codec::Gzip, codec::Sharding, codec::Transpose;
using nvcomp::Trusted;
using test::DeviceQueue, test::HostQueue, test::under_seeds;

namespace {

Extents const shape{64, 80}, chunk_shape{16, 40}, shard_shape{64, 80};
constexpr std::size_t bytes = std::size_t{64} * 80 * sizeof(float);
// Highly compressible: the stored bytes are a small part.
std::vector<float> const elements = [] {
  std::vector<float> result(64 * 80);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<float>(i / 40);
  return result;
}();

template <class... Cs>
using Known = AnyPipeline<space::Device, space::Host, Codecs<Transpose, Bytes, Cs...>>;

template <class P>
void write(MemoryStore<HostBuffer> const& store, P const& pipeline, Extents const& chunks) {
  create_array<float, 2>(store, "a", {.shape = shape, .chunks = chunks, .overwrite = true}, pipeline, HostQueue{1})
      .write(all, elements);
}

enum class Crosses { encoded, decoded };

template <class P>
void check_read(MemoryStore<HostBuffer> const& store, [[maybe_unused]] Crosses what) {
  under_seeds(8, [&] {
    DeviceQueue on{HostQueue{2}};
    auto const array = open_array<float, 2, P>(store, "a", on);
    auto memory = test::on_device<float, 2>(std::vector<float>(elements.size()), shape, on);
#if defined(TESSERA_CUDA_EMULATION)
    emulation::Watch const watch;
#endif
    array.read(all, memory).wait();
#if defined(TESSERA_CUDA_EMULATION)
    auto const crossed = watch.copied(cudaMemcpyHostToDevice);  // and some small tables
    if (what == Crosses::encoded)
      CHECK(crossed < bytes / 2);
    else
      CHECK(crossed >= bytes);
#endif
    CHECK(test::on_host(memory, on) == elements);
    array.read(all, memory, ReadOptions{.mini_batch = 3}).wait();
    CHECK(test::on_host(memory, on) == elements);
  });
}

template <class... Stages>
using OnHost = Pipeline<space::Host, Stages...>;

}  // namespace

TEST_CASE("nvCOMP beside the host's codecs: of one name, that decodes for which fewer bytes cross, if they are vouched for") {
  MemoryStore<HostBuffer> const store;
  write(store, OnHost<Bytes, codec::Zstd>{}, chunk_shape);
  check_read<Known<Trusted<nvcomp::Zstd>, codec::Zstd>>(store, Crosses::encoded);
  check_read<Known<codec::Zstd, Trusted<nvcomp::Zstd>>>(store, Crosses::encoded);
  check_read<Known<nvcomp::Zstd, codec::Zstd>>(store, Crosses::decoded);  // not checked: the host's codec decodes
  write(store, OnHost<Bytes, codec::Zstd, Crc32c>{}, chunk_shape);
  check_read<Known<nvcomp::Zstd, codec::Zstd, Crc32c>>(store, Crosses::encoded);
  check_read<Known<nvcomp::Zstd, codec::Zstd, DeviceCrc32c, Crc32c>>(store, Crosses::encoded);
  check_read<Known<nvcomp::Zstd, codec::Zstd, Crc32c, DeviceCrc32c>>(store, Crosses::encoded);
  check_read<Known<codec::Zstd, nvcomp::Zstd, Crc32c>>(store, Crosses::encoded);
  check_read<Known<codec::Zstd, Crc32c>>(store, Crosses::decoded);
}

TEST_CASE("nvCOMP beside the host's codecs: the host runs what only the host has, and what is behind it") {
  MemoryStore<HostBuffer> const store;
  using List = Known<Trusted<nvcomp::Zstd>, codec::Zstd, Gzip, DeviceCrc32c, Crc32c>;
  write(store, OnHost<Bytes, Gzip>{}, chunk_shape);
  check_read<List>(store, Crosses::decoded);
  write(store, OnHost<Bytes, codec::Zstd, Gzip, Crc32c>{}, chunk_shape);
  check_read<List>(store, Crosses::encoded);
  write(store, OnHost<Transpose, Bytes, Gzip, codec::Zstd>{Transpose{{1, 0}}, Bytes{std::endian::big}, {}, {}},
        chunk_shape);
  check_read<List>(store, Crosses::decoded);  // once, and not three times
}

TEST_CASE("nvCOMP beside the host's codecs: chunks cross three times, if there is no other way") {
  MemoryStore<HostBuffer> const store;
  write(store, OnHost<Bytes, Gzip, codec::Zstd>{}, chunk_shape);
  check_read<Known<Trusted<nvcomp::Zstd>, Gzip>>(store, Crosses::decoded);
}

TEST_CASE("nvCOMP beside the host's codecs: inner chunks of shards") {
  MemoryStore<HostBuffer> const store;
  using Inner = OnHost<Bytes, codec::Zstd, Crc32c>;
  write(store, OnHost<Sharding<Inner>>{Sharding<Inner>{.chunk_shape = {16, 40}}}, shard_shape);
  check_read<Known<nvcomp::Zstd, codec::Zstd, Crc32c>>(store, Crosses::encoded);
  using Unchecked = OnHost<Bytes, codec::Zstd>;
  write(store, OnHost<Sharding<Unchecked>, Crc32c>{Sharding<Unchecked>{.chunk_shape = {16, 40}}, {}}, shard_shape);
  check_read<Known<nvcomp::Zstd, codec::Zstd, Crc32c>>(store, Crosses::decoded);
}

TEST_CASE("nvCOMP beside the host's codecs: a damaged chunk is named, on either side") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    write(store, OnHost<Bytes, codec::Zstd, Crc32c>{}, chunk_shape);
    auto damaged = test::value(store, "a/c/2/1", on);
    damaged[10] = static_cast<char>(damaged[10] ^ 1);
    test::put(store, "a/c/2/1", damaged, on);
    auto const check = [&]<class P>(std::type_identity<P>) {
      auto const array = open_array<float, 2, P>(store, "a", on);
      test::check_refused<CodecError>([&] { array.on(on).read(all); }, {"key \"a/c/2/1\"", "codec crc32c"});
    };
    check(std::type_identity<Known<nvcomp::Zstd, DeviceCrc32c>>{});
    check(std::type_identity<Known<nvcomp::Zstd, Crc32c>>{});
    check(std::type_identity<Known<codec::Zstd, Crc32c>>{});
  });
}

}  // namespace nvcomp_mixed_tests
