// Consecutive encoders in device memory: the sizes of chunks stay there, and the host waits once for all.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <device/codec_batches.hpp>
#include <support/document.hpp>
#include <support/host_lz4.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/with/nvcomp.cuh>

namespace nvcomp_chains_tests {

using namespace tessera;
using codec::Bytes, codec::DeviceCrc32c;
using nvcomp::Trusted;
using test::DeviceQueue, test::HostQueue, test::under_seeds;

namespace {

// Chunks of elements in device memory, and a pipeline's output there.
template <class P>
class MiniBatch {
 public:
  MiniBatch(P const& pipeline, std::size_t chunks, std::uint64_t length, DeviceQueue& on)
      : pipeline_{pipeline}, form_{pipeline.resolve({{length}, data_type_of<std::uint8_t>()})}, on_{on} {
    auto const all = test::long_text(chunks * length);
    from_ = test::made<DeviceBuffer>(all, on);
    to_ = test::made<DeviceBuffer>(std::string(chunks * form_.encoded_bound(), '?'), on);
    for (std::size_t i = 0; i < chunks; ++i) {
      ByteView<space::Device> const from = from_.view();
      tasks.push_back({from.sub(i * length, length), to_.span().sub(i * form_.encoded_bound(), form_.encoded_bound())});
      plain.push_back(all.substr(i * length, length));
    }
  }
  void encode() { pipeline_.encode(form_, std::span{tasks}, work_, on_); }
  std::string encoded(std::size_t i) const {
    auto const first = static_cast<std::size_t>(tasks[i].encoded.data - to_.view().data);
    return test::text(to_.view(), on_).substr(first, tasks[i].encoded.size);
  }

  std::vector<EncodeTask<space::Device, space::Device>> tasks;
  std::vector<std::string> plain;

 private:
  P pipeline_;
  ResolvedChunk form_;
  DeviceQueue& on_;
  DeviceBuffer from_, to_;
  typename P::Encoding work_;
};

// Decoded by the host's codecs, the last one first.
template <class... Cs>
std::string decoded_by(std::string bytes, std::size_t most, Cs const&... codecs) {
  HostQueue on{1};
  auto const decode = [&](auto const& codec) {
    std::string result(most, '?');
    result.resize(
        codec.decode(test::host_bytes(bytes), {reinterpret_cast<std::byte*>(result.data()), result.size()}, on));
    bytes = result;
  };
  (decode(codecs), ...);
  return bytes;
}

template <class P, class... Cs>
void check_chain(P const& pipeline, Cs const&... on_host) {
  for (std::uint64_t const length : {1u, 45u, 4096u, 70001u}) {
    CAPTURE(length);
    DeviceQueue on{HostQueue{1}};
    MiniBatch<P> batch{pipeline, 5, length, on};
    batch.encode();
    for (std::size_t i = 0; i < batch.tasks.size(); ++i)
      CHECK(decoded_by(batch.encoded(i), 2 * length + 1000, on_host...) == batch.plain[i]);
  }
}

using OfZstd = Trusted<nvcomp::Zstd>;
using OfGzip = Trusted<nvcomp::Gzip>;

}  // namespace

TEST_CASE("encoders in a chain: each takes what the one before left, whatever its size") {
  under_seeds(8, [] {
    codec::Crc32c const crc32c;
    test::HostLz4 const lz4;
    codec::Zstd const zstd;
    codec::Gzip const gzip;
    check_chain(Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c>{}, crc32c, zstd);
    check_chain(Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c, nvcomp::Lz4>{}, lz4, crc32c, zstd);
    check_chain(Pipeline<space::Device, Bytes, nvcomp::Lz4, OfZstd>{}, zstd, lz4);
    check_chain(Pipeline<space::Device, Bytes, DeviceCrc32c, OfZstd, OfGzip, nvcomp::Lz4>{}, lz4, gzip, zstd, crc32c);
    check_chain(Pipeline<space::Device, Bytes, OfGzip, nvcomp::Lz4, DeviceCrc32c, DeviceCrc32c>{}, crc32c, crc32c, lz4,
                gzip);
  });
}

namespace {

// It could not encode the second chunk, and its size is arbitrary.
struct FailsAtOne {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "fails_at_one";
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Device>;
  std::size_t said = 0;

  static FailsAtOne from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  std::size_t encoded_bound(std::size_t decoded) const { return decoded; }

  struct Answer {
    EncodedSizes sizes;
    std::size_t size, said;
    TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
      sizes.after[i] = i == 1 ? said : size;
      sizes.statuses[i] = i == 1;
    }
  };
  void encode(std::span<CodecTask<space::Device> const> batch, EncodedSizes const& sizes, DeviceQueue& on) const {
    launch(on, batch.size(), Answer{sizes, batch[0].from.size, said});
  }
  void decode(std::span<CodecTask<space::Device>>, DeviceQueue&) const { throw CodecError{"it only encodes"}; }
  void expect_encoded(CodecTask<space::Device> const& task, std::size_t size, std::int32_t status) const {
    if (status != 0) throw CodecError{to_text({"of ", task.from.size, " bytes it made ", size})};
  }
};

}  // namespace

TEST_CASE("encoders in a chain: what one could not encode is named, and harms none behind it") {
  using P = Pipeline<space::Device, Bytes, FailsAtOne, DeviceCrc32c, OfZstd, nvcomp::Lz4, DeviceCrc32c>;
  under_seeds(4, [] {
    for (std::size_t const said : {std::size_t{0}, std::size_t{1000}, ~std::size_t{0}}) {
      DeviceQueue on{HostQueue{1}};
      MiniBatch<P> batch{P{{}, {said}, {}, {}, {}, {}}, 3, 500, on};
      try {
        batch.encode();
        FAIL_CHECK("nothing was thrown");
      } catch (CodecError const& error) {
        CHECK(error.chunk() == 1u);
        CHECK(error.what() == "codec fails_at_one: of 500 bytes it made " + std::to_string(said));
      }
    }
  });
}

#if defined(TESSERA_CUDA_EMULATION)

namespace {

template <class P>
void check_counts(P const& pipeline, test::BatchCalls const& expected) {
  for (std::size_t const chunks : {1u, 4u, 20u, 90u}) {
    CAPTURE(chunks);
    under_seeds(8, [&] {
      DeviceQueue on{HostQueue{1}};
      MiniBatch<P> batch{pipeline, chunks, 45 * 16, on};
      batch.encode();
      on.wait();  // without a wait it would still be in use
      emulation::Watch const watch;
      batch.encode();
      test::check_calls(watch, expected);
    });
  }
}

}  // namespace

TEST_CASE("encoders in a chain: one wait and one copy of sizes for all of them, whatever the number of chunks") {
  // A checksum alone needs no status.
  check_counts(Pipeline<space::Device, Bytes, DeviceCrc32c>{},
               {.launches = 2, .there = 1, .back = 0, .waits = 0, .most = 7});
  check_counts(Pipeline<space::Device, Bytes, OfZstd>{},
               {.launches = 1, .there = 1, .back = 1, .waits = 1, .most = 12});
  check_counts(Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c>{},
               {.launches = 3, .there = 2, .back = 1, .waits = 1, .most = 17});
  // After the first one, a launch copies the sizes; LZ4 has one for its header. Lists of the first may still be in use.
  check_counts(Pipeline<space::Device, Bytes, OfZstd, nvcomp::Lz4, DeviceCrc32c>{},
               {.launches = 6, .there = 3, .back = 1, .waits = 1, .most = 30, .allocations = 4});
}

TEST_CASE("encoders in a chain: a shard in device memory takes one wait for a mini-batch of its chunks") {
  using Inner = Pipeline<space::Device, Bytes, nvcomp::Zstd, DeviceCrc32c>;
  constexpr std::uint64_t length = 400;
  for (std::uint64_t const chunks : {4u, 100u, 300u}) {
    CAPTURE(chunks);
    under_seeds(8, [&] {
      DeviceQueue on{HostQueue{1}};
      SplitStore const store{MemoryStore<HostBuffer>{}, MemoryStore<DeviceBuffer>{}};
      codec::Sharding<Inner> shard;
      shard.chunk_shape = {length};
      auto const array = create_array<std::uint8_t, 1>(
          store, "a", {.shape = {chunks * length}, .chunks = {chunks * length}, .overwrite = true},
          Pipeline<space::Device, codec::Sharding<Inner>>{shard}, on);
      auto const values = test::numbers_from<std::uint8_t>(1, chunks * length);
      auto const memory = test::on_device<std::uint8_t, 1>(values, {chunks * length}, on);
      WriteOptions const options{.mini_batch = chunks, .in_flight = 1, .store_fill_chunks = true};
      for (int i = 0; i < 2; ++i) array.write(all, memory, options).wait();
      {
        emulation::Watch const watch;
        auto const pending = array.write(all, memory, options);
        // Elements to chunks; zstd; the checksum; chunks out of the mini-batch, and into the shard.
        CHECK(watch.launches() == 6);
        CHECK(watch.copies(cudaMemcpyDeviceToHost) == 1);  // sizes
        CHECK(watch.count("cudaEventSynchronize") <= 1);
        CHECK(watch.synchronisations() == 0);
      }
      CHECK(test::on_host(array.on(on).read(all), on) == values);
    });
  }
}

#endif

}  // namespace nvcomp_chains_tests
