// blosc decoded in device memory: bit for bit the input of c-blosc, at a cost in calls that does not grow with chunks
// or blocks; a chunk with a wrong header is named, and nothing beyond it is changed.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <device/nvcomp_batch.hpp>
#include <support/host_zlib.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/with/blosc.hpp>
#include <tessera/with/nvcomp.cuh>

namespace nvcomp_tests {

namespace of_blosc {

using codec::Crc32c, codec::DeviceCrc32c;
using test::check_refused, test::under_seeds;
using OnTrust = Trusted<nvcomp::Blosc>;

std::string blosc(std::string const& plain, char const* cname = "lz4", char const* shuffle = "shuffle",
                  std::size_t element = 4, std::size_t block = 0, int level = 5) {
  return encoded_by(codec::Blosc{cname, level, shuffle, element, block}, plain);
}

// Slowly growing numbers, some of whose bytes, and blocks, are random: those are stored uncompressed.
std::string numbers(std::size_t size, std::uint64_t seed = 0) {
  test::Random random{seed};
  std::string result(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    result[i] = static_cast<char>(i / 64 >> (i % 4 * 8) & 0xff);
    if (i % 4 == 1 || i / 5000 % 3 == 2) result[i] = static_cast<char>(random(0, 255));
  }
  return result;
}

void put(std::string& chunk, std::size_t at, std::uint64_t value, std::size_t bytes = 4) {
  for (std::size_t i = 0; i < bytes; ++i) chunk[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}
std::size_t get(std::string const& chunk, std::size_t at) {
  return detail::frame_integer(reinterpret_cast<std::byte const*>(chunk.data()) + at, 4);
}

}  // namespace of_blosc

TEST_CASE("nvCOMP: what blosc was given, of any compressor, filter and size, all of them in one batch") {
  using namespace of_blosc;
  std::vector<std::string> plain, stored;
  for (char const* cname : {"lz4", "lz4hc", "zstd", "zlib", "snappy"})
    for (char const* shuffle : {"noshuffle", "shuffle", "bitshuffle"})
      for (std::size_t const element : {1u, 2u, 3u, 4u, 8u, 16u, 100u})
        for (std::size_t const size : {1u, 4097u, 16384u, 70003u}) {
          plain.push_back(numbers(size, size + element));
          stored.push_back(blosc(plain.back(), cname, shuffle, element, size == 16384 ? 1000 : 0, size == 1 ? 0 : 5));
          if (element == 4) stored.back().append(16, size == 4097 ? '\xff' : '\0');  // as z5 has left them
        }
  under_seeds(4, [&] {
    DeviceQueue on{HostQueue{1}};
    auto const found = Batch{stored, sizes_of(plain), on}.decoded<OnTrust>();
    REQUIRE(found.size() == plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      CAPTURE(i);
      bool const is_same = found[i] == plain[i];
      CHECK(is_same);
    }
  });
}

TEST_CASE("nvCOMP: blosc of any level, blocks of any size, and more room than is needed") {
  using namespace of_blosc;
  under_seeds(16, [] {
    for (int const level : {0, 1, 9})
      check_decoded<nvcomp::BloscLz4>(texts, [&](auto const& plain) {
        return blosc(plain, "lz4", "bitshuffle", 2, plain.size() % 5 * 300, level);
      });
    DeviceQueue on{HostQueue{1}};
    CHECK(Batch({}, {}, on).decoded<nvcomp::BloscLz4>().empty());
    CHECK(Batch({blosc("tessera")}, {100}, on).decoded<nvcomp::BloscLz4>()[0] == "tessera");
    CHECK(Batch({blosc(numbers(9000), "zlib")}, {9100}, on).decoded<OnTrust>()[0] == numbers(9000));
    auto empty = blosc("x", "lz4", "shuffle", 4, 0, 0);
    put(empty, 4, 0), put(empty, 12, 17);
    CHECK(Batch({empty}, {10}, on).decoded<nvcomp::BloscLz4>()[0].empty());
  });
}

TEST_CASE("nvCOMP: a blosc chunk that lies is named, and nvCOMP sees nothing of it") {
  using namespace of_blosc;
  under_seeds(8, [] {
    auto const plain = numbers(700);
    auto const good = blosc(plain, "lz4", "shuffle", 4, 256);  // of streams of one block each
    auto const frame = detail::BloscFrame::walk(reinterpret_cast<std::byte const*>(good.data()), good.size());
    REQUIRE(frame.blocks() == 3);
    auto const named = [&](std::string const& damaged, std::string const& because, std::size_t room = 700) {
      check_named<nvcomp::BloscLz4>(damaged, room, good,
                                    "codec blosc: " + std::to_string(damaged.size()) + " bytes do not decode to " +
                                        std::to_string(room) + ": " + because);
    };
    auto const with = [&](std::size_t at, std::uint64_t value, std::size_t bytes = 4) {
      auto changed = good;
      put(changed, at, value, bytes);
      return changed;
    };
    named("", "they end before the frame is complete");
    named(good.substr(0, 15), "they end before the frame is complete");
    named(good.substr(0, good.size() - 1), "they end before the frame is complete");
    named(with(0, 5, 1), "they are a blosc2 chunk, and this codec reads only those of blosc 1");
    named(with(12, 15), "an offset or a size in the frame points outside it");
    named("garbage, garbage, garbage", "they do not start with a frame of this codec");
    named(good, "the frame declares a decoded size of 700", 699);
    named(with(3, 0, 1), "the frame uses a value that the format reserves");
    named(with(8, 0), "the frame uses a value that the format reserves");
    named(with(8, 1), "they end before the frame is complete");
    // Each block's offset, and the size of its stream.
    std::string const outside = "an offset or a size in the frame points outside it";
    for (std::size_t block = 0; block < 3; ++block) {
      auto const in_block = "in block " + std::to_string(block) + ", ";
      auto const offset = 16 + 4 * block, stream = get(good, offset);
      for (std::uint64_t const value : {0u, 27u, 0x7fffffffu, 0xffffffffu})
        named(with(offset, value), in_block + outside);
      named(with(offset, good.size() - 3), in_block + outside);
      for (std::uint64_t const value : {0u, 0x7fffffffu, 0xffffffffu}) named(with(stream, value), in_block + outside);
      named(with(stream, good.size()), in_block + outside);
      if (block == 2) continue;  // random: stored
      named(with(stream, get(good, stream) - 1), in_block + "they end before the frame is complete");
      auto longer = with(stream + 4, 0xf0ffffff);
      named(longer, in_block + "they end before the frame is complete");
    }
  });
}

TEST_CASE("nvCOMP: streams in blosc that are no frames of their format never reach it") {
  using namespace of_blosc;
  under_seeds(8, [] {
    auto const plain = numbers(700);
    auto const named = [&](char const* cname, std::size_t behind, std::uint64_t value, std::size_t bytes,
                           std::string const& because) {
      auto const good = blosc(plain, cname, "shuffle", 4, 0);
      auto damaged = good;
      put(damaged, get(good, 16) + 4 + behind, value, bytes);
      check_named<OnTrust>(
          damaged, 700, good,
          "codec blosc: " + std::to_string(good.size()) + " bytes do not decode to 700: in block 0, " + because);
    };
    named("zstd", 0, 0, 1, "they do not start with a frame of this codec");
    named("zstd", 5, 700 - 256 + 1, 2, "a size in one part of the frame contradicts that of the whole");
    named("zstd", 7, 0xff, 1, "the frame uses a value that the format reserves");
    named("zlib", 0, 0, 1, "they do not start with a frame of this codec");
    named("snappy", 0, 1, 1, "a size in one part of the frame contradicts that of the whole");

    // A zlib stream that is longer than its decoded bytes: that never happens, and the room for its copy has that size.
    auto const stream = encoded_by(test::HostZlib{0}, plain);
    std::string longer{"\2\1\x70\1", 4};
    longer.resize(24);
    put(longer, 4, 700), put(longer, 8, 700), put(longer, 12, 24 + stream.size()), put(longer, 16, 20);
    put(longer, 20, stream.size());
    check_named<OnTrust>(longer + stream, 700, blosc(plain, "zlib"),
                         "codec blosc: " + std::to_string(24 + stream.size()) +
                             " bytes do not decode to 700: in block 0, the frame uses a value that the format "
                             "reserves");
  });
}

TEST_CASE("nvCOMP: what blosc has that is decoded elsewhere is named with where") {
  using namespace of_blosc;
  under_seeds(4, [] {
    auto const plain = numbers(700);
    check_named<OnTrust>(blosc(plain, "blosclz"), 700, blosc(plain, "zstd"),
                         "codec blosc: found blosclz inside blosc, which this implementation does not decode: "
                         "codec::Blosc does, on the host");
    check_named<nvcomp::BloscLz4>(blosc(plain, "zstd"), 700, blosc(plain),
                                  "codec blosc: found zstd inside blosc, which this implementation does not decode: "
                                  "nvcomp::Blosc does");
  });
  DeviceQueue on{HostQueue{1}};
  MemoryStore<HostBuffer> const store;
  auto const refused = [&]<class C>(std::type_identity<C>, char const* cname, char const* because) {
    made(store, Pipeline<space::Host, codec::Bytes, codec::Blosc>{{}, codec::Blosc{cname}}, HostQueue{1});
    check_refused<MetadataError>(
        [&] { (void)open_array<float, 2, Pipeline<space::Device, codec::Bytes, C, ToHost>>(store, "a", on); },
        {"codec blosc", because});
  };
  refused(std::type_identity<OnTrust>{}, "blosclz",
          "nvcomp::Blosc does not decode blosclz: codec::Blosc does, on the host");
  refused(std::type_identity<nvcomp::BloscLz4>{}, "zstd", "nvcomp::BloscLz4 does not decode zstd: nvcomp::Blosc does");
  refused(std::type_identity<nvcomp::BloscLz4>{}, "blosclz",
          "nvcomp::BloscLz4 does not decode blosclz: codec::Blosc does, on the host");
}

TEST_CASE("nvCOMP: arrays that the host wrote with blosc") {
  using namespace of_blosc;
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    for (char const* cname : {"lz4", "zstd", "zlib", "snappy"})
      for (char const* shuffle : {"shuffle", "bitshuffle"}) {
        codec::Blosc const codec{cname, 5, shuffle};
        check_written_by_host<Pipeline<space::Device, codec::Bytes, OnTrust, ToHost>>(
            Pipeline<space::Host, codec::Bytes, codec::Blosc>{{}, codec}, on);
        check_written_by_host<Pipeline<space::Device, codec::Bytes, nvcomp::Blosc, DeviceCrc32c, ToHost>>(
            Pipeline<space::Host, codec::Bytes, codec::Blosc, Crc32c>{{}, codec, {}}, on);
      }
    check_written_by_host<Pipeline<space::Device, codec::Bytes, nvcomp::BloscLz4, ToHost>>(
        Pipeline<space::Host, codec::Bytes, codec::Blosc>{{}, codec::Blosc{"lz4hc"}}, on);
  });
}

TEST_CASE("nvCOMP: a damaged blosc chunk of an array is named by its key") {
  using namespace of_blosc;
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    made(store, Pipeline<space::Host, codec::Bytes, codec::Blosc>{{}, codec::Blosc{"lz4"}}, HostQueue{1})
        .write(all, elements);
    auto damaged = test::value(store, "a/c/11/1", on);
    put(damaged, 16, 12345);
    test::put(store, "a/c/11/1", damaged, on);
    auto const array =
        open_array<float, 2, Pipeline<space::Device, codec::Bytes, nvcomp::BloscLz4, ToHost>>(store, "a", on);
    check_refused<CodecError>([&] { array.on(on).read(all); },
                              {"key \"a/c/11/1\"", "codec blosc: ", "in block 0, an offset or a size in the frame"});
    Box const good{{0, 44}, all};
    CHECK_NOTHROW(array.on(on).read(good));
  });
}

TEST_CASE("nvCOMP: blosc chunks of lz4 damaged anywhere decode to what the host says, or are refused") {
  using namespace of_blosc;
  test::Random random{1};
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    auto const plain = numbers(random(1, 5000), random(0, 99));
    constexpr char const* shuffles[]{"noshuffle", "shuffle", "bitshuffle"};
    auto const good = blosc(plain, "lz4", shuffles[random(0, 2)], random(1, 9), random(0, 2000));
    auto damaged = good;
    for (auto changes = random(1, 3); changes-- > 0;)
      put(damaged,
          random(0, 1) ? random(0, std::min<std::size_t>(damaged.size() - 1, 40)) : random(0, damaged.size() - 1),
          random(0, 255), 1);
    std::string expected;
    DeviceQueue on{HostQueue{1}};
    try {
      expected =
          Batch({good, damaged, good}, std::vector<std::size_t>(3, plain.size()), on).decoded<nvcomp::BloscLz4>()[1];
    } catch (CodecError const& error) {
      CHECK(error.chunk() == 1u);
      continue;
    }
    std::string found(plain.size(), '?');
    found.resize(codec::Blosc{}.decode(test::host_bytes(damaged),
                                       {reinterpret_cast<std::byte*>(found.data()), found.size()}, on.host()));
    bool const is_same = found == expected;
    CHECK(is_same);
  }
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("nvCOMP: launches, copies and waits of blosc do not depend on chunks and blocks") {
  using namespace of_blosc;
  auto const check = [](std::vector<std::string> const& stored, std::size_t launches, std::size_t answers = 2) {
    for (std::size_t const chunks : {1u, 5u, 40u})
      under_seeds(4, [&] {
        CAPTURE(chunks);
        DeviceQueue on{HostQueue{1}};
        std::vector<std::string> all;
        for (std::size_t i = 0; i < chunks; ++i) all.insert(all.end(), stored.begin(), stored.end());
        std::vector<std::size_t> const rooms(all.size(), 9000);
        Batch first{all, rooms, on};
        first.decoded<OnTrust>();
        Batch tried{all, rooms, on};
        emulation::Watch const watch;
        decode_batch(OnTrust{}, {}, std::span{tried.tasks}, on);
        std::size_t const tables = all.size() > 100 ? 1 : 0;  // of the placing that joins them
        test::check_calls(watch, {.launches = launches,
                                  .there = 2 + tables,
                                  .back = answers,
                                  .waits = 2,
                                  .most = 13 + launches + 5 * tables});
      });
  };
  auto const plain = numbers(9000);
  check({blosc(plain, "lz4", "shuffle", 4, 512)}, 4);
  check({blosc(plain, "zlib", "bitshuffle", 4, 512)}, 5);
  check({blosc(plain, "lz4", "shuffle", 4, 0, 0)}, 2, 1);  // stored: headers, and the copying launches
  check({blosc(plain, "lz4"), blosc(plain, "zlib"), blosc(plain, "zstd"), blosc(plain, "snappy")}, 8);
}

TEST_CASE("the k-th call fails: a batch of blosc, and the next one on the queue is as if it had not") {
  using namespace of_blosc;
  std::vector<std::string> plain, stored;
  for (std::size_t const size : {9000u, 300u, 20000u}) {
    plain.push_back(numbers(size));
    stored.push_back(blosc(plain.back(), "zlib", "shuffle", 4, 512));
  }
  auto const other = blosc(numbers(100), "lz4");
  for (std::uint64_t const seed : {0u, 15u}) {
    CAPTURE(seed);
    emulation::seed(seed);
    std::size_t k = 0;
    for (bool failed = true; failed; ++k) {
      CAPTURE(k);
      {
        DeviceQueue on{HostQueue{1}};
        Batch first{stored, sizes_of(plain), on};
        on.wait();
        emulation::fail(k);
        try {
          decode_batch(OnTrust{}, {}, std::span{first.tasks}, on);
        } catch (Error const& error) {
          std::string const what = error.what();
          CAPTURE(what);
          CHECK(emulation::has_failed());
        }
        failed = emulation::has_failed();
        auto const call = std::string{failed ? emulation::failed_call() : ""};
        CAPTURE(call);
        emulation::fail_nothing();
        CHECK(Batch({other, other}, {100, 100}, on).decoded<OnTrust>()[1] == numbers(100));
      }
      test::check_nothing_left();
    }
    CHECK(k > 20);
  }
}

TEST_CASE("the k-th call fails: arrays of blosc that nvCOMP decodes") {
  using namespace of_blosc;
  using P = Pipeline<space::Device, codec::Bytes, nvcomp::Blosc, DeviceCrc32c, ToHost>;
  MemoryStore<HostBuffer> const store;
  made(store, Pipeline<space::Host, codec::Bytes, codec::Blosc, Crc32c>{{}, codec::Blosc{"zlib"}, {}}, HostQueue{1})
      .write(all, elements);
  std::size_t k = 0;
  for (bool failed = true; failed; ++k) {
    CAPTURE(k);
    REQUIRE(k < 2000);
    {
      DeviceQueue on{HostQueue{1 + k % 2}};
      auto const array = open_array<float, 2, P>(store, "a", on);
      auto memory = test::on_device<float, 2>(std::vector<float>(elements.size()), shape, on);
      emulation::fail(k);
      try {
        array.read(all, memory, ReadOptions{.mini_batch = 20}).wait();
      } catch (Error const& error) {
        std::string_view const what = error.what();
        CAPTURE(what);
        CHECK(emulation::has_failed());
        bool const is_named = what.find(emulation::failed_call()) != what.npos ||
                              what.find("a kernel launch") != what.npos ||
                              what.find("DecompressAsync: an error of CUDA") != what.npos;
        CHECK(is_named);
      }
      failed = emulation::has_failed();
      emulation::fail_nothing();
      CHECK(test::on_host(array.on(on).read(all), on) == elements);
    }
    test::check_nothing_left();
  }
  CHECK(k > 30);
}

#endif

}  // namespace nvcomp_tests
