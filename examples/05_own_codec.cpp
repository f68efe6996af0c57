// A custom codec is a type that states its kind and its name, and decodes and encodes: one chunk at a time, or many in
// one call.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using tessera::ByteSpan, tessera::ByteView, tessera::CodecTask, tessera::Queue, tessera::space::Host;

/// Every byte becomes its difference from the one `distance` before it: slowly changing data compresses well then.
struct Difference {
  using kind = tessera::bytes_to_bytes;
  static constexpr std::string_view name = "example.difference";
  template <class Space>
  static constexpr bool runs_in = std::is_same_v<Space, Host>;

  std::size_t distance = 1;

  static Difference from(tessera::ObjectReader& configuration) {
    return {configuration.at("distance").integer<std::size_t>(1, 256)};
  }
  tessera::Value configuration() const {
    return tessera::Members{{"distance", tessera::Value::integer(static_cast<long long>(distance))}};
  }

  std::size_t encoded_bound(std::size_t size) const { return size; }

  std::size_t encode(ByteView<Host> from, ByteSpan<Host> to, Queue<Host>&) const {
    for (std::size_t i = 0; i < from.size; ++i)
      to.data[i] = plus(from.data[i], i < distance ? 0 : -value(from.data[i - distance]));
    return from.size;
  }
  std::size_t decode(ByteView<Host> from, ByteSpan<Host> to, Queue<Host>&) const {
    if (from.size > to.size)  // the bytes come from a file: an access must stay in bounds, whatever they are
      throw tessera::CodecError{tessera::to_text({"found ", from.size, " bytes, expected ", to.size})};
    for (std::size_t i = 0; i < from.size; ++i)
      to.data[i] = plus(from.data[i], i < distance ? 0 : value(to.data[i - distance]));
    return from.size;
  }

 private:
  static int value(std::byte b) { return std::to_integer<int>(b); }
  static std::byte plus(std::byte b, int n) { return static_cast<std::byte>((value(b) + n) & 0xff); }
};

/// The same codec for programs that prefer many chunks at once, as a GPU's kernels do. Here the queue's threads process
/// them in parallel. It has the same name: each reads the other's output.
struct DifferenceOfMany : Difference {
  static DifferenceOfMany from(tessera::ObjectReader& configuration) { return {Difference::from(configuration)}; }

  void encode(std::span<CodecTask<Host>> chunks, Queue<Host>& on) const {
    on.for_each(chunks.size(),
                [&](std::size_t i) { chunks[i].size = Difference::encode(chunks[i].from, chunks[i].to, on); });
  }
  void decode(std::span<CodecTask<Host>> chunks, Queue<Host>& on) const {
    on.for_each(chunks.size(),
                [&](std::size_t i) { chunks[i].size = Difference::decode(chunks[i].from, chunks[i].to, on); });
  }
};

int main() try {
  using namespace tessera;
  std::vector<std::uint32_t> ramp(512 * 512);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<std::uint32_t>(1000 * (i / 512) + 7 * (i % 512));

  auto const stored = [&](auto const& pipeline, char const* what) {
    MemoryStore<HostBuffer> const store;
    auto const array =
        create_array<std::uint32_t, 2>(store, "ramp", {.shape = {512, 512}, .chunks = {64, 64}}, pipeline);
    array.write(all, ramp);
    std::uint64_t bytes = 0;
    store.list("ramp/c", [&](Listed const& chunk) { bytes += chunk.size; });
    std::cout << what << ": " << bytes << " bytes\n";
    return store;
  };
  stored(Pipeline<space::Host, codec::Bytes, codec::Zstd>{}, "bytes, zstd");
  auto const store = stored(Pipeline<space::Host, codec::Bytes, Difference, codec::Zstd>{{}, {.distance = 4}, {}},
                            "bytes, difference, zstd");

  // In a list of codecs that may occur, as in a pipeline.
  using Known = Codecs<codec::Bytes, DifferenceOfMany, codec::Zstd>;
  auto const back = open_array<std::uint32_t, 2, Known>(store, "ramp").read(all, {.mini_batch = 16});
  bool const same = std::equal(ramp.begin(), ramp.end(), back.elements().begin());
  std::cout << (same ? "and back as it was\n" : "but not back as it was\n");
  return same ? 0 : 1;
} catch (tessera::Error const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
