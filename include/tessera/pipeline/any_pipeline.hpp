// Codecs composed when a file is opened. What a program can decode is in the type, as a list: what it includes never
// changes what a name means. Erased are whole batches, never elements; spaces stay static.
#pragma once
#include <concepts>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/codec/declared.hpp>
#include <tessera/pipeline/composed_pipeline.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/implementations.hpp>
#include <tessera/pipeline/named_stages.hpp>
#include <tessera/pipeline/stages.hpp>

namespace tessera { inline namespace v0 {

/// The codecs that a program names: `Codecs<codec::Transpose, codec::Bytes, codec::Zstd>`.
template <class... Cs>
struct Codecs {};

namespace detail {

/// Whether the headers of all of them are there, if it is such a list: the compiler says which one is not.
template <class List>
inline constexpr bool declares_codecs = true;
template <class... Cs>
inline constexpr bool declares_codecs<Codecs<Cs...>> = (check_declared<Cs>() && ...);

}  // namespace detail

/// Those that need no library.
using BuiltInCodecs = Codecs<codec::Transpose, codec::Bytes, codec::Crc32c>;

template <MemorySpace ArraySpace, MemorySpace BytesSpace = ArraySpace, class List = BuiltInCodecs>
class AnyPipeline;

/// Codecs of whichever names a document has. Each is run by an implementation in the list, in BytesSpace or in
/// ArraySpace. If these differ, chunks cross between the two where BusTraffic says that it costs least, and of equal
/// ways the one is taken that a Route takes. An implementation whose bytes must be checked is passed over where nothing
/// checks them. Copies share the codecs. Shards need no place in the list: their inner chunks pass the same codecs, and
/// what stands behind shards runs on the host.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, class... Cs>
class AnyPipeline<ArraySpace, BytesSpace, Codecs<Cs...>> : public detail::ComposedPipeline<ArraySpace, BytesSpace> {
  using Composed = detail::ComposedPipeline<ArraySpace, BytesSpace>;

 public:
  using core_type = Composed;  ///< what an array holds of it
  using typename Composed::Decoding, typename Composed::Encoding, typename Composed::queue_type;
  /// As Pipeline's members. Of each chunk, `crossings` are the least: there are two more where one codec runs in
  /// ArraySpace alone and one before it in BytesSpace alone.
  static constexpr bool has_fixed_size = (detail::has_fixed_size<Cs> && ...);
  using Composed::decode, Composed::encode;

  AnyPipeline() = default;

  /// The codecs that this type knows: "transpose, bytes, zstd".
  static std::string codec_names() { return detail::codec_names(detail::known_codecs<ArraySpace, BytesSpace, Cs...>); }

  /// The pipeline that a document describes. Throws: MetadataError naming the codec that this type does not know, or
  /// what is wrong with their order.
  static AnyPipeline from(std::span<Specification const> codecs) {
    return AnyPipeline{Composed{detail::known_codecs<ArraySpace, BytesSpace, Cs...>, codecs}};
  }

  /// The entries of its codecs in a document, complete, as zarr-python writes them; with a type, those of a new array
  /// of such elements.
  template <class... Type>
  requires(std::same_as<Type, DataType>&&...) std::vector<Specification> specifications(Type... type)
  const {
    return complete(*this, type...);
  }

  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    decode(form, chunks, *on.template lease<Decoding>(), on);
  }
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    encode(form, chunks, *on.template lease<Encoding>(), on);
  }

 private:
  explicit AnyPipeline(Composed&& composed) : Composed{std::move(composed)} {}

  template <class... Type>
  static std::vector<Specification> complete(Composed const& pipeline, Type... type) {
    std::vector<Specification> list;
    for (auto const& given : pipeline.codecs())
      if (auto const* const shard = pipeline.shard(); shard && given.name == shard->name)
        list.push_back({given.name, shard->configuration(complete(shard->inner, type...))});
      else
        detail::add_complete<Cs...>(list, given, type...);
    return list;
  }
};

}}  // namespace tessera::v0
