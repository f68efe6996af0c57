// All of tessera for the host, of which a program compiles the typed front alone: what moves chunks and reads documents
// is in the library tessera::compiled, which CMake builds of these very headers. Units that include this and units that
// include <tessera/tessera.hpp> may be linked together.
//
// The library's source is this file with its templates instantiated: cmake/components.cmake.
#pragma once
#include <tessera/tessera.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

using HostChunks = ErasedPipeline<space::Host, space::Host, space::Host, space::Host, Queue<space::Host>>;
using HostCodecs = ComposedPipeline<space::Host, space::Host>;
using HostFiles = LocalStore<HostBuffer>;
using HostValues = MemoryStore<HostBuffer>;
using WritableHostStore = ErasedWritableStore<space::Host>;

extern template class ErasedStoreOf<HostFiles>;
extern template class ErasedStoreOf<HostFiles, WritableHostStore>;
extern template class ErasedWritableStoreOf<HostFiles>;
extern template class ErasedStoreOf<HostValues>;
extern template class ErasedStoreOf<HostValues, WritableHostStore>;
extern template class ErasedWritableStoreOf<HostValues>;
extern template class DecodedShardStore<ErasedStore<space::Host>>;
extern template class DecodedShardStore<WritableHostStore>;
extern template class EncodedShardStore<DecodedShardStore<WritableHostStore>>;

extern template class Stages<space::Host, space::Host>;
extern template class ComposedPipeline<space::Host, space::Host>;
extern template class StageOf<codec::Transpose, space::Host>;
extern template class StageOf<codec::Bytes, space::Host>;
extern template class StageOf<codec::Crc32c, space::Host>;
extern template class IndexFormatOf<IndexPipeline>;

extern template struct ArrayState<HostFiles, HostCodecs>;
extern template struct ArrayState<HostValues, HostCodecs>;
extern template class OpenChunks<HostFiles, HostCodecs, false>;
extern template class OpenChunks<HostFiles, HostCodecs, true>;
extern template class OpenChunks<HostValues, HostCodecs, false>;
extern template class OpenChunks<HostValues, HostCodecs, true>;
extern template void write_parts(ArrayState<HostFiles, HostCodecs>&, Extents const&, ResolvedSelection const&,
                                 StridedView<space::Host> const&, Queue<space::Host>&, WriteOptions const&);
extern template void write_parts(ArrayState<HostValues, HostCodecs>&, Extents const&, ResolvedSelection const&,
                                 StridedView<space::Host> const&, Queue<space::Host>&, WriteOptions const&);
extern template void change_shape(ArrayState<HostFiles, HostCodecs>&, Extents const&, Queue<space::Host>&);
extern template void change_shape(ArrayState<HostValues, HostCodecs>&, Extents const&, Queue<space::Host>&);
extern template std::uint64_t compact_array(ArrayState<HostFiles, HostCodecs>&, ResolvedSelection const*,
                                            Queue<space::Host>&, CompactOptions const&);
extern template std::uint64_t compact_array(ArrayState<HostValues, HostCodecs>&, ResolvedSelection const*,
                                            Queue<space::Host>&, CompactOptions const&);
extern template std::shared_ptr<SharedArray> read_array(HostFiles const&, std::string const&);
extern template std::shared_ptr<SharedArray> read_array(HostValues const&, std::string const&);
extern template void throw_in_document(HostFiles const&, Key const&);
extern template void throw_in_document(HostValues const&, Key const&);

}  // namespace detail

extern template std::string to_string(Extents const&);
extern template std::string to_string(Strides const&);

extern template void read_chunks(ChunkAccess<detail::HostChunks> const&, ResolvedSelection const&,
                                 StridedSpan<space::Host> const&, Queue<space::Host>&, ReadOptions const&);
extern template void write_chunks(ChunkAccess<detail::HostChunks> const&, Extents const&, ResolvedSelection const&,
                                  StridedView<space::Host> const&, Queue<space::Host>&, WriteOptions const&);
extern template void write_shards(ChunkAccess<detail::HostChunks> const&, Extents const&, ResolvedSelection const&,
                                  StridedView<space::Host> const&, Queue<space::Host>&, WriteOptions const&);

extern template void write_document(detail::HostFiles const&, std::string_view, Value const&);
extern template void write_document(detail::HostValues const&, std::string_view, Value const&);

}}  // namespace tessera::v0
