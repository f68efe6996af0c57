// expect: tessera: reading this array on the host needs host codecs, and one of its codecs runs in other memory only: name host codecs, array.through<Pipeline<space::Host, codec::Bytes, codec::Zstd>>()
#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>
using namespace tessera;
struct Packed {  // only on the device
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "zstd";
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Device>;
  std::size_t encoded_bound(std::size_t size) const { return size; }
  void decode(std::span<CodecTask<space::Device>>, Queue<space::Device>&) const {}
};
using Stored = Pipeline<space::Device, codec::Bytes, Packed, CastTo<space::Host>>;
auto program(LocalStore<HostBuffer> store, Queue<space::Device> on) {
  auto array = open_array<float, 3, Stored>(store, "a", on);
#ifdef CURED
  return array.through<Pipeline<space::Host, codec::Bytes, codec::Zstd>>().read(all);
#else
  return array.read<HostBuffer>(all);
#endif
}
