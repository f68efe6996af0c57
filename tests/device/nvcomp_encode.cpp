// zstd, gzip and numcodecs' lz4 encoded in device memory: decoded by the host and by the device, at a cost in calls
// that does not grow with a mini-batch's chunks; invalid input is refused in one line.
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <device/encode_batch.hpp>
#include <support/document.hpp>
#include <support/host_lz4.hpp>
#include <support/refused.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/with/nvcomp.cuh>

namespace nvcomp_encode_tests {

using namespace tessera;
using codec::Bytes, codec::Crc32c, codec::DeviceCrc32c, codec::Transpose;
using nvcomp::Trusted;
using test::check_refused, test::decoded_by, test::DeviceQueue, test::HostLz4, test::HostQueue, test::noise,
    test::under_seeds;

namespace {

std::vector<std::string> const texts = [] {
  std::vector<std::string> result;
  for (std::size_t const size : {1u, 2u, 3u, 17u, 256u, 700u, 4097u, 70000u}) {
    result.push_back(test::long_text(size, static_cast<std::uint32_t>(size)));
    result.push_back(noise(size));
  }
  result.push_back(std::string(300000, 'z'));
  result.push_back(test::long_text(300001));
  return result;
}();

// Checks that the host's codec decodes it to the original; and the device's.
template <class Host, class C>
void check_encoded(C const& codec, std::size_t apart, std::size_t room_apart) {
  CAPTURE(apart);
  DeviceQueue on{HostQueue{1}};
  test::EncodeBatch<C> batch{codec, texts, apart, room_apart, on};
  auto const found = batch.encoded();
  REQUIRE(found.size() == texts.size());
  std::string room;
  for (auto const& plain : texts) room += plain;
  auto back = test::made<DeviceBuffer>(std::string(room.size(), '?'), on);
  std::vector<CodecTask<space::Device>> tasks;
  std::size_t at = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(texts[i].size());
    bool const is_same = decoded_by(Host{}, found[i], texts[i].size()) == texts[i];  // too long to print
    CHECK(is_same);
    auto const encoded = ByteView<space::Device>{batch.tasks[i].to.data, batch.tasks[i].size};
    tasks.push_back({encoded, back.span().sub(at, texts[i].size())});
    at += texts[i].size();
  }
  decode_batch(C{}, {}, std::span{tasks}, on);
  bool const is_same = test::text(back.view(), on) == room;
  CHECK(is_same);
}

}  // namespace

TEST_CASE("nvCOMP encodes: chunks of any size, at any address, that shrink or do not") {
  under_seeds(16, [] {
    for (std::size_t const apart : {0u, 1u}) {
      check_encoded<codec::Zstd>(nvcomp::Zstd{}, apart, 3);
      check_encoded<HostLz4>(nvcomp::Lz4{}, apart, 3);
      check_encoded<codec::Gzip>(nvcomp::Gzip{}, apart, 8);
    }
  });
  for (int level = 1; level <= 9; ++level) {
    nvcomp::Gzip codec;
    codec.level = level;
    check_encoded<codec::Gzip>(codec, 0, 8);
  }
}

namespace {

template <class C>
void check_refused_batch(C const& codec, std::vector<CodecTask<space::Device>> tasks, DeviceQueue& on,
                         std::string const& expected) {
  CAPTURE(expected);
  try {
    encode_batch(codec, {}, std::span{tasks}, on);
    FAIL_CHECK("nothing was thrown");
  } catch (CodecError const& error) {
    CHECK(error.chunk() == 1u);
    CHECK(error.what() == expected);
  }
}

}  // namespace

TEST_CASE("nvCOMP encodes: what it does not encode is named, and nothing is launched") {
  under_seeds(2, [] {
    DeviceQueue on{HostQueue{1}};
    auto const memory = test::made<DeviceBuffer>(test::long_text(1000), on);
    auto to = test::made<DeviceBuffer>(std::string(400000, '?'), on);
    ByteView<space::Device> const view = memory.view();
    auto const pair = [&](ByteView<space::Device> second, ByteSpan<space::Device> room) {
      return std::vector<CodecTask<space::Device>>{{view.sub(0, 700), to.span().sub(0, 80000)}, {second, room}};
    };
    auto const room = to.span().sub(80000, 320000);
    ByteView<space::Device> const large{view.data, (std::size_t{1} << 24) + 1};
    ByteSpan<space::Device> const large_room{room.data, std::size_t{1} << 30};
    std::string const too_large =
        "nvCOMP encodes at most 16777216 bytes per chunk, found 16777217: make chunks "
        "smaller, or write with the host codec";
    check_refused_batch(nvcomp::Zstd{}, pair(large, large_room), on, "codec zstd: " + too_large);
    check_refused_batch(nvcomp::Lz4{}, pair(large, large_room), on, "codec numcodecs.lz4: " + too_large);
    check_refused_batch(nvcomp::Gzip{}, pair(view.sub(0, 0), room), on,
                        "codec gzip: nvCOMP cannot encode a chunk of 0 bytes");
    check_refused_batch(nvcomp::Lz4{}, pair(view.sub(0, 10), room.sub(0, 100)), on, [&] {
      std::size_t most = 0;
      (void)nvcompBatchedLZ4CompressGetMaxOutputChunkSize(700, {NVCOMP_TYPE_CHAR, NVCOMP_BITSHUFFLE_NONE, {}}, &most);
      return "codec numcodecs.lz4: nvCOMP needs room for " + std::to_string(4 + most) +
             " bytes per chunk, found 100";
    }());
    check_refused_batch(nvcomp::Gzip{}, pair(view.sub(0, 10), room.sub(4, 200000)), on,
                        "codec gzip: nvCOMP needs output memory aligned to 8 bytes, and this one is not");
    std::vector<CodecTask<space::Device>> none;
    CHECK_NOTHROW(encode_batch(nvcomp::Zstd{}, {}, std::span{none}, on));
  });
}

namespace {

using ToHost = CastTo<space::Host>;

using test::in_chunks::chunk_shape, test::in_chunks::elements, test::in_chunks::made, test::in_chunks::shape;

// The same numbers, of bytes modulo 256.
template <class T>
std::vector<T> elements_as() {
  std::vector<T> result;
  for (auto const element : elements) result.push_back(static_cast<T>(static_cast<std::int64_t>(element)));
  return result;
}

template <class P, class T = float, class S>
std::vector<T> read_on_host(S const& store) {
  auto const found = open_array<T, 2, P>(store, "a").read(all);
  return {found.data(), found.data() + found.size()};
}

// Written on the device; returns the elements that the host reads through that pipeline.
template <class OnHost, class T = float, class P, class S>
void check_written(S const& store, P const& pipeline, DeviceQueue& on, Extents const& chunks = chunk_shape,
                   WriteOptions const& options = {}) {
  auto const values = elements_as<T>();
  auto const array = made<T>(store, pipeline, on, chunks);
  auto const memory = test::on_device<T, 2>(values, shape, on);
  array.write(all, memory, options).wait();
  bool const is_same = read_on_host<OnHost, T>(store) == values;
  CHECK(is_same);
  CHECK(test::on_host(array.on(on).read(all), on) == values);
  // Part of a chunk: read, changed and written.
  Box const part{{3, 6}, {10, 80}};
  array.write(part, test::on_device<T, 2>(std::vector<T>(3 * 70, T{7}), {3, 70}, on)).wait();
  auto expected = values;
  for (std::size_t i = 3; i < 6; ++i)
    for (std::size_t j = 10; j < 80; ++j) expected[i * 90 + j] = T{7};
  bool const is_changed = read_on_host<OnHost, T>(store) == expected;
  CHECK(is_changed);
}

}  // namespace

TEST_CASE("nvCOMP encodes: arrays that the host reads") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    using OfZstd = Pipeline<space::Host, Bytes, codec::Zstd>;
    check_written<OfZstd>(store, Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, ToHost>{}, on);
    check_written<OfZstd>(store, Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, ToHost>{}, on, chunk_shape,
                          WriteOptions{.mini_batch = 7});
    check_written<Pipeline<space::Host, Bytes, codec::Zstd, Crc32c>>(
        store, Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c, ToHost>{}, on);
    check_written<Pipeline<space::Host, Bytes, HostLz4>>(store, Pipeline<space::Device, Bytes, nvcomp::Lz4, ToHost>{},
                                                         on);
    check_written<Pipeline<space::Host, Bytes, codec::Gzip, Crc32c>>(
        store, Pipeline<space::Device, Bytes, nvcomp::Gzip, ToHost, Crc32c>{}, on);
    // Chunks of 45 bytes: most begin where nvCOMP's zstd does not read.
    check_written<OfZstd, std::uint8_t>(store, Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, ToHost>{}, on,
                                        {9, 5});
  });
}

TEST_CASE("nvCOMP encodes: behind other codecs, in other orders of bytes and axes, one compressor behind another") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    Transpose const transpose{{1, 0}};
    Bytes const big{std::endian::big};
    check_written<Pipeline<space::Host, Transpose, Bytes, codec::Zstd>>(
        store, Pipeline<space::Device, Transpose, Bytes, Trusted<nvcomp::Zstd>, ToHost>{transpose, big, {}, {}}, on);
    check_written<Pipeline<space::Host, Bytes, codec::Zstd, HostLz4, Crc32c>>(
        store, Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, nvcomp::Lz4, DeviceCrc32c, ToHost>{}, on);
    check_written<Pipeline<space::Host, Bytes, Crc32c, HostLz4, codec::Zstd, Crc32c>>(
        store, Pipeline<space::Device, Bytes, DeviceCrc32c, nvcomp::Lz4, nvcomp::Zstd, DeviceCrc32c, ToHost>{}, on);
    check_written<Pipeline<space::Host, Bytes, HostLz4, codec::Gzip, Crc32c>>(
        store, Pipeline<space::Device, Bytes, nvcomp::Lz4, nvcomp::Gzip, DeviceCrc32c, ToHost>{}, on);
  });
}

TEST_CASE("nvCOMP encodes: in the device's own memory and files, by codecs that the document names") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    test::TemporaryFolder folder;
    auto const files = test::files_of_the_device(folder.path().string());
    using Known = AnyPipeline<space::Device, space::Device, Codecs<Bytes, codec::Zstd, nvcomp::Zstd, DeviceCrc32c>>;
    auto const pipeline = Known::from(std::vector<Specification>{
        specification_of(Bytes{}), specification_of(nvcomp::Zstd{}), specification_of(DeviceCrc32c{})});
    auto const memory = test::on_device<float, 2>(elements, shape, on);
    made(files, pipeline, on).write(all, memory).wait();
    LocalStore<HostBuffer> const of_host{folder.path().string()};
    CHECK(read_on_host<Pipeline<space::Host, Bytes, codec::Zstd, Crc32c>>(of_host) == elements);
    CHECK(test::on_host(open_array<float, 2, Known>(files, "a", on).read(all), on) == elements);
  });
}

TEST_CASE("nvCOMP encodes: inner chunks of shards") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    NewArray<float> const wanted{.shape = shape, .chunks = {16, 90}, .overwrite = true};
    using OfHost = codec::Sharding<Pipeline<space::Host, Bytes, codec::Zstd, Crc32c>>;
    auto const memory = test::on_device<float, 2>(elements, shape, on);
    auto const check = [&]<class Inner>(std::type_identity<Inner>, auto const& store, auto const& of_host) {
      using Shard = codec::Sharding<Inner>;
      auto const array =
          create_array<float, 2>(store, "a", wanted, Pipeline<space::Device, Shard>{Shard{.chunk_shape = {4, 45}}}, on);
      array.write(all, memory).wait();
      CHECK(read_on_host<Pipeline<space::Host, OfHost>>(of_host) == elements);
      CHECK(test::on_host(array.on(on).read(all), on) == elements);
      Box const part{{3, 6}, {10, 80}};
      array.write(part, test::on_device<float, 2>(std::vector<float>(3 * 70, 7.f), {3, 70}, on)).wait();
      auto expected = elements;
      for (std::size_t i = 3; i < 6; ++i)
        for (std::size_t j = 10; j < 80; ++j) expected[i * 90 + j] = 7.f;
      CHECK(read_on_host<Pipeline<space::Host, OfHost>>(of_host) == expected);
    };
    MemoryStore<HostBuffer> const store;
    check(std::type_identity<Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c, ToHost>>{}, store, store);
    test::TemporaryFolder folder;
    check(std::type_identity<Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c>>{},
          test::files_of_the_device(folder.path().string()), LocalStore<HostBuffer>{folder.path().string()});
  });
}

TEST_CASE("nvCOMP encodes: what a configuration says and nvCOMP does not write is refused, and read all the same") {
  under_seeds(2, [] {
    DeviceQueue on{HostQueue{1}};
    MemoryStore<HostBuffer> const store;
    auto const memory = test::on_device<float, 2>(elements, shape, on);
    auto const check = [&]<class C, class Host>(C const& codec, Host const& same, std::string const& expected) {
      using P = Pipeline<space::Device, Bytes, C, DeviceCrc32c, ToHost>;
      auto const named = "key \"a/zarr.json\": codec " + std::string{C::name} + ": " + expected;
      auto const refused = [&](auto&& f) {
        check_refused<CodecError>(f, {named.c_str(), "write it with the host codec"});
      };
      erase_node(store, "a");
      refused([&] { made(store, P{{}, codec, {}, {}}, on); });
      CHECK_FALSE(exists(store, "a"));  // refused before any work
      made(store, Pipeline<space::Host, Bytes, Host, Crc32c>{{}, same, {}}, HostQueue{1}).write(all, elements);
      auto const opened = open_array<float, 2, P>(store, "a", on);
      refused([&] { opened.write(all, memory).wait(); });
      refused([&] { (void)opened.append(memory); });
      CHECK(test::on_host(open_array<float, 2, P>(store, "a", on).read(all), on) == elements);
    };
    nvcomp::Zstd zstd;
    zstd.level = 3;
    check(zstd, codec::Zstd{3}, "member level: found 3, nvCOMP writes only 0, the implementation's default;");
    zstd.level = 0, zstd.checksum = true;
    check(zstd, codec::Zstd{0, true}, "member checksum: found true, nvCOMP writes only false;");
    nvcomp::Gzip gzip;
    gzip.level = 0;
    check(gzip, codec::Gzip{0}, "member level: found 0, nvCOMP writes 1 to 9;");
    nvcomp::Lz4 lz4;
    lz4.acceleration = 9;
    check(lz4, HostLz4{9}, "member acceleration: found 9, nvCOMP writes only 1, the default;");
  });
}

#if defined(TESSERA_CUDA_EMULATION)

namespace {

template <class C>
void check_counts(std::size_t size, std::size_t launches, std::size_t launches_of_one) {
  for (std::size_t const chunks : {1u, 4u, 20u, 90u}) {
    CAPTURE(chunks);
    under_seeds(8, [&] {
      DeviceQueue on{HostQueue{1}};
      auto const batch = [&](std::size_t count) {
        return test::EncodeBatch<C>{C{}, std::vector<std::string>(count, test::long_text(size)), 0, 0, on};
      };
      auto first = batch(chunks), tried = batch(chunks - chunks / 4);
      first.encode();  // the largest: an array's last one is smaller
      emulation::Watch const watch;
      tried.encode();
      auto const expected = chunks == 1 ? launches_of_one : launches;
      test::check_calls(watch, {.launches = expected, .there = 1, .back = 1, .waits = 1, .most = 12});
    });
  }
}

}  // namespace

TEST_CASE("nvCOMP encodes: launches, copies and waits of a mini-batch do not depend on its number of chunks") {
  check_counts<nvcomp::Zstd>(700, 1, 1);
  check_counts<nvcomp::Zstd>(701, 2, 1);  // all but the first lie where nvCOMP does not read
  check_counts<nvcomp::Lz4>(701, 2, 2);
  check_counts<nvcomp::Gzip>(701, 1, 1);
}

TEST_CASE("nvCOMP encodes: works in the queue's context, and not on the thread's current device") {
  under_seeds(8, [] {
    emulation::set({.devices = 2});
    {
      cudaSetDevice(1);
      DeviceQueue on{HostQueue{2}};
      cudaSetDevice(0);
      MemoryStore<HostBuffer> const store;
      check_written<Pipeline<space::Host, Bytes, codec::Zstd>>(
          store, Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, ToHost>{}, on);
    }
    emulation::set({});
  });
}

TEST_CASE("the k-th call fails: arrays that nvCOMP encodes") {
  auto const check = [&]<class P, class OnHost, class T>(std::type_identity<P>, std::type_identity<OnHost>, T,
                                                         Extents const& chunks) {
    auto const values = elements_as<T>();
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
          auto const array = made<T>(store, P{}, on, chunks);
          auto const memory = test::on_device<T, 2>(values, shape, on);
          emulation::fail(k);
          try {
            array.write(all, memory, WriteOptions{.mini_batch = 20}).wait();
          } catch (Error const& error) {
            std::string_view const what = error.what();
            CAPTURE(what);
            CHECK(emulation::has_failed());
            auto const call = emulation::failed_call();
            bool const is_named = what.find(call) != what.npos || what.find("a kernel launch") != what.npos ||
                                  what.find("CompressAsync: an error of CUDA") != what.npos;
            CHECK(is_named);
          }
          failed = emulation::has_failed();
          emulation::fail_nothing();
          array.write(all, memory).wait();
          bool const is_same = read_on_host<OnHost, T>(store) == values;
          CHECK(is_same);
          CHECK(cudaGetLastError() == cudaSuccess);
        }
        test::check_nothing_left();
      }
      CHECK(k > 20);
    }
  };
  check(std::type_identity<Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c, ToHost>>{},
        std::type_identity<Pipeline<space::Host, Bytes, codec::Zstd, Crc32c>>{}, 0.f, chunk_shape);
  check(std::type_identity<Pipeline<space::Device, Bytes, Trusted<nvcomp::Zstd>, ToHost>>{},
        std::type_identity<Pipeline<space::Host, Bytes, codec::Zstd>>{}, std::uint8_t{}, {9, 15});
  check(std::type_identity<Pipeline<space::Device, Bytes, nvcomp::Lz4, ToHost>>{},
        std::type_identity<Pipeline<space::Host, Bytes, HostLz4>>{}, 0.f, chunk_shape);
}

#endif

}  // namespace nvcomp_encode_tests
