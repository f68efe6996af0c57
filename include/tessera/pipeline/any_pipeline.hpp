// AnyPipeline: codecs composed when a file is opened. Its type lists the codecs that a program can decode, so an
// include never changes what a name means. Types are erased for whole batches, never for elements; spaces stay static.
#pragma once
#include <concepts>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/codec/detail/declared.hpp>
#include <tessera/pipeline/detail/composed_pipeline.hpp>
#include <tessera/pipeline/detail/implementations.hpp>
#include <tessera/pipeline/detail/named_stages.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/stages.hpp>

namespace tessera { inline namespace v0 {

/// A list of codecs: `Codecs<codec::Transpose, codec::Bytes, codec::Zstd>`.
template <class... Cs>
struct Codecs {};

namespace detail {

/// Whether the headers of a list's codecs are included; the compiler names a missing one.
template <class List>
inline constexpr bool declares_codecs = true;
template <class... Cs>
inline constexpr bool declares_codecs<Codecs<Cs...>> = (check_declared<Cs>() && ...);

}  // namespace detail

/// Codecs that need no other library.
using BuiltInCodecs = Codecs<codec::Transpose, codec::Bytes, codec::Crc32c>;

/// From elements in ArraySpace to bytes in BytesSpace; List is a Codecs<...>, the codecs that a file may name.
template <MemorySpace ArraySpace, MemorySpace BytesSpace = ArraySpace, class List = BuiltInCodecs>
class AnyPipeline;

/// Codecs by their names in a document. Each is run by an implementation from the list, in BytesSpace or in ArraySpace.
/// If these differ, chunks are copied between them where BusTraffic is least; among equal ways the rules of Route
/// decide. An implementation that needs checked bytes is skipped where no codec checks them. Copies share the codecs.
/// The list needs no entry for shards: their inner chunks pass the same codecs, and codecs after shards run on the
/// host.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, class... Cs>
class AnyPipeline<ArraySpace, BytesSpace, Codecs<Cs...>> : public detail::ComposedPipeline<ArraySpace, BytesSpace> {
  using Composed = detail::ComposedPipeline<ArraySpace, BytesSpace>;

 public:
  using core_type = Composed;  ///< the part that an array holds
  using typename Composed::Decoding, typename Composed::Encoding, typename Composed::queue_type;
  /// As Pipeline's members. `crossings` is the least number of copies per chunk; there are two more if one codec runs
  /// only in ArraySpace and one before it only in BytesSpace.
  static constexpr bool has_fixed_size = (detail::has_fixed_size<Cs> && ...);
  using Composed::decode, Composed::encode;

  AnyPipeline() = default;

  /// The names in the list: "transpose, bytes, zstd".
  static std::string codec_names() {
    return detail::codec_names(detail::rows_of_list<ArraySpace, BytesSpace, Cs...>());
  }

  /// The pipeline that a document describes. Throws: MetadataError naming the codec that the list lacks, or the error
  /// in their order.
  static AnyPipeline from(std::span<Specification const> codecs) {
    (void)detail::check_compiled<detail::stages_of<AnyPipeline>>();
    return AnyPipeline{Composed{detail::rows_of_list<ArraySpace, BytesSpace, Cs...>(), codecs}};
  }

  /// The complete entries of its codecs in a document, as zarr-python writes them; with a chunk, for a new array of
  /// such chunks. Throws: MetadataError, CodecError, if a codec does not accept them.
  template <class... Chunk>
  requires(std::same_as<Chunk, ChunkSpecification>&&...) std::vector<Specification> specifications(Chunk... chunk)
  const {
    return complete(*this, chunk...);
  }

  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    decode(form, chunks, *on.template lease<Decoding>(), on);
  }
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    encode(form, chunks, *on.template lease<Encoding>(), on);
  }

 private:
  explicit AnyPipeline(Composed&& composed) : Composed{std::move(composed)} {}

  template <class... Chunk>
  static std::vector<Specification> complete(Composed const& pipeline, Chunk... chunk) {
    std::vector<Specification> list;
    for (auto const& given : pipeline.codecs())
      if (auto const* const shard = pipeline.shard(); shard && given.name == shard->name)
        list.push_back({given.name, shard->configuration(complete(shard->inner, shard->inner_chunk(chunk)...))});
      else
        detail::add_complete<Cs...>(list, given, chunk...);
    return list;
  }
};

}}  // namespace tessera::v0
