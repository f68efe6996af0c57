// An array whose codecs are known when it is opened, and a shard of it.
#include "reads.hpp"

std::size_t in_shards(Files const& files, tessera::Queue<tessera::space::Device>& on) {
  using namespace tessera;
  using P = AnyPipeline<space::Device, space::Host, Codecs<codec::Bytes, codec::Zstd>>;
  auto const array = open_array<float, 2, P>(files, "a", on);
  auto const part = array.read<DeviceBuffer>({{2, 9}, {1, 5}});
  array.write({{2, 9}, {1, 5}}, part.view()).wait();
  return part.size();
}
