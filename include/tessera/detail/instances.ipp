// The templates that src.hpp compiles once: opening, reading and writing arrays in files and memory, with the codecs
// that need no library. Included twice: TESSERA_INSTANCE is `extern` where units declare them.
namespace tessera { inline namespace v0 {
namespace detail {

using HostStages = Stages<space::Host, space::Host>;
using HostCodecs = ComposedPipeline<space::Host, space::Host>;
using HostFiles = LocalStore<HostBuffer>;
using HostValues = MemoryStore<HostBuffer>;
using HostArrayStore = ErasedArrayStore<space::Host>;

TESSERA_INSTANCE template class ErasedStoreOf<HostFiles>;
TESSERA_INSTANCE template class ErasedStoreOf<HostFiles, HostArrayStore>;
TESSERA_INSTANCE template class ErasedWritableStoreOf<HostFiles, HostArrayStore>;
TESSERA_INSTANCE template class ErasedArrayStoreOf<HostFiles>;
TESSERA_INSTANCE template class ErasedStoreOf<HostValues>;
TESSERA_INSTANCE template class ErasedStoreOf<HostValues, HostArrayStore>;
TESSERA_INSTANCE template class ErasedWritableStoreOf<HostValues, HostArrayStore>;
TESSERA_INSTANCE template class ErasedArrayStoreOf<HostValues>;
TESSERA_INSTANCE template class Stages<space::Host, space::Host>;
TESSERA_INSTANCE template class ComposedPipeline<space::Host, space::Host>;
TESSERA_INSTANCE template class StageOf<codec::Transpose, space::Host>;
TESSERA_INSTANCE template class StageOf<codec::Bytes, space::Host>;
TESSERA_INSTANCE template class StageOf<codec::Crc32c, space::Host>;

TESSERA_INSTANCE template class OpenArray<HostStages>;
TESSERA_INSTANCE template class ArrayState<HostFiles, HostCodecs>;
TESSERA_INSTANCE template class ArrayState<HostValues, HostCodecs>;
TESSERA_INSTANCE template std::shared_ptr<SharedArray> read_array(HostFiles const&, std::string const&);
TESSERA_INSTANCE template std::shared_ptr<SharedArray> read_array(HostValues const&, std::string const&);
TESSERA_INSTANCE template void throw_in_document(HostFiles const&, Key const&);
TESSERA_INSTANCE template void change_document(HostFiles const&, std::string const&, std::string_view,
                                               FunctionRef<void(Members&)>, Stop);
TESSERA_INSTANCE template void write_array(HostFiles const&, std::string const&, NewDocuments const&,
                                           ArrayMetadata const&, bool, Queue<space::Host>&);
TESSERA_INSTANCE template Group<HostFiles> make_group(HostFiles const&, std::string, Members, GroupOptions,
                                                   FunctionRef<void()>);
TESSERA_INSTANCE template Group<HostFiles> opened_group(HostFiles const&, std::string, OpenOptions);
TESSERA_INSTANCE template void throw_in_document(HostValues const&, Key const&);
TESSERA_INSTANCE template void change_document(HostValues const&, std::string const&, std::string_view,
                                               FunctionRef<void(Members&)>, Stop);
TESSERA_INSTANCE template void write_array(HostValues const&, std::string const&, NewDocuments const&,
                                           ArrayMetadata const&, bool, Queue<space::Host>&);
TESSERA_INSTANCE template Group<HostValues> make_group(HostValues const&, std::string, Members, GroupOptions,
                                                   FunctionRef<void()>);
TESSERA_INSTANCE template Group<HostValues> opened_group(HostValues const&, std::string, OpenOptions);

}  // namespace detail

TESSERA_INSTANCE template class LocalStore<HostBuffer>;
TESSERA_INSTANCE template class Group<detail::HostFiles>;
TESSERA_INSTANCE template class Group<detail::HostValues>;
TESSERA_INSTANCE template class MemoryStore<HostBuffer>;
TESSERA_INSTANCE template std::string to_string(Extents const&);
TESSERA_INSTANCE template std::string to_string(Strides const&);

TESSERA_INSTANCE template void write_document(detail::HostFiles const&, std::string_view, Value const&);
TESSERA_INSTANCE template void write_document(detail::HostValues const&, std::string_view, Value const&);

}}  // namespace tessera::v0
