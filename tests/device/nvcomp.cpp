// zstd, gzip and numcodecs' lz4 decoded in device memory: bit for bit the input of the host's encoders, at a cost in
// calls that does not grow with a mini-batch's chunks; an invalid chunk among good ones is named.
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <device/nvcomp_batch.hpp>
#include <support/host_lz4.hpp>
#include <support/refused.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>

namespace nvcomp_tests {

using namespace tessera;
using codec::Bytes, codec::Crc32c, codec::DeviceCrc32c, codec::Transpose;
using test::check_refused, test::DeviceQueue, test::HostLz4, test::HostQueue, test::under_seeds;

namespace {

std::string zstd(std::string const& plain, int level = 3, bool checksum = false) {
  return encoded_by(codec::Zstd{level, checksum}, plain);
}
std::string lz4(std::string const& plain) { return encoded_by(HostLz4{}, plain); }
std::string gzip(std::string const& plain) { return encoded_by(codec::Gzip{}, plain); }

}  // namespace

TEST_CASE("nvCOMP: the bytes that the host's encoders were given, of any size, at any address") {
  under_seeds(16, [] {
    check_decoded<nvcomp::Zstd>(texts, [](auto const& plain) { return zstd(plain); });
    check_decoded<nvcomp::Lz4>(texts, lz4);
    check_decoded<nvcomp::Gzip>(texts, gzip);
  });
  for (int const level : {-7, 1, 19})
    check_decoded<nvcomp::Zstd>(texts, [&](auto const& plain) { return zstd(plain, level, true); });
  DeviceQueue on{HostQueue{1}};
  CHECK(Batch({}, {}, on).decoded<nvcomp::Zstd>().empty());
  CHECK(Batch({zstd("tessera")}, {100}, on).decoded<nvcomp::Zstd>()[0] == "tessera");  // more room than is needed
}

TEST_CASE("nvCOMP: a chunk whose frame is not sound is named, and never reaches it") {
  under_seeds(8, [] {
    auto const plain = test::long_text(700);
    auto const frame = zstd(plain);
    auto const named = [&](std::string const& damaged, std::string const& because, std::size_t room = 700) {
      check_named<nvcomp::Zstd>(damaged, room, frame,
                                "codec zstd: " + std::to_string(damaged.size()) + " bytes do not decode to " +
                                    std::to_string(room) + ": " + because);
    };
    named("", "they end before the frame is complete");
    named(frame.substr(0, frame.size() - 1), "they end before the frame is complete");
    named("garbage", "they do not start with a frame of this codec");
    named(frame + frame, "more data follows the first frame, and this program's implementation decodes only one");
    named(frame, "the frame declares a decoded size of 700", 699);
    auto reserved = frame;
    reserved[4] = static_cast<char>(reserved[4] | 8);
    named(reserved, "the frame uses a value that the format reserves");

    auto const member = gzip(plain);
    check_named<nvcomp::Gzip>(member, 699, member,
                              "codec gzip: " + std::to_string(member.size()) +
                                  " bytes do not decode to 699: the frame declares a decoded size of 700");
    check_named<nvcomp::Gzip>(
        "garbage", 700, member,
        "codec gzip: 7 bytes do not decode to 700: they do not start with a frame of this codec");
  });
}

TEST_CASE("nvCOMP: damaged LZ4 never reaches it") {
  under_seeds(8, [] {
    auto const frame = lz4(test::long_text(700));
    std::string const ends = "they end before the frame is complete",
                      another = "a size in one part of the frame contradicts that of the whole";
    auto const named = [&](std::string const& damaged, std::string const& because, std::size_t room = 700) {
      check_named<nvcomp::Lz4>(damaged, room, frame,
                               "codec numcodecs.lz4: " + std::to_string(damaged.size()) + " bytes do not decode to " +
                                   std::to_string(room) + ": " + because);
    };
    named("abc", ends);
    named(frame, "the frame declares a decoded size of 700", 699);
    named(frame.substr(0, frame.size() - 1), ends);
    named(std::string{"\xbc\x02\0\0\xff\xff", 6}, ends);
    auto shorter = frame;
    shorter[0] = static_cast<char>(shorter[0] - 1);
    named(shorter, another, 699);
    auto longer = frame;
    longer[0] = static_cast<char>(longer[0] + 1);
    named(longer, another, 701);
  });
}

TEST_CASE("nvCOMP: arrays that the host wrote, checked or trusted") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{2}};
    using Zstd = Pipeline<space::Host, Bytes, codec::Zstd>;
    using Checked = Pipeline<space::Host, Bytes, codec::Zstd, Crc32c>;
    check_written_by_host<Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, ToHost>>(Zstd{}, on);
    check_written_by_host<Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c, ToHost>>(Checked{}, on);
    check_written_by_host<Pipeline<space::Device, Bytes, nvcomp::Zstd, ToHost, Crc32c>>(Checked{}, on);
    check_written_by_host<Pipeline<space::Device, Bytes, nvcomp::Lz4, ToHost>>(Pipeline<space::Host, Bytes, HostLz4>{},
                                                                               on);
    check_written_by_host<Pipeline<space::Device, Bytes, nvcomp::Gzip, DeviceCrc32c, ToHost>>(
        Pipeline<space::Host, Bytes, codec::Gzip, Crc32c>{}, on);
  });
}

TEST_CASE("nvCOMP: behind other codecs, in other orders of bytes and axes, one compressor behind another") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    Transpose const transpose{{1, 0}};
    Bytes const big{std::endian::big};
    check_written_by_host<Pipeline<space::Device, Transpose, Bytes, Trusted<nvcomp::Zstd>, ToHost>>(
        Pipeline<space::Host, Transpose, Bytes, codec::Zstd>{transpose, big, {}}, on);
    check_written_by_host<Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, nvcomp::Lz4, DeviceCrc32c, ToHost>>(
        Pipeline<space::Host, Bytes, codec::Zstd, HostLz4, Crc32c>{}, on);
    check_written_by_host<Pipeline<space::Device, Bytes, DeviceCrc32c, nvcomp::Lz4, ToHost>>(
        Pipeline<space::Host, Bytes, Crc32c, HostLz4>{}, on);
    check_written_by_host<Pipeline<space::Device, Bytes, nvcomp::Lz4, ToHost, codec::Zstd>>(  // half of it on each side
        Pipeline<space::Host, Bytes, HostLz4, codec::Zstd>{}, on);
  });
}

TEST_CASE("nvCOMP: chunks that zarr-python wrote") {
  DeviceQueue on{HostQueue{1}};
  check_of_zarr_python<Pipeline<space::Device, Bytes, nvcomp::Lz4, ToHost>>(
      R"({"name": "numcodecs.lz4", "configuration": {"acceleration": 1}})",
      "3c000000130001001301020013020200130302001304020013050200c0060006000600060007000700", on);
  check_of_zarr_python<Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c, ToHost>>(
      R"({"name": "zstd", "configuration": {"level": 3, "checksum": false}}, {"name": "crc32c"})",
      "28b52ffd203ced0000600000010203040506070007000700200bc80732035940be5c66036803c3c48073", on);
  check_of_zarr_python<Pipeline<space::Device, Bytes, nvcomp::Gzip, ToHost, Crc32c>>(
      R"({"name": "gzip", "configuration": {"level": 6}}, {"name": "crc32c"})",
      "1f8b08007ead056b00ff63608000462864824266286481425628648342762004009ee268af3c000000f6cb421d", on);
}

TEST_CASE("nvCOMP: inner chunks of shards") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    using OfHost = codec::Sharding<Pipeline<space::Host, Bytes, codec::Zstd, Crc32c>>;
    NewArray<float> const wanted{.shape = shape, .chunks = {16, 90}, .overwrite = true};
    create_array<float, 2>(store, "a", wanted, Pipeline<space::Host, OfHost>{OfHost{.chunk_shape = {4, 45}}},
                           HostQueue{1})
        .write(all, elements);
    using Inner = Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c, ToHost>;
    check_read<Pipeline<space::Device, codec::Sharding<Inner>>>(store, on);
  });
}

namespace {

// Documents and values of the host's array "a", the values in device memory.
auto copied_to_device(MemoryStore<HostBuffer> const& host, DeviceQueue& on) {
  MemoryStore<DeviceBuffer> values;
  host.list("a/c", [&](Listed const& listed) {
    std::string const key{listed.path};
    test::put(values, key, test::value(host, key, on), on);
  });
  return SplitStore{host, values};
}

}  // namespace

TEST_CASE("nvCOMP: in a store of device memory, by codecs that the document names") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const host;
    using First =
        AnyPipeline<space::Device, space::Device, Codecs<Bytes, codec::Zstd, nvcomp::Zstd, Crc32c, DeviceCrc32c>>;
    made(host, Pipeline<space::Host, Bytes, codec::Zstd, Crc32c>{}, HostQueue{1}).write(all, elements);
    check_read<First>(copied_to_device(host, on), on);
    check_read<First>(SplitStore{host, CastStore<DeviceBuffer, MemoryStore<HostBuffer>>{host}}, on);
    // Unchecked only by request.
    made(host, Pipeline<space::Host, Bytes, codec::Zstd>{}, HostQueue{1}).write(all, elements);
    using OnTrust = AnyPipeline<space::Device, space::Device, Codecs<Bytes, Trusted<nvcomp::Zstd>, nvcomp::Zstd>>;
    check_read<OnTrust>(copied_to_device(host, on), on);
    check_refused<MetadataError>(
        [&] { (void)open_array<float, 2, First>(copied_to_device(host, on), "a", on); },
        {"member codecs", "zstd", "no crc32c directly after it checks them", "nvcomp::Trusted<...>"});
  });
}

TEST_CASE("nvCOMP: a damaged chunk of an array is named by its key") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    made(store, Pipeline<space::Host, Bytes, codec::Zstd>{}, HostQueue{1}).write(all, elements);
    auto const sound = test::value(store, "a/c/11/1", on);
    using P = Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, ToHost>;
    auto const array = open_array<float, 2, P>(store, "a", on);
    auto const refused = [&](std::string const& value, char const* because) {
      test::put(store, "a/c/11/1", value, on);
      check_refused<CodecError>([&] { array.on(on).read(all); }, {"key \"a/c/11/1\"", because});
      Box const good{{0, 44}, all};
      CHECK_NOTHROW(array.on(on).read(good));
    };
    refused(sound.substr(0, 100), "codec zstd: 100 bytes do not decode to 720: they end before the frame is complete");
    refused(zstd(std::string(719, 'x')), "found 719 bytes of elements, expected 720");
    refused(zstd(std::string(721, 'x')), "the frame declares a decoded size of 721");
    test::put(store, "a/c/11/1", sound, on);
    CHECK(test::on_host(array.on(on).read(all), on) == elements);
  });
}

TEST_CASE("nvCOMP: damage that no frame shows is found by the checksum before it") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    made(store, Pipeline<space::Host, Bytes, codec::Zstd, Crc32c>{}, HostQueue{1}).write(all, elements);
    auto damaged = test::value(store, "a/c/11/1", on);
    damaged[60] = static_cast<char>(damaged[60] ^ 1);
    test::put(store, "a/c/11/1", damaged, on);
    auto const check = [&]<class P>(std::type_identity<P>) {
      auto const array = open_array<float, 2, P>(store, "a", on);
      check_refused<CodecError>([&] { array.on(on).read(all); },
                                {"key \"a/c/11/1\"", "codec crc32c: the checksum of the bytes is "});
    };
    check(std::type_identity<Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c, ToHost>>{});
    check(std::type_identity<Pipeline<space::Device, Bytes, nvcomp::Zstd, ToHost, Crc32c>>{});
  });
}

#if defined(TESSERA_CUDA_EMULATION)

namespace {

template <class C>
void check_counts(std::string const& stored) {
  for (std::size_t const chunks : {1u, 4u, 20u, 200u}) {
    CAPTURE(chunks);
    under_seeds(8, [&] {
      DeviceQueue on{HostQueue{1}};
      auto const batch = [&](std::size_t count) {
        return Batch{std::vector<std::string>(count, stored), std::vector<std::size_t>(count, 700), on};
      };
      auto first = batch(chunks), tried = batch(chunks - chunks / 4);
      first.template decoded<C>();  // the largest: an array's last one is smaller
      emulation::Watch const watch;
      decode_batch(C{}, {}, std::span{tried.tasks}, on);
      test::check_calls(watch, {.launches = 2, .there = 1, .back = 1, .waits = 1, .most = 9});
    });
  }
}

}  // namespace

TEST_CASE("nvCOMP: launches, copies and waits of a mini-batch do not depend on its number of chunks") {
  check_counts<nvcomp::Zstd>(zstd(test::long_text(700)));
  check_counts<nvcomp::Lz4>(lz4(test::long_text(700)));
  check_counts<nvcomp::Gzip>(gzip(test::long_text(700)));
}

TEST_CASE("nvCOMP: works in the queue's context, and not on the thread's current device") {
  under_seeds(8, [] {
    emulation::set({.devices = 2});
    {
      cudaSetDevice(1);
      DeviceQueue on{HostQueue{2}};
      cudaSetDevice(0);
      check_written_by_host<Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, ToHost>>(
          Pipeline<space::Host, Bytes, codec::Zstd>{}, on);
    }
    emulation::set({});
  });
}

TEST_CASE("the k-th call fails: arrays that nvCOMP decodes") {
  auto const check = [&]<class P, class Written>(std::type_identity<P>, Written const& written) {
    for (std::uint64_t const seed : {0u, 15u}) {
      CAPTURE(seed);
      emulation::seed(seed);
      MemoryStore<HostBuffer> const store;
      made(store, written, HostQueue{1}).write(all, elements);
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
            auto const call = emulation::failed_call();
            bool const is_named = what.find(call) != what.npos || what.find("a kernel launch") != what.npos ||
                                  what.find("DecompressAsync: an error of CUDA") != what.npos;
            CHECK(is_named);
          }
          failed = emulation::has_failed();
          emulation::fail_nothing();
          CHECK(test::on_host(array.on(on).read(all), on) == elements);
          CHECK(cudaGetLastError() == cudaSuccess);
        }
        test::check_nothing_left();
      }
      CHECK(k > 20);
    }
  };
  check(std::type_identity<Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c, ToHost>>{},
        Pipeline<space::Host, Bytes, codec::Zstd, Crc32c>{});
  check(std::type_identity<Pipeline<space::Device, Bytes, nvcomp::Lz4, ToHost>>{},
        Pipeline<space::Host, Bytes, HostLz4>{});
}

#endif

}  // namespace nvcomp_tests
