// Tests that need a large GPU: an array of more than 8 GiB, and boxes of more than 2^31 words, each checked element by
// element. Needs 17 GiB of device memory.
//
//   large [PART=1]     everything smaller by that factor, to try it elsewhere
//
// Exits with 77 without a GPU.
#include <cstdlib>
#include <cstring>

#include "measured.cuh"

using namespace tessera;
using namespace measured;

namespace {

struct Float {
  TESSERA_HOST_DEVICE float operator()(std::uint64_t i) const { return static_cast<float>(number(i) & 0xffff); }
};

/// An array of float32 whose chunks are computed on request.
struct Computed {
  using buffer_type = HostBuffer;
  std::uint64_t planes, rows, columns;

  static constexpr std::uint64_t chunks_of_rows = 2, planes_of_chunk = 32;

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>&) const {
    if (key.path == "zarr.json") {
      auto const text = document();
      auto const [offset, size] = range.resolve(text.size());
      std::memcpy(destination(size).data, text.data() + offset, size);
      return size;
    }
    if (!key.path.starts_with("c/")) return std::nullopt;
    char* end = nullptr;
    std::uint64_t const z = std::strtoull(key.path.c_str() + 2, &end, 10), y = std::strtoull(end + 1, nullptr, 10);
    auto const height = rows / chunks_of_rows, elements = planes_of_chunk * height * columns;
    auto const [offset, size] = range.resolve(elements * sizeof(float));
    auto* const to = destination(size).data;
    for (std::uint64_t i = offset / sizeof(float); i < (offset + size) / sizeof(float); ++i) {
      auto const in_plane = i % (height * columns), plane = z * planes_of_chunk + i / (height * columns);
      auto const element = Float{}((plane * rows + y * height) * columns + in_plane);
      std::memcpy(to + i * sizeof(float) - offset, &element, sizeof element);
    }
    return size;
  }
  std::string document() const {
    auto const list = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
      return '[' + std::to_string(a) + ',' + std::to_string(b) + ',' + std::to_string(c) + ']';
    };
    return R"({"zarr_format": 3, "node_type": "array", "data_type": "float32", "fill_value": 0, "shape": )" +
           list(planes, rows, columns) + R"(, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": )" +
           list(planes_of_chunk, rows / chunks_of_rows, columns) +
           R"(}}, "chunk_key_encoding": "default", "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]})";
  }
};
static_assert(ReadableStore<Computed>);

bool say(char const* what, std::uint64_t size, bool right) {
  std::printf("%s, %llu of them: %s\n", what, static_cast<unsigned long long>(size), right ? "right" : "WRONG");
  return right;
}

bool array(std::uint64_t part) {
  Queue<space::Device> on;
  Computed const store{std::max<std::uint64_t>(2112 / part / 32, 1) * 32, 1024, 1024};
  auto const from = open_array<float, 3, Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>(store, "", on);
  OwnedArray<float, 3, DeviceBuffer> there{from.shape(), on};
  spoil({reinterpret_cast<std::byte*>(there.data()), there.size() * sizeof(float)}, on);
  from.read(all, there).wait();
  return say("elements of an array, of four bytes", there.size(), all_are(there.data(), there.size(), Float{}, on));
}

struct Byte {
  std::uint64_t rows, columns;
  bool is_transposed;
  TESSERA_HOST_DEVICE std::uint8_t operator()(std::uint64_t i) const {
    auto const from = is_transposed ? i % rows * columns + i / rows : i;
    return static_cast<std::uint8_t>(number(from));
  }
};
struct Fill {
  std::uint8_t* bytes;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { bytes[i] = static_cast<std::uint8_t>(number(i)); }
};

// As one box, of words of a byte: at an odd address, or with rows for columns.
bool box(std::uint64_t part, bool transposed) {
  Queue<space::Device> on;
  std::uint64_t const rows = 65536 / part, columns = 32832, size = rows * columns;
  DeviceBuffer from(size + 16, on), to(size + 16, on);
  auto* const source = reinterpret_cast<std::uint8_t*>(from.span().data) + 1;
  launch(on, size, Fill{source});
  spoil(to.span(), on);
  PlacementForm form;
  form.from_strides = {static_cast<std::int64_t>(columns), 1};
  form.to_strides = transposed ? Strides{1, static_cast<std::int64_t>(rows)} : form.from_strides;
  Placement<space::Device> const whole{from.view().data + 1, to.span().data, {rows, columns}};
  placer<space::Device>::place({&whole, 1}, form, on);
  auto const* const found = reinterpret_cast<std::uint8_t const*>(to.view().data);
  return say(transposed ? "words of a box, transposed" : "words of a box at an odd address", size,
             all_are(found, size, Byte{rows, columns, transposed}, on));
}

}  // namespace

int main(int argc, char** argv) {
  auto const part = argc > 1 ? std::max(std::strtoull(argv[1], nullptr, 10), 1ull) : 1;
  return measured::run([&] {
    bool right = box(part, false);
    right &= box(part, true);
    right &= array(part);
    return right;
  });
}
