// expect: tessera: metadata is read by the host: open the array over a store of host buffers, or over SplitStore{
#include "stub_device.hpp"
using namespace tessera;
// Memory that the host can touch, but in the order of a device queue.
struct PinnedBuffer {
  using space_type = space::Pinned;
  ByteView<space::Pinned> view() const;
};
using P = Pipeline<space::Device, codec::Bytes, CastTo<space::Pinned>>;
template <>
struct tessera::crossing<space::Device, space::Pinned> {
  static void copy(ByteView<space::Pinned>, ByteSpan<space::Device>, Queue<space::Device>&);
};
template <>
struct tessera::buffer_in<space::Pinned> {
  struct type : PinnedBuffer {
    type() = default;
    type(std::size_t, Queue<space::Device>&);
    ByteSpan<space::Pinned> span();
  };
};
void program(LocalStore<HostBuffer> host, LocalStore<PinnedBuffer> pinned) {
#ifdef CURED
  (void)open_array<float, 3, P>(SplitStore{host, pinned}, "a");
#else
  (void)host;
  (void)open_array<float, 3, P>(pinned, "a");
#endif
}
