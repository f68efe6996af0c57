// blosc encoded in device memory: frames that c-blosc and the device's own decoder read, laid out as c-blosc does, at a
// cost in calls that does not grow with chunks or blocks; invalid input is refused.
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <device/encode_batch.hpp>
#include <support/document.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/with/blosc.hpp>
#include <tessera/with/nvcomp.cuh>

namespace nvcomp_blosc_encode_tests {

using namespace tessera;
using codec::Bytes, codec::Crc32c, codec::DeviceCrc32c;
using nvcomp::Trusted;
using test::check_refused, test::decoded_by, test::DeviceQueue, test::HostQueue, test::under_seeds;
using OnTrust = Trusted<nvcomp::Blosc>;

namespace {

// Slowly growing numbers, some of whose bytes, and blocks, are random: those do not shrink.
std::string numbers(std::size_t size, std::uint64_t seed = 0) {
  test::Random random{seed};
  std::string result(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    result[i] = static_cast<char>(i / 64 >> (i % 4 * 8) & 0xff);
    if (i % 4 == 1 || i / 5000 % 3 == 2) result[i] = static_cast<char>(random(0, 255));
  }
  return result;
}

template <class C = nvcomp::Blosc>
C blosc(char const* cname, char const* shuffle = "shuffle", std::size_t element = 4, std::size_t block = 0,
        int level = 5) {
  C codec;
  codec.cname = cname, codec.shuffle = shuffle, codec.typesize = element, codec.blocksize = block;
  codec.clevel = level;
  return codec;
}

unsigned flags_of(std::string const& chunk) { return static_cast<unsigned char>(chunk[2]); }
std::uint64_t number_at(std::string const& chunk, std::size_t at) {
  return detail::frame_integer(reinterpret_cast<std::byte const*>(chunk.data()) + at, 4);
}

// Checks that the host and the device decode the encoded chunks to the originals.
void check_back(std::vector<std::string> const& encoded, std::vector<std::string> const& plain, DeviceQueue& on) {
  std::string all, room;
  for (auto const& chunk : encoded) all += chunk;
  for (auto const& chunk : plain) room += chunk;
  auto const from = test::made<DeviceBuffer>(all, on);
  auto to = test::made<DeviceBuffer>(std::string(room.size(), '?'), on);
  std::vector<CodecTask<space::Device>> tasks;
  std::size_t first = 0, at = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CAPTURE(i);
    bool const is_same = decoded_by(codec::Blosc{}, encoded[i], plain[i].size()) == plain[i];  // too long to print
    CHECK(is_same);
    ByteView<space::Device> const all_of_it = from.view();
    tasks.push_back({all_of_it.sub(first, encoded[i].size()), to.span().sub(at, plain[i].size())});
    first += encoded[i].size(), at += plain[i].size();
  }
  decode_batch(OnTrust{}, {}, std::span{tasks}, on);
  bool const is_same = test::text(to.view(), on) == room;
  CHECK(is_same);
}

}  // namespace

TEST_CASE("nvCOMP encodes blosc: any compressor, filter, element, block and size") {
  std::vector<std::string> plain;
  for (std::size_t const size : {1u, 3u, 127u, 128u, 520u, 4097u, 16384u, 70003u, 300000u})
    plain.push_back(numbers(size, size));
  plain.push_back(test::noise(20000));
  std::size_t stored = 0, shrunk = 0, mixed = 0;
  under_seeds(2, [&] {
    DeviceQueue on{HostQueue{1}};
    for (char const* cname : {"lz4", "zstd"})
      for (char const* shuffle : {"noshuffle", "shuffle", "bitshuffle"})
        for (std::size_t const element : {1u, 2u, 3u, 4u, 8u, 16u, 17u, 100u, 255u})
          for (std::size_t const block : {0u, 1000u, 8192u}) {
            CAPTURE(cname);
            CAPTURE(shuffle);
            CAPTURE(element);
            CAPTURE(block);
            auto const codec = blosc(cname, shuffle, element, block);
            auto const found = test::EncodeBatch<nvcomp::Blosc>{codec, plain, 1, 3, on}.encoded();
            check_back(found, plain, on);
            for (std::size_t i = 0; i < plain.size(); ++i) {
              bool const is_stored = (flags_of(found[i]) & 2) != 0;
              CHECK(is_stored == (found[i].size() == plain[i].size() + 16));
              stored += is_stored, shrunk += !is_stored;
              if (is_stored) continue;
              auto const frame =
                  detail::BloscFrame::walk(reinterpret_cast<std::byte const*>(found[i].data()), found[i].size());
              CHECK(frame.element == element);
              auto const* const bytes = reinterpret_cast<std::byte const*>(found[i].data());
              for (std::uint64_t k = 0; k < frame.blocks(); ++k)
                mixed +=
                    frame.stream_at(bytes, frame.offset_of(bytes, k)).size == frame.size_of(k) / frame.splits_of(k);
            }
          }
  });
  CHECK(stored > 100);
  CHECK(shrunk > 100);
  CHECK(mixed > 100);  // stored streams among others
}

TEST_CASE("nvCOMP encodes blosc: chunks are divided as c-blosc divides them") {
  auto const plain = std::string(40000, 'a') + std::string(5003, 'b');
  under_seeds(2, [&] {
    DeviceQueue on{HostQueue{1}};
    for (char const* cname : {"lz4", "zstd"})
      for (char const* shuffle : {"noshuffle", "shuffle", "bitshuffle"})
        for (std::size_t const element : {2u, 3u, 4u, 8u, 16u, 17u, 255u})
          for (std::size_t const block : {100u, 1000u, 8192u, 100000u}) {
            CAPTURE(cname);
            CAPTURE(shuffle);
            CAPTURE(element);
            CAPTURE(block);
            auto const found =
                test::EncodeBatch<nvcomp::Blosc>{blosc(cname, shuffle, element, block), {plain}, 0, 0, on}.encoded();
            HostQueue on_host{1};
            codec::Blosc const host{cname, 5, shuffle, element, block};
            std::string expected(plain.size() + 16, '?');
            expected.resize(host.encode(test::host_bytes(plain),
                                        {reinterpret_cast<std::byte*>(expected.data()), expected.size()}, on_host));
            // Version, format, flags, sizes of an element and of all; of a block, and the offset of the first one.
            CHECK(found[0].substr(0, 8) == expected.substr(0, 8));
            if (cname == std::string_view{"lz4"}) continue;  // for which c-blosc makes larger blocks than requested
            CHECK(number_at(found[0], 8) == number_at(expected, 8));
            CHECK(number_at(found[0], 16) == number_at(expected, 16));
          }
  });
}

TEST_CASE("nvCOMP encodes blosc: level 0 stores, and any other level compresses") {
  under_seeds(2, [] {
    DeviceQueue on{HostQueue{1}};
    std::vector<std::string> const plain{std::string(70000, 'a'), std::string(1, 'b'), std::string(5000, 'c')};
    auto const stored =
        test::EncodeBatch<nvcomp::Blosc>{blosc("zstd", "bitshuffle", 4, 0, 0), plain, 0, 0, on}.encoded();
    for (std::size_t i = 0; i < plain.size(); ++i) {
      CHECK(stored[i].size() == plain[i].size() + 16);
      CHECK((flags_of(stored[i]) & 2) != 0);
    }
    check_back(stored, plain, on);
    for (int level = 1; level <= 9; ++level) {
      auto const found =
          test::EncodeBatch<nvcomp::BloscLz4>{blosc<nvcomp::BloscLz4>("lz4", "shuffle", 4, 0, level), plain, 0, 0, on}
              .encoded();
      CHECK(found[0].size() < 2000);
      check_back(found, plain, on);
    }
  });
}

namespace {

using ToHost = CastTo<space::Host>;
using test::in_chunks::chunk_shape, test::in_chunks::elements, test::in_chunks::made, test::in_chunks::shape;

template <class P, class S>
std::vector<float> read_on_host(S const& store) {
  auto const found = open_array<float, 2, P>(store, "a").read(all);
  return {found.data(), found.data() + found.size()};
}

}  // namespace

TEST_CASE("nvCOMP encodes blosc: arrays that the host reads, whose documents say the size of an element") {
  using OfHost = Pipeline<space::Host, Bytes, codec::Blosc>;
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    auto const memory = test::on_device<float, 2>(elements, shape, on);
    auto const check = [&]<class P>(P const& pipeline) {
      auto const array = made(store, pipeline, on);
      array.write(all, memory, WriteOptions{.mini_batch = 7}).wait();
      CHECK(test::on_host(array.on(on).read(all), on) == elements);
      auto const& codecs = array.metadata().codecs;
      CHECK(codecs[1].configuration.get("typesize", 0) == 4);
    };
    for (char const* cname : {"lz4", "zstd"})
      for (char const* shuffle : {"noshuffle", "shuffle", "bitshuffle"}) {
        check(Pipeline<space::Device, Bytes, OnTrust, ToHost>{{}, {blosc(cname, shuffle, 0)}, {}});
        CHECK(read_on_host<OfHost>(store) == elements);
      }
    check(Pipeline<space::Device, Bytes, nvcomp::BloscLz4, ToHost>{});
    CHECK(read_on_host<OfHost>(store) == elements);
    check(Pipeline<space::Device, Bytes, nvcomp::Blosc, DeviceCrc32c, ToHost>{{}, blosc("zstd", "shuffle", 0), {}, {}});
    CHECK(read_on_host<Pipeline<space::Host, Bytes, codec::Blosc, Crc32c>>(store) == elements);
  });
}

TEST_CASE("nvCOMP encodes blosc: inner chunks of shards in device memory, with codecs that the document names") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    test::TemporaryFolder folder;
    using Inner = AnyPipeline<space::Device, space::Device, Codecs<Bytes, nvcomp::Blosc, DeviceCrc32c>>;
    using Shard = codec::Sharding<Pipeline<space::Device, Bytes, nvcomp::Blosc, DeviceCrc32c>>;
    auto const memory = test::on_device<float, 2>(elements, shape, on);
    auto const files = test::files_of_the_device(folder.path().string());
    create_array<float, 2>(files, "a", {.shape = shape, .chunks = {16, 90}, .overwrite = true},
                           Pipeline<space::Device, Shard>{Shard{.chunk_shape = {4, 45}}}, on)
        .write(all, memory)
        .wait();
    using OfHost = codec::Sharding<Pipeline<space::Host, Bytes, codec::Blosc, Crc32c>>;
    LocalStore<HostBuffer> const of_host{folder.path().string()};
    CHECK(read_on_host<Pipeline<space::Host, OfHost>>(of_host) == elements);
    CHECK(test::on_host(open_array<float, 2, Inner>(files, "a", on).read(all), on) == elements);
  });
}

TEST_CASE("nvCOMP encodes blosc: what it does not write is refused by its member, and read all the same") {
  under_seeds(2, [] {
    DeviceQueue on{HostQueue{1}};
    MemoryStore<HostBuffer> const store;
    auto const memory = test::on_device<float, 2>(elements, shape, on);
    auto const check = [&]<class C>(C const& codec, std::string const& expected) {
      using P = Pipeline<space::Device, Bytes, C, DeviceCrc32c, ToHost>;
      auto const refused = [&](auto&& f) {
        check_refused<CodecError>(
            f, {"key \"a/zarr.json\"", ("codec blosc: " + expected).c_str(), "write it with the host codec"});
      };
      refused([&] { made(store, P{{}, codec, {}, {}}, on); });
      codec::Blosc const same{codec.cname, codec.clevel, codec.shuffle, codec.typesize, codec.blocksize};
      made(store, Pipeline<space::Host, Bytes, codec::Blosc, Crc32c>{{}, same, {}}, HostQueue{1}).write(all, elements);
      refused([&] { open_array<float, 2, P>(store, "a", on).write(all, memory).wait(); });
      CHECK(test::on_host(open_array<float, 2, P>(store, "a", on).read(all), on) == elements);
    };
    for (char const* cname : {"lz4hc", "zlib", "snappy"})
      check(blosc(cname), "member cname: found " + std::string{cname} + ", nvCOMP writes lz4 and zstd;");
    check(blosc<nvcomp::BloscLz4>("lz4hc"), "member cname: found lz4hc, nvCOMP writes only lz4;");
    check(blosc("zstd", "shuffle", 256), "member typesize: found 256, nvCOMP writes 1 to 255;");

    // Streams of more than 16 MiB.
    std::vector<CodecTask<space::Device>> tasks{
        {{nullptr, std::size_t{1} << 26}, {nullptr, (std::size_t{1} << 26) + 16}}};
    check_refused<CodecError>(
        [&] { encode_batch(blosc("lz4", "shuffle", 2, std::size_t{1} << 26), {}, std::span{tasks}, on); },
        {"codec blosc: member blocksize: found 67108864, nvCOMP writes at most 16777216 bytes per stream;"});
    tasks = {{{nullptr, std::size_t{0x7fffffff}}, {nullptr, std::size_t{1} << 32}}};
    check_refused<CodecError>([&] { encode_batch(blosc("lz4"), {}, std::span{tasks}, on); },
                              {"codec blosc: 2147483647 bytes are more than a blosc buffer can hold"});
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("nvCOMP encodes blosc: launches, copies and waits do not depend on chunks and blocks") {
  auto const check = [](nvcomp::Blosc const& codec, test::BatchCalls const& expected) {
    for (std::size_t const chunks : {1u, 5u, 40u})
      under_seeds(4, [&] {
        CAPTURE(chunks);
        DeviceQueue on{HostQueue{1}};
        std::vector<std::string> const plain(chunks, numbers(9003));
        test::EncodeBatch<nvcomp::Blosc> first{codec, plain, 0, 0, on}, tried{codec, plain, 0, 0, on};
        first.encode();
        on.wait();
        emulation::Watch const watch;
        tried.encode();
        test::check_calls(watch, expected);
      });
  };
  check(blosc("lz4", "shuffle", 4, 512), {.launches = 4, .there = 2, .back = 1, .waits = 1, .most = 18});
  check(blosc("lz4", "noshuffle", 4, 4096), {.launches = 4, .there = 2, .back = 1, .waits = 1, .most = 18});
  check(blosc("zstd", "bitshuffle", 3, 1001), {.launches = 4, .there = 2, .back = 1, .waits = 1, .most = 18});
  check(blosc("zstd", "bitshuffle", 3, 1001, 0), {.launches = 2, .there = 1, .back = 1, .waits = 1, .most = 12});
}

TEST_CASE("the k-th call fails: arrays of blosc that nvCOMP encodes") {
  using P = Pipeline<space::Device, Bytes, nvcomp::Blosc, DeviceCrc32c, ToHost>;
  for (std::uint64_t const seed : {0u, 15u}) {
    CAPTURE(seed);
    emulation::seed(seed);
    MemoryStore<HostBuffer> const store;
    std::size_t k = 0;
    for (bool failed = true; failed; ++k) {
      CAPTURE(k);
      REQUIRE(k < 2000);
      {
        DeviceQueue on{HostQueue{1 + k % 2}};
        auto const array = made(store, P{{}, blosc("zstd", "bitshuffle", 0), {}, {}}, on);
        auto const memory = test::on_device<float, 2>(elements, shape, on);
        emulation::fail(k);
        try {
          array.write(all, memory, WriteOptions{.mini_batch = 20}).wait();
        } catch (Error const& error) {
          std::string_view const what = error.what();
          CAPTURE(what);
          CHECK(emulation::has_failed());
        }
        failed = emulation::has_failed();
        emulation::fail_nothing();
        array.write(all, memory).wait();
        CHECK(read_on_host<Pipeline<space::Host, Bytes, codec::Blosc, Crc32c>>(store) == elements);
        CHECK(cudaGetLastError() == cudaSuccess);
      }
      test::check_nothing_left();
    }
    CHECK(k > 20);
  }
}

#endif

}  // namespace nvcomp_blosc_encode_tests
