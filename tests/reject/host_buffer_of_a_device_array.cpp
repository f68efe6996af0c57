// expect: tessera: the host has no elements of this array without its codecs, of which one runs in other memory alone: name those of the host, array.through<Pipeline<space::Host, codec::Bytes, codec::Zstd>>()
#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>
using namespace tessera;
struct Packed {  // on the device alone
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
  return array.read<HostBuffer>(all, on);
#endif
}
