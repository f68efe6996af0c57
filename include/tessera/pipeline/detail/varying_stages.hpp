// decode_varying and encode_varying: the way of strings and bytes through stages. Sizes are unknown until chunks are
// decoded.
// VlenIndexed: vlen, strings and bytes of any length behind an index of where each begins. Index and bytes have their
// own codecs (zarrs, https://codec.zarrs.dev/array_to_bytes/vlen). tessera decodes it, but does not encode it.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/codec/array_to_bytes/vlen.hpp>
#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/core/config.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/composed_pipeline.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/sharding.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A chunk's index or its bytes, decoded.
struct VlenPart {
  std::byte const* data = nullptr;
  Layout layout{};
};

/// The codecs of the index or of the bytes, by any names.
class VlenPartCodecs {
  using Host = space::Host;
  using P = ComposedPipeline<Host, Host>;

 public:
  VlenPartCodecs() = default;
  /// Throws: MetadataError.
  VlenPartCodecs(KnownCodecs known, MemberValue const& codecs) : pipeline_{known, specifications(codecs)} {
    if (pipeline_.shard()) codecs.refuse("codecs without shards");
  }

  /// The result is in `encoded` or in `kept`. Throws: CodecError, MetadataError.
  VlenPart decode(ByteView<Host> encoded, std::uint64_t count, DataType type, Scratch<Host>& kept,
                  Queue<Host>& on) const;

 private:
  P pipeline_;
};

}  // namespace detail

namespace codec {

template <class List>
struct VlenIndexed;

/// Configuration: `index_codecs` and `data_codecs`, from the program's list; `index_data_type`, "uint32" or "uint64";
/// and `index_location`, "start" (the default) or "end".
template <class... Cs>
struct VlenIndexed<Codecs<Cs...>> {
  using kind = array_to_bytes;
  static constexpr std::string_view name = "vlen";
  static constexpr bool takes_varying = true;
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Host>;
  /// The decoded bytes of a chunk until its elements are placed.
  struct kept {
    Scratch<space::Host> index, data;
  };

  Members given{};  ///< the configuration
  detail::VlenPartCodecs index{}, data{};
  DataType offset{DataKind::unsigned_integer, 4};
  bool is_at_end = false;

  static VlenIndexed from(ObjectReader& configuration) {
    VlenIndexed codec;
    auto const& known = detail::rows_of_list<space::Host, space::Host, Cs...>();
    codec.index = {known, configuration.at("index_codecs")};
    codec.data = {known, configuration.at("data_codecs")};
    if (configuration.at("index_data_type").one_of({"uint32", "uint64"}) == "uint64") codec.offset.size = 8;
    if (auto const found = configuration.find("index_location"))
      codec.is_at_end = found->one_of({"start", "end"}) == "end";
    for (auto const* member : {"index_codecs", "data_codecs", "index_data_type", "index_location"})
      if (auto const found = configuration.find(member)) codec.given.push_back({member, found->value()});
    return codec;
  }
  Value configuration() const { return given; }
  /// For a new array. Throws: CodecError: nothing could be written to it.
  VlenIndexed fitted(DataType) const { refuse(); }

  /// Throws: MetadataError, if its elements are of another type.
  Layout layout(ChunkSpecification const& chunk) const { return VlenV2{}.layout(chunk); }
  std::size_t encoded_bound(ChunkSpecification const& chunk) const { return VlenV2{}.encoded_bound(chunk); }

  /// Elements refer to `from` or to `place`. Throws: CodecError, if the chunk is not valid, or has strings that are not
  /// UTF-8.
  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>& on, kept& place) const {
    constexpr std::size_t width = 8;
    if (from.size < width) throw CodecError{to_text({from.size, " bytes, expected at least the 8 of the index size"})};
    auto const rest = from.sub(is_at_end ? 0 : width, from.size - width);
    auto const size = detail::frame_integer(from.data + (is_at_end ? rest.size : 0), width);
    if (size > rest.size)
      throw CodecError{to_text({"an index of ", size, " bytes does not fit within the ", from.size})};
    auto const split = static_cast<std::size_t>(size);
    auto const stored_index = rest.sub(is_at_end ? rest.size - split : 0, split);
    auto const stored_data = rest.sub(is_at_end ? 0 : split, rest.size - split);
    auto const count = to.size / sizeof(detail::ElementReference);
    auto const offsets = index.decode(stored_index, count + 1, offset, place.index, on);
    auto const all = offset_at(offsets, count);
    detail::VlenPart bytes;
    if (all > 0) bytes = data.decode(stored_data, all, {DataKind::unsigned_integer, 1}, place.data, on);
    if (all == 0 && stored_data.size > 0)
      throw CodecError{to_text({"found ", stored_data.size, " bytes of empty elements"})};
    bool const is_checked = chunk.type.kind == DataKind::string && !VlenUtf8::is_ascii({bytes.data, all});
    auto begin = offset_at(offsets, 0);
    for (std::size_t i = 0; i < count; ++i) {
      auto const end = offset_at(offsets, i + 1);
      if (begin > end || end > all)
        throw CodecError{
            to_text({"element ", i, " of ", count, " lies from ", begin, " to ", end, " of ", all, " bytes"})};
      detail::ElementReference const element{bytes.data + begin, end - begin};
      if (is_checked) VlenUtf8::expect_utf8(element, i);
      std::memcpy(to.data + i * sizeof element, &element, sizeof element);
      begin = end;
    }
    return count * sizeof(detail::ElementReference);
  }
  /// Throws: CodecError, always.
  std::size_t encode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw CodecError{"tessera decodes vlen and does not encode it: an array of it can be read, not written"};
  }
  std::uint64_t offset_at(detail::VlenPart const& offsets, std::size_t i) const {
    auto const* const at = offsets.data + static_cast<std::ptrdiff_t>(i) * offsets.layout.strides[0];
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < offset.size; ++k) {
      bool const is_little = (std::endian::native == std::endian::little) == (offsets.layout.swapped == 1);
      value |= std::to_integer<std::uint64_t>(at[is_little ? k : offset.size - 1 - k]) << 8 * k;
    }
    return value;
  }
};

}  // namespace codec

namespace detail {

// Decodes a chunk by a bytes-to-bytes stage. The encoded bytes promise only a bound, often much too large: room grows
// until the result fits.
inline void decode_growing(AnyStage const& stage, StageRun const& run, StageObject& lists, std::uint64_t most,
                           auto const& take) {
  auto& task = run.tasks.front();
  auto const bound = std::min<std::uint64_t>(stage.decoded_bound(task.from), most);
  constexpr std::uint64_t usual = 8, least = std::uint64_t{64} << 10, growth = 4;
  for (auto room = std::min(bound, std::max(usual * task.from.size, least));; room = std::min(bound, growth * room)) {
    task.to = take(room);
    try {
      return stage.decode(run, lists);
    } catch (CodecError const&) {
      if (room == bound) throw;
    }
  }
}

TESSERA_DECL void decode_varying(StageList stages, ResolvedChunk const& form, DecodeBuffers& buffers,
                                 StageQueues const& on);
TESSERA_DECL void encode_varying(StageList stages, ResolvedChunk const& form, EncodeBuffers& buffers,
                                 StageQueues const& on);

TESSERA_DECL void find_filled_varying(ByteView<space::Host> chunks, std::size_t size, ByteView<space::Host> element,
                                std::span<std::uint8_t> filled);

template <class C>
struct varying_stages {
  static constexpr VaryingStages value{&decode_varying, &encode_varying, &find_filled_varying};
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/varying_stages.ipp>
#endif
