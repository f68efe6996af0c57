// Custom array-to-array codecs that change values, in arrays of device memory: on the device by a kernel, or after a
// cast on the host.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <device/arrays.hpp>
#include <support/random_array.hpp>

namespace value_codecs_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::Random, test::under_seeds;

namespace {

// One row: sums up the stored values, or takes differences.
struct Rows {
  std::int32_t const* from;
  std::int32_t* to;
  std::uint64_t length;
  bool encodes;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t row) const {
    auto const* const in = from + row * length;
    auto* const out = to + row * length;
    std::int32_t before = 0;
    for (std::uint64_t i = 0; i < length; ++i) {
      out[i] = encodes ? in[i] - before : in[i] + before;
      before = encodes ? in[i] : out[i];
    }
  }
};

/// Each element but the first of a row becomes the difference from the one before it. Runs on the device and on the
/// host.
struct Delta {
  using kind = array_to_array;
  static constexpr std::string_view name = "example.delta";
  template <class S>
  static constexpr bool runs_in = true;

  static Delta from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  ChunkSpecification encoded(ChunkSpecification chunk) const { return chunk; }

  template <MemorySpace S, class Queue>
  void encode(ChunkSpecification const& chunk, std::span<CodecTask<S>> batch, Queue& on) const {
    each(chunk, batch, on, true);
  }
  template <MemorySpace S, class Queue>
  void decode(ChunkSpecification const& chunk, std::span<CodecTask<S>> batch, Queue& on) const {
    each(chunk, batch, on, false);
  }

 private:
  template <MemorySpace S, class Queue>
  static void each(ChunkSpecification const& chunk, std::span<CodecTask<S>> batch, Queue& on, bool encodes) {
    auto const length = chunk.shape[chunk.shape.rank() - 1];
    for (auto& task : batch) {
      Rows const rows{reinterpret_cast<std::int32_t const*>(task.from.data),
                      reinterpret_cast<std::int32_t*>(task.to.data), length, encodes};
      auto const count = task.from.size / sizeof(std::int32_t) / length;
      if constexpr (std::same_as<S, space::Device>)
        launch(on, count, rows);
      else
        for (std::uint64_t row = 0; row < count; ++row) rows(row);
      task.size = task.from.size;
    }
  }
};

NewArray<std::int32_t> const wanted{.shape = {9, 14}, .chunks = {4, 6}, .fill = 7};

// Random parts written and read through one array, and the whole through the host's.
template <class P, class HostPipeline, class Store>
void check_parts(Store const& store, P const& pipeline, HostPipeline const&, std::uint64_t seed) {
  Random random{seed};
  DeviceQueue on{HostQueue{random(1, 3)}};
  auto const array = create_array<std::int32_t, 2>(store, "a", wanted, pipeline, on);
  std::vector<std::int32_t> expected(9 * 14, 7);
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    std::uint64_t const r = round == 1 ? 0 : random(0, 8), c = round == 1 ? 0 : random(0, 13);
    std::uint64_t const rows = round == 1 ? 9 : random(1, 9 - r), columns = round == 1 ? 14 : random(1, 14 - c);
    Box const box{{r, r + rows}, {c, c + columns}};
    if (round % 2 == 0 || round == 1) {
      std::vector<std::int32_t> values(rows * columns);
      for (auto& value : values) value = static_cast<std::int32_t>(random(0, 1000000));
      array.on(on).write(box, test::on_device<std::int32_t, 2>(values, {rows, columns}, on)).wait();
      for (std::uint64_t i = 0; i < rows * columns; ++i) expected[(r + i / columns) * 14 + c + i % columns] = values[i];
    } else {
      auto const found = test::on_host(array.on(on).read(box), on);
      for (std::uint64_t i = 0; i < rows * columns; ++i)
        CHECK(found[i] == expected[(r + i / columns) * 14 + c + i % columns]);
    }
  }
  CHECK(test::on_host(array.on(on).read(all), on) == expected);
  if constexpr (!std::same_as<HostPipeline, std::nullptr_t>) {
    std::vector<std::int32_t> found(expected.size());
    open_array<std::int32_t, 2, HostPipeline>(store, "a", HostQueue{1}).read(all, std::span{found});
    CHECK(found == expected);
    using Known = AnyPipeline<space::Device, space::Host, Codecs<codec::Transpose, Delta, codec::Bytes, codec::Zstd>>;
    CHECK(test::on_host(open_array<std::int32_t, 2, Known>(store, "a", on).read(all), on) == expected);
  } else {
    using Known = AnyPipeline<space::Device, space::Device, Codecs<codec::Transpose, Delta, codec::Bytes>>;
    auto const same = open_array<std::int32_t, 2, Known>(store, "a", on);
    CHECK(test::on_host(same.on(on).read(all), on) == expected);
    same.on(on).write(all, test::on_device<std::int32_t, 2>(expected, {9, 14}, on)).wait();
    CHECK(test::on_host(array.on(on).read(all), on) == expected);
  }
}

template <class... Stages>
using OnDevice = Pipeline<space::Device, Stages...>;
template <class... Stages>
using OnHost = Pipeline<space::Host, Stages...>;
using codec::Bytes, codec::Sharding, codec::Transpose, codec::Zstd;
using ToHost = CastTo<space::Host>;
Transpose const turned{{1, 0}};

}  // namespace

TEST_CASE("a codec that changes values on the device, by kernels, before the host's compressor") {
  under_seeds(24, [] {
    check_parts(MemoryStore<HostBuffer>{}, OnDevice<Delta, Bytes, ToHost, Zstd>{}, OnHost<Delta, Bytes, Zstd>{}, 1);
    check_parts(MemoryStore<HostBuffer>{}, OnDevice<Delta, Bytes, ToHost>{}, OnHost<Delta, Bytes>{}, 2);
  });
}

TEST_CASE("with dimensions permuted before and behind it, and the other byte order") {
  under_seeds(24, [] {
    check_parts(MemoryStore<HostBuffer>{},
                OnDevice<Transpose, Delta, Transpose, Delta, Bytes, ToHost, Zstd>{
                    turned, {}, turned, {}, Bytes{std::endian::big}, {}, {}},
                OnHost<Transpose, Delta, Transpose, Delta, Bytes, Zstd>{}, 3);
  });
}

TEST_CASE("behind a cast, by the host") {
  under_seeds(24, [] {
    check_parts(MemoryStore<HostBuffer>{}, OnDevice<ToHost, Delta, Transpose, Bytes>{{}, {}, turned, {}},
                OnHost<Delta, Transpose, Bytes>{}, 4);
  });
}

TEST_CASE("in shards, and in stores of the device's memory, where nothing crosses") {
  under_seeds(24, [] {
    using Inner = OnDevice<Delta, Transpose, Bytes, ToHost>;
    using HostInner = OnHost<Delta, Transpose, Bytes>;
    check_parts(MemoryStore<HostBuffer>{},
                OnDevice<Sharding<Inner>>{Sharding<Inner>{.chunk_shape = {2, 3}, .inner = Inner{{}, turned, {}, {}}}},
                OnHost<Sharding<HostInner>>{}, 5);
    check_parts(test::in_device_memory(), OnDevice<Delta, Transpose, Bytes>{{}, turned, {}}, nullptr, 6);
  });
}

}  // namespace value_codecs_tests
