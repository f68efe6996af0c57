// The templates that src.cuh compiles once: transfer of chunks to and from a device, with its kernels. Included twice,
// as instances.ipp.
namespace tessera { inline namespace v0 {
namespace detail {

// Bytes in pageable or pinned memory, elements on the device; both on the device.
using PageableToDevice = Stages<space::Device, space::Host, Queue<space::Device>, space::Device, space::Host>;
using PinnedToDevice = Stages<space::Device, space::Host, Queue<space::Device>, space::Device, space::Pinned>;
using OnDevice = Stages<space::Device, space::Device>;

TESSERA_INSTANCE template class Stages<space::Device, space::Host, Queue<space::Device>, space::Device, space::Host>;
TESSERA_INSTANCE template class Stages<space::Device, space::Host, Queue<space::Device>, space::Device, space::Pinned>;
TESSERA_INSTANCE template class Stages<space::Device, space::Device>;
TESSERA_INSTANCE template class OpenArray<PageableToDevice>;
TESSERA_INSTANCE template class OpenArray<PinnedToDevice>;
TESSERA_INSTANCE template class OpenArray<OnDevice>;
TESSERA_INSTANCE template class ComposedPipeline<space::Device, space::Host>;
TESSERA_INSTANCE template class ComposedPipeline<space::Device, space::Device>;
TESSERA_INSTANCE template class CastStage<space::Device, space::Host>;
TESSERA_INSTANCE template class CastStage<space::Host, space::Device>;

TESSERA_INSTANCE template std::uint64_t place_by_kernels(std::span<Placement<space::Device> const>,
                                                         PlacementForm const&, Queue<space::Device>&, std::uint64_t,
                                                         BytesInPlace const&);
TESSERA_INSTANCE template std::uint64_t place_listed_by_kernels(ListedBatch<space::Device> const&, PlacementForm const&,
                                                      Queue<space::Device>&, std::uint64_t, BytesInPlace const&);
TESSERA_INSTANCE template void find_filled_by_kernels(ByteView<space::Device>, std::size_t, ByteView<space::Host>,
                                            std::span<std::uint8_t>, Queue<space::Device>&);

}  // namespace detail
}}  // namespace tessera::v0
