// crc32c in device memory, by kernels: its bytes equal those of the host's codec, a mini-batch costs the same for any
// number of chunks, and a damaged chunk among good ones is named.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <device/codec_batches.hpp>
#include <support/document.hpp>
#include <support/refused.hpp>
#include <tessera/any_spaces.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>

namespace crc32c_tests {

using namespace tessera;
using codec::Bytes, codec::Crc32c, codec::DeviceCrc32c;
using test::check_refused, test::DeviceQueue, test::HostQueue, test::under_seeds;

namespace {

std::string encoded_by_host(std::string const& plain) {
  HostQueue on{1};
  std::string result(plain.size() + 4, '?');
  Crc32c{}.encode(test::host_bytes(plain), {reinterpret_cast<std::byte*>(result.data()), result.size()}, on);
  return result;
}

// The chunks of a batch in one allocation, consecutive after an odd byte, and memory of the same size for the results.
class Batch {
 public:
  Batch(std::vector<std::string> const& chunks, std::size_t more, DeviceQueue& on) : on_{on} {
    std::string all;
    std::size_t room = 3;
    for (auto const& chunk : chunks) {
      all += "#" + chunk;
      room += chunk.size() + more + 3;
    }
    from_ = test::made<DeviceBuffer>(all, on);
    to_ = test::made<DeviceBuffer>(std::string(room, '?'), on);
    std::size_t first = 0;
    room = 3;
    for (auto const& chunk : chunks) {
      ByteView<space::Device> const from = from_.view();
      tasks.push_back({from.sub(first + 1, chunk.size()), to_.span().sub(room, chunk.size() + more)});
      first += chunk.size() + 1;
      room += chunk.size() + more + 3;
    }
  }

  std::vector<std::string> encoded() {
    encode_batch(DeviceCrc32c{}, {}, std::span{tasks}, on_);
    return results();
  }
  std::vector<std::string> decoded() {
    decode_batch(DeviceCrc32c{}, {}, std::span{tasks}, on_);
    return results();
  }

  std::vector<CodecTask<space::Device>> tasks;

 private:
  // The results for each chunk; checks that no other byte was changed.
  std::vector<std::string> results() {
    auto const all = test::text(to_.view(), on_);
    std::vector<std::string> found;
    std::size_t at = 0;
    for (auto const& task : tasks) {
      auto const first = static_cast<std::size_t>(task.to.data - to_.view().data);
      CHECK(all.substr(at, first - at) == std::string(first - at, '?'));
      found.push_back(all.substr(first, task.size));
      at = first + task.size;
    }
    CHECK(all.substr(at) == std::string(all.size() - at, '?'));
    return found;
  }

  DeviceQueue& on_;
  DeviceBuffer from_, to_;
};

void check_both_ways(std::vector<std::string> const& plain, DeviceQueue& on) {
  std::vector<std::string> expected;
  for (auto const& chunk : plain) expected.push_back(encoded_by_host(chunk));
  auto const encoded = Batch{plain, 4, on}.encoded();
  auto const decoded = Batch{expected, 0, on}.decoded();
  REQUIRE(encoded.size() == plain.size());
  REQUIRE(decoded.size() == plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CAPTURE(i);
    CAPTURE(plain[i].size());
    bool const is_encoded = encoded[i] == expected[i], is_decoded = decoded[i] == plain[i];  // too long to print
    CHECK(is_encoded);
    CHECK(is_decoded);
  }
}

std::vector<std::string> texts(std::size_t first, std::size_t last, std::size_t step = 1) {
  std::vector<std::string> result;
  for (auto size = first; size <= last; size += step)
    result.push_back(test::long_text(size, static_cast<std::uint32_t>(size)));
  return result;
}

}  // namespace

TEST_CASE("crc32c on the device: the check value and the vectors of RFC 3720 B.4") {
  DeviceQueue on{HostQueue{1}};
  std::string up(32, '\0'), down(32, '\0');
  for (std::size_t i = 0; i < 32; ++i) up[i] = down[31 - i] = static_cast<char>(i);
  auto const found =
      Batch{{"123456789", std::string(32, '\0'), std::string(32, '\xff'), up, down, ""}, 4, on}.encoded();
  REQUIRE(found.size() == 6);
  CHECK(found[0] == "123456789\x83\x92\x06\xe3");
  CHECK(found[1].substr(32) == "\xaa\x36\x91\x8a");
  CHECK(found[2].substr(32) == "\x43\xab\xa8\x62");
  CHECK(found[3].substr(32) == "\x4e\x79\xdd\x46");
  CHECK(found[4].substr(32) == "\x5c\xdb\x3f\x11");
  CHECK(found[5] == std::string(4, '\0'));
}

TEST_CASE("crc32c on the device: the bytes of the host's codec, of any size, at any address") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{1}};
    check_both_ways(texts(0, 70), on);
    check_both_ways({test::long_text(4097)}, on);
  });
  DeviceQueue on{HostQueue{1}};
  auto const slice = std::size_t{detail::Crc32cChunk::slice};
  check_both_ways(texts(slice - 1, slice + 1), on);
  check_both_ways(texts(2 * slice - 65, 2 * slice + 65, 13), on);
  check_both_ways({test::long_text(3), test::long_text((3 << 20) + 5), "", test::long_text(5 * slice), ""}, on);
  Batch{{}, 4, on}.encoded();
  Batch{{}, 4, on}.decoded();
}

TEST_CASE("crc32c on the device: one damaged chunk among good ones is named, wherever it is damaged") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{1}};
    std::vector<std::string> stored;
    for (auto const& plain : texts(0, 40, 4)) stored.push_back(encoded_by_host(plain));
    stored[7] = encoded_by_host(test::long_text(40000));
    for (std::size_t const byte : {0u, 1u, 15000u, 20000u, 39999u, 40000u, 40003u}) {
      CAPTURE(byte);
      auto damaged = stored;
      damaged[7][byte] = static_cast<char>(damaged[7][byte] ^ 4);
      std::string expected;
      try {
        HostQueue host{1};
        std::vector<std::byte> to(40000);
        Crc32c{}.decode(test::host_bytes(damaged[7]), {to.data(), to.size()}, host);
      } catch (Error& error) {
        expected = error.in_codec("crc32c").what();
      }
      CHECK(expected.find("codec crc32c: the checksum of the bytes is ") == 0);
      try {
        Batch{damaged, 0, on}.decoded();
        FAIL_CHECK("nothing was thrown");
      } catch (CodecError const& error) {
        CHECK(error.chunk() == 7u);
        CHECK(error.what() == expected);
      }
    }
    CHECK(Batch{stored, 0, on}.decoded()[2] == test::long_text(8, 8));
  });
}

TEST_CASE("crc32c on the device: of several damaged chunks the first is named") {
  DeviceQueue on{HostQueue{1}};
  std::vector<std::string> stored(5, encoded_by_host("tessera"));
  stored[2][0] = stored[4][0] = '?';
  try {
    Batch{stored, 0, on}.decoded();
    FAIL_CHECK("nothing was thrown");
  } catch (CodecError const& error) {
    CHECK(error.chunk() == 2u);
  }
}

TEST_CASE("crc32c on the device: too short and too long, before anything is launched") {
  DeviceQueue on{HostQueue{1}};
  for (std::size_t size = 0; size < 4; ++size) {
    CAPTURE(size);
    std::vector<std::string> stored(3, encoded_by_host("tessera"));
    stored[1] = std::string(size, 'x');
    Batch batch{stored, 0, on};
    auto const line = "codec crc32c: found " + std::to_string(size) + " bytes, expected at least a checksum of 4";
    check_refused<CodecError>([&] { batch.decoded(); }, {line.c_str()});
  }
  Batch batch{std::vector<std::string>(3, encoded_by_host("tessera")), 0, on};
  batch.tasks[2].to.size = 6;
#if defined(TESSERA_CUDA_EMULATION)
  emulation::Watch const watch;
#endif
  try {
    batch.decoded();
    FAIL_CHECK("nothing was thrown");
  } catch (CodecError const& error) {
    CHECK(error.chunk() == 2u);
    CHECK(error.what() == std::string{"codec crc32c: found 7 bytes before the checksum, expected 6"});
  }
#if defined(TESSERA_CUDA_EMULATION)
  CHECK(watch.launches() == 0);
#endif
}

namespace {

using ToHost = CastTo<space::Host>;
using OnHost = Pipeline<space::Host, Bytes, Crc32c>;
using Checked = Pipeline<space::Device, Bytes, DeviceCrc32c>;
using CheckedFromHost = Pipeline<space::Device, Bytes, DeviceCrc32c, ToHost>;
using Known = AnyPipeline<space::Device, space::Device, Codecs<Bytes, Crc32c, DeviceCrc32c>>;
static_assert(Checked::crossings == 0 && CheckedFromHost::crossings == 1 && Checked::has_fixed_size);
static_assert(RunsIn<DeviceCrc32c, space::Device> && !RunsIn<DeviceCrc32c, space::Host>);

using test::in_chunks::check_read, test::in_chunks::chunk_shape, test::in_chunks::elements, test::in_chunks::made,
    test::in_chunks::shape;

}  // namespace

TEST_CASE("crc32c on the device: of arrays that the host wrote; and on the host, of those that the device wrote") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    made(store, OnHost{}, HostQueue{1}).write(all, elements);
    check_read<CheckedFromHost>(store, on);

    auto const memory = test::on_device<float, 2>(elements, shape, on);
    made(store, CheckedFromHost{}, on).write(all, memory, WriteOptions{.mini_batch = 7}).wait();
    std::vector<float> found(elements.size());
    open_array<float, 2, OnHost>(store, "a", HostQueue{1}).read(all, std::span{found});
    CHECK(found == elements);
  });
}

TEST_CASE("crc32c on the device: in a store of device memory; and in a list that has both implementations") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{2}};
    auto const store = test::in_device_memory();
    auto const memory = test::on_device<float, 2>(elements, shape, on);
    made(store, Checked{}, on).write(all, memory).wait();
    check_read<Checked>(store, on);
    check_read<Known>(store, on);
    // The values are in host memory: the codec reads them through a cast.
    std::vector<float> found(elements.size());
    using FromDevice = Pipeline<space::Host, Bytes, Crc32c, CastTo<space::Device>>;
    open_array<float, 2, FromDevice>(store, "a", on).read(all, std::span{found});
    CHECK(found == elements);

    open_array<float, 2, Known>(store, "a", on).fill(all, 3.f).wait();
    CHECK(test::on_host(open_array<float, 2, Checked>(store, "a", on).read(all), on) ==
          std::vector<float>(elements.size(), 3.f));
  });
}

TEST_CASE("crc32c on the device: in shards") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    using OfHost = codec::Sharding<OnHost>;
    using OfDevice = codec::Sharding<CheckedFromHost>;
    NewArray<float> const wanted{.shape = shape, .chunks = {16, 90}, .overwrite = true};
    create_array<float, 2>(store, "a", wanted, Pipeline<space::Host, OfHost>{OfHost{.chunk_shape = {4, 45}}},
                           HostQueue{1})
        .write(all, elements);
    using Sharded = Pipeline<space::Device, OfDevice>;
    check_read<Sharded>(store, on);
    auto const memory = test::on_device<float, 2>(elements, shape, on);
    create_array<float, 2>(store, "a", wanted, Sharded{OfDevice{.chunk_shape = {4, 45}}}, on).write(all, memory).wait();
    std::vector<float> found(elements.size());
    open_array<float, 2, Pipeline<space::Host, OfHost>>(store, "a", HostQueue{1}).read(all, std::span{found});
    CHECK(found == elements);
  });
}

TEST_CASE("crc32c on the device: a damaged chunk of an array is named by its key") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    made(store, OnHost{}, HostQueue{1}).write(all, elements);
    auto damaged = test::value(store, "a/c/11/1", on);
    damaged[100] = static_cast<char>(damaged[100] ^ 1);
    test::put(store, "a/c/11/1", damaged, on);
    auto const array = open_array<float, 2, CheckedFromHost>(store, "a", on);
    check_refused<CodecError>([&] { array.on(on).read(all); },
                              {"key \"a/c/11/1\"", "codec crc32c: the checksum of the bytes is "});
    test::put(store, "a/c/11/1", "abc", on);
    check_refused<CodecError>([&] { array.on(on).read(all); }, {"key \"a/c/11/1\"", "codec crc32c: found 3 bytes"});
    Box const good{{0, 44}, all};
    CHECK_NOTHROW(array.on(on).read(good));
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("crc32c on the device: launches, copies and waits of a mini-batch do not depend on its number of chunks") {
  for (std::size_t const chunks : {1u, 4u, 20u, 200u}) {
    CAPTURE(chunks);
    under_seeds(8, [&] {
      DeviceQueue on{HostQueue{1}};
      auto const plain = std::vector<std::string>(chunks, test::long_text(700));
      Batch encoding{plain, 4, on};
      Batch decoding{std::vector<std::string>(chunks, encoded_by_host(plain[0])), 0, on};
      auto const encode = [&] { encode_batch(DeviceCrc32c{}, {}, std::span{encoding.tasks}, on); };
      auto const decode = [&] { decode_batch(DeviceCrc32c{}, {}, std::span{decoding.tasks}, on); };
      // After the first mini-batch, which has fewer chunks.
      std::vector<std::string> const fewer(chunks - chunks / 4, plain[0]);
      Batch{fewer, 4, on}.encoded();
      Batch{std::vector<std::string>(fewer.size(), encoded_by_host(plain[0])), 0, on}.decoded();
      {
        emulation::Watch const watch;
        encode();
        CHECK(watch.launches() == 2);
        CHECK(watch.copies(cudaMemcpyHostToDevice) == 1);
        CHECK(test::copies(watch) == 1);
        CHECK(watch.count("cudaEventSynchronize") == 0);
        CHECK(watch.synchronisations() == 0);
        CHECK(test::allocations(watch) == 0);
      }
      on.wait();
      {
        emulation::Watch const watch;
        decode();
        test::check_calls(watch, {.launches = 1, .there = 1, .back = 0, .waits = 1, .most = 6});
      }
    });
  }
}

namespace {

// The k-th call fails during `run(k)`, for every k: its exception is tessera's and names the call. `run` returns
// whether there was a k-th call.
template <class Run>
void check_faults(std::uint64_t seed, Run&& run) {
  CAPTURE(seed);
  emulation::seed(seed);
  std::size_t k = 0;
  for (bool failed = true; failed; ++k) {
    CAPTURE(k);
    REQUIRE(k < 2000);
    failed = run(k);
    CHECK(cudaGetLastError() == cudaSuccess);
    test::check_nothing_left();
  }
  CHECK(k > 5);
}

template <class F>
bool with_fault(std::size_t k, F&& f) {
  emulation::fail(k);
  try {
    f();
  } catch (Error const& error) {
    std::string_view const what = error.what();
    CAPTURE(what);
    CHECK(emulation::has_failed());
    auto const call = emulation::failed_call();
    CHECK(what.find(call == "emulatedLaunch" ? "a kernel launch" : call) != what.npos);
  }
  bool const failed = emulation::has_failed();
  emulation::fail_nothing();
  return failed;
}

template <class P, class Make>
void check_array_faults(Make&& make) {
  check_faults(15, [&](std::size_t k) {
    DeviceQueue on{HostQueue{1}};
    auto const array = made(make(), P{}, on);
    auto memory = test::on_device<float, 2>(elements, shape, on);
    array.write(all, memory).wait();
    bool const failed = with_fault(k, [&] {
      array.read(all, memory, ReadOptions{.mini_batch = 20}).wait();
      array.write(all, memory, WriteOptions{.mini_batch = 20}).wait();
    });
    // All written bytes equal the originals.
    CHECK(test::on_host(array.read(all), on) == elements);
    return failed;
  });
}

}  // namespace

TEST_CASE("the k-th call fails: mini-batches of checksums") {
  auto const plain = texts(0, 40, 8);
  std::vector<std::string> stored;
  for (auto const& chunk : plain) stored.push_back(encoded_by_host(chunk));
  for (std::uint64_t const seed : {0u, 15u})
    check_faults(seed, [&](std::size_t k) {
      DeviceQueue on{HostQueue{1}};
      auto const there_and_back = [&] {
        auto const encoded = Batch{plain, 4, on}.encoded();
        auto const decoded = Batch{stored, 0, on}.decoded();
        CHECK(encoded == stored);
        CHECK(decoded == plain);
      };
      bool const failed = with_fault(k, there_and_back);
      there_and_back();
      return failed;
    });
}

TEST_CASE("the k-th call fails: arrays with checksums") {
  check_array_faults<CheckedFromHost>([] { return MemoryStore<HostBuffer>{}; });
  check_array_faults<Checked>([] { return test::in_device_memory(); });
}

#endif

}  // namespace crc32c_tests
