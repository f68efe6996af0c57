// The exchange with other programs from device memory, on the emulated runtime: every codec of a chunk runs there,
// because the lists have only the device's. exchange.hpp describes the call.
//
// Arrays are read in both ways that chunks get there: encoded ones cross, or the store has them in device memory. The
// two must agree. Shards are written by the second, which packs them on the device; whole chunks by the first.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include <interop/exchange.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>
#include <tessera/tessera.cuh>
#include <tessera/with/nvcomp.cuh>

using namespace tessera;

namespace {

using nvcomp::Trusted;
using DeviceQueue = Queue<space::Device>;

template <class Blosc>
using Known = Codecs<codec::Transpose, codec::Bytes, codec::DeviceCrc32c, Trusted<nvcomp::Zstd>, Trusted<nvcomp::Gzip>,
                     nvcomp::Lz4, Trusted<nvcomp::Zlib>, Blosc>;
using OfAny = Known<Trusted<nvcomp::Blosc>>;
using OfLz4 = Known<nvcomp::BloscLz4>;

auto in_device_memory(std::string const& folder) {
  return SplitStore{exchange::Files{folder}, LocalStore<DeviceBuffer>{folder}};
}

DeviceQueue queue() { return DeviceQueue{Queue<space::Host>{2}}; }

template <class P, class S>
void write_through(S const& store, std::string const& path, ArrayMetadata const& metadata, DeviceBuffer const& elements,
                   DeviceQueue& on) {
  create_any<P>(store, path, metadata, {}, on)
      .on(on).write(exchange::everything(metadata.shape), {elements.view().data, exchange::c_order(metadata)})
      .wait();
}

void write_array(std::string const& to, std::string const& path, ArrayMetadata const& metadata,
                 ByteView<space::Host> elements) {
  auto on = queue();
  DeviceBuffer there(elements.size, on);
  crossing<space::Device, space::Host>::copy(elements, there.span(), on);
  if (metadata.codecs.front().name == "sharding_indexed")
    write_through<AnyPipeline<space::Device, space::Device, OfAny>>(in_device_memory(to), path, metadata, there, on);
  else
    write_through<AnyPipeline<space::Device, space::Host, OfAny>>(exchange::Files{to}, path, metadata, there, on);
}

template <class P, class S>
HostBuffer read_through(S const& store, std::string const& path) {
  auto on = queue();
  auto const array = open_any<P>(store, path, on);
  auto const metadata = array.metadata();
  DeviceBuffer elements(exchange::size_of(metadata), on);
  array.on(on).read(exchange::everything(metadata.shape), {elements.span().data, exchange::c_order(metadata)}).wait();
  return copy_to<HostBuffer>(std::move(elements), on);
}

// Formats with a codec of their own: blosc with lz4 in it.
bool is_blosc_of_lz4(std::string const& from, std::string const& path) {
  Queue<space::Host> on;
  auto const document = get_value(exchange::Files{from}, Key{path + "/zarr.json"}, on);
  std::string text{reinterpret_cast<char const*>(document->view().data), document->view().size};
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text.find(R"("cname":"lz4)") != text.npos;  // or lz4hc
}

HostBuffer read_array(std::string const& from, std::string const& path) {
  auto crossed = read_through<AnyPipeline<space::Device, space::Host, OfAny>>(exchange::Files{from}, path);
  auto const store = in_device_memory(from);
  auto const there = is_blosc_of_lz4(from, path)
                         ? read_through<AnyPipeline<space::Device, space::Device, OfLz4>>(store, path)
                         : read_through<AnyPipeline<space::Device, space::Device, OfAny>>(store, path);
  if (crossed.view().size != there.view().size ||
      std::memcmp(crossed.view().data, there.view().data, there.view().size) != 0)
    throw Error{"chunks that cross decode to other elements than chunks in device memory"};
  return crossed;
}

}  // namespace

int main(int argc, char** argv) try {
  return exchange::run({argv + 1, argv + argc}, write_array, read_array);
} catch (std::exception const& error) {
  return std::fprintf(stderr, "device-exchange: %s\n", error.what()), 2;
}
