// A store of one's own is a type with buffer_type and read. This one has no values: it computes them when they are
// asked for.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>

#include <tessera/tessera.hpp>

/// An array of 1000 squares, in chunks of 100.
struct Squares {
  using buffer_type = tessera::HostBuffer;

  std::optional<std::size_t> read(tessera::Key const& key, tessera::ByteRange range,
                                  tessera::Destination<tessera::space::Host> destination,
                                  tessera::Queue<tessera::space::Host>&) const {
    auto const value = key.path == "zarr.json" ? document() : chunk(std::stoull(key.path.substr(2)));  // "c/7"
    auto const [offset, size] = range.resolve(value.size());
    std::memcpy(destination(size).data, value.data() + offset, size);
    return size;
  }

 private:
  static std::string document() {
    return R"({"zarr_format": 3, "node_type": "array", "shape": [1000], "data_type": "uint32", "fill_value": 0,
               "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [100]}},
               "chunk_key_encoding": "default",
               "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]})";
  }
  static std::string chunk(std::uint64_t place) {
    std::string bytes;
    for (auto i = place * 100; i < (place + 1) * 100; ++i)
      for (int shift : {24, 16, 8, 0}) bytes += static_cast<char>(i * i >> shift & 0xff);
    return bytes;
  }
};
static_assert(tessera::ReadableStore<Squares>);

int main() try {
  auto const squares = tessera::open_array<std::uint32_t, 1>(Squares{});
  std::array<std::uint32_t, 4> some;
  squares.read({{97, 101}}, some);  // from two chunks, into the caller's memory
  for (auto square : some) std::cout << square << ' ';
  std::cout << '\n';
} catch (tessera::Error const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
