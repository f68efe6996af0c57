// A codec of one's own that works where the elements are: on the device it takes a whole mini-batch in one launch, on
// the host chunk by chunk. Each reads what the other wrote.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>

#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>

using tessera::ByteSpan, tessera::ByteView, tessera::CodecTask, tessera::Queue;
using tessera::space::Device, tessera::space::Host, tessera::space::Pinned;

/// One lane of a chunk: of every `distance` bytes the one at `lane`. Lanes know nothing of each other.
struct Subtract {
  TESSERA_HOST_DEVICE static void run(std::byte const* from, std::byte* to, std::size_t size, std::size_t lane,
                                      std::size_t distance) {
    for (unsigned before = 0; lane < size; lane += distance) {
      auto const value = static_cast<unsigned>(from[lane]);
      to[lane] = static_cast<std::byte>((value - before) & 0xff);
      before = value;
    }
  }
};
struct Add {
  TESSERA_HOST_DEVICE static void run(std::byte const* from, std::byte* to, std::size_t size, std::size_t lane,
                                      std::size_t distance) {
    for (unsigned sum = 0; lane < size; lane += distance)
      to[lane] = static_cast<std::byte>((sum += static_cast<unsigned>(from[lane])) & 0xff);
  }
};

/// All lanes of all chunks of a mini-batch.
template <class Code>
struct OfMany {
  CodecTask<Device> const* chunks;
  std::size_t distance;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto const& chunk = chunks[i / distance];
    Code::run(chunk.from.data, chunk.to.data, chunk.size, i % distance, distance);
  }
};

/// Every byte becomes its difference from the one `distance` before it, as in 05_own_codec.cpp.
struct Difference {
  using kind = tessera::bytes_to_bytes;
  static constexpr std::string_view name = "example.difference";
  template <class Space>
  static constexpr bool runs_in = std::is_same_v<Space, Device> || std::is_same_v<Space, Host>;

  std::size_t distance = 1;

  static Difference from(tessera::ObjectReader& configuration) {
    return {configuration.at("distance").integer<std::size_t>(1, 65536)};
  }
  tessera::Value configuration() const {
    return tessera::Members{{"distance", tessera::Value::integer(static_cast<long long>(distance))}};
  }
  std::size_t encoded_bound(std::size_t size) const { return size; }

  void encode(std::span<CodecTask<Device>> chunks, Queue<Device>& on) const { start<Subtract>(chunks, on); }
  void decode(std::span<CodecTask<Device>> chunks, Queue<Device>& on) const { start<Add>(chunks, on); }
  std::size_t encode(ByteView<Host> from, ByteSpan<Host> to, Queue<Host>&) const { return run<Subtract>(from, to); }
  std::size_t decode(ByteView<Host> from, ByteSpan<Host> to, Queue<Host>&) const { return run<Add>(from, to); }

 private:
  // The bytes come from a file: whatever they are, no others are touched.
  static std::size_t checked(std::size_t size, std::size_t room) {
    if (size > room) throw tessera::CodecError{tessera::text({"found ", size, " bytes, expected ", room})};
    return size;
  }

  template <class Code>
  std::size_t run(ByteView<Host> from, ByteSpan<Host> to) const {
    auto const size = checked(from.size, to.size);
    for (std::size_t lane = 0; lane < distance; ++lane) Code::run(from.data, to.data, size, lane, distance);
    return size;
  }

  // What the kernel is to do, in memory that the queue lends until its stream is done with it.
  struct Table {
    tessera::Scratch<Pinned> here;
    tessera::Scratch<Device> there;
  };
  template <class Code>
  void start(std::span<CodecTask<Device>> chunks, Queue<Device>& on) const {
    for (auto& chunk : chunks) chunk.size = checked(chunk.from.size, chunk.to.size);
    auto const table = on.lease<Table>();
    auto const here = table->here.take(chunks.size_bytes(), on);
    auto const there = table->there.take(chunks.size_bytes(), on);
    std::memcpy(here.data, chunks.data(), chunks.size_bytes());
    tessera::crossing<Device, Pinned>::copy(here, there, on);
    launch(on, chunks.size() * distance,
           OfMany<Code>{reinterpret_cast<CodecTask<Device> const*>(there.data), distance});
  }
};

int main() try {
  using namespace tessera;
  using OnDevice = Pipeline<space::Device, codec::Bytes, Difference, CastTo<space::Host>, codec::Zstd>;
  using OnHost = Pipeline<space::Host, codec::Bytes, Difference, codec::Zstd>;
  MemoryStore<HostBuffer> const store;
  Queue<space::Device> on;

  OwnedArray<std::uint32_t, 2, PinnedBuffer> ramp{{512, 512}, on}, back{{512, 512}, on};
  std::iota(ramp.elements().begin(), ramp.elements().end(), 1000U);
  auto const array = create_array<std::uint32_t, 2>(store, "ramp", {.shape = {512, 512}, .chunk_shape = {64, 64}},
                                                    OnDevice{{}, {.distance = 256}, {}, {}}, on);
  array.write(all, ramp.view(), on).wait();
  array.read(all, back.view(), on).wait();

  std::uint64_t bytes = 0;
  store.list("ramp/c", [&](Listed const& chunk) { bytes += chunk.size; });
  auto const by_host = open_array<std::uint32_t, 2, OnHost>(store, "ramp").read(all);
  bool const same =
      std::ranges::equal(ramp.elements(), back.elements()) && std::ranges::equal(ramp.elements(), by_host.elements());
  std::cout << ramp.size() * sizeof(std::uint32_t) << " bytes became " << bytes
            << (same ? ", and back as they were\n" : ", but not back as they were\n");
  return same ? 0 : 1;
} catch (std::exception const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
