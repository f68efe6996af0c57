// All of tessera for device memory, for units that g++ or clang++ compile: what moves chunks to and from a device, with
// its kernels, is in the library tessera::compiled_cuda, which CMake has nvcc build of these very headers. Units that
// include this and units of nvcc that include <tessera/tessera.cuh> may be linked together. Conversion (read_as) and
// codecs that run on the device still need nvcc in the unit that uses them.
//
// The library's source is this file with its templates instantiated: cmake/components.cmake.
#pragma once
#include <tessera/compiled.hpp>
#include <tessera/tessera.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

template <>
inline constexpr bool is_compiled<space::Device> = true;

// Bytes in pageable or pinned memory, elements on the device; both on the device.
using PageableToDevice = ErasedPipeline<space::Device, space::Host, space::Device, space::Host, Queue<space::Device>>;
using PinnedToDevice = ErasedPipeline<space::Device, space::Host, space::Device, space::Pinned, Queue<space::Device>>;
using OnDevice = ErasedPipeline<space::Device, space::Device, space::Device, space::Device, Queue<space::Device>>;

extern template class Stages<space::Device, space::Host>;
extern template class Stages<space::Device, space::Device>;
extern template class ComposedPipeline<space::Device, space::Host>;
extern template class ComposedPipeline<space::Device, space::Device>;
extern template class CastStage<space::Device, space::Host>;
extern template class CastStage<space::Host, space::Device>;

extern template std::uint64_t place_by_kernels(std::span<Placement<space::Device> const>, PlacementForm const&,
                                               Queue<space::Device>&, std::uint64_t, BytesInPlace const&);
extern template std::uint64_t place_listed_by_kernels(ListedBatch<space::Device> const&, PlacementForm const&,
                                                      Queue<space::Device>&, std::uint64_t, BytesInPlace const&);
extern template void find_filled_by_kernels(ByteView<space::Device>, std::size_t, ByteView<space::Host>,
                                            std::span<std::uint8_t>, Queue<space::Device>&);

}  // namespace detail

extern template void read_chunks(ChunkAccess<detail::PageableToDevice> const&, ResolvedSelection const&,
                                 StridedSpan<space::Device> const&, Queue<space::Device>&, ReadOptions const&);
extern template void read_chunks(ChunkAccess<detail::PinnedToDevice> const&, ResolvedSelection const&,
                                 StridedSpan<space::Device> const&, Queue<space::Device>&, ReadOptions const&);
extern template void read_chunks(ChunkAccess<detail::OnDevice> const&, ResolvedSelection const&,
                                 StridedSpan<space::Device> const&, Queue<space::Device>&, ReadOptions const&);
extern template void write_chunks(ChunkAccess<detail::PageableToDevice> const&, Extents const&,
                                  ResolvedSelection const&, StridedView<space::Device> const&, Queue<space::Device>&,
                                  WriteOptions const&);
extern template void write_chunks(ChunkAccess<detail::PinnedToDevice> const&, Extents const&, ResolvedSelection const&,
                                  StridedView<space::Device> const&, Queue<space::Device>&, WriteOptions const&);
extern template void write_chunks(ChunkAccess<detail::OnDevice> const&, Extents const&, ResolvedSelection const&,
                                  StridedView<space::Device> const&, Queue<space::Device>&, WriteOptions const&);
extern template void write_shards(ChunkAccess<detail::PageableToDevice> const&, Extents const&,
                                  ResolvedSelection const&, StridedView<space::Device> const&, Queue<space::Device>&,
                                  WriteOptions const&);
extern template void write_shards(ChunkAccess<detail::PinnedToDevice> const&, Extents const&, ResolvedSelection const&,
                                  StridedView<space::Device> const&, Queue<space::Device>&, WriteOptions const&);
extern template void write_shards(ChunkAccess<detail::OnDevice> const&, Extents const&, ResolvedSelection const&,
                                  StridedView<space::Device> const&, Queue<space::Device>&, WriteOptions const&);

}}  // namespace tessera::v0
