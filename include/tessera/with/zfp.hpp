// codec::Zfp, which keeps as much of numbers as its mode says (zarr-extensions, codecs/zfp), and codec::Zfpy,
// numcodecs' zfpy, whose chunks begin with zfp's header. Needs libzfp 1 (BSD-3-Clause): link tessera::zfp.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/zfp_integers.hpp>
#include <tessera/core/detail/with_integer.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/with/detail/zfp/zfp_chunk.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Chunks of zfp, with or without its header.
template <bool HasHeader>
struct ZfpCodec {
  using kind = array_to_bytes;
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  ZfpMode mode{};

  /// Throws: MetadataError, if the codec does not support the elements or the number of dimensions.
  Layout layout(ChunkSpecification const& chunk) const {
    if (HasHeader && !takes(chunk.type))
      throw MetadataError{
          to_text({"found elements of ", chunk.type.name(), ", expected int32, int64, float32 or float64"})};
    (void)ZfpChunk{chunk};
    return Layout::c_order(chunk.shape, chunk.type.size);
  }
  std::size_t encoded_bound(ChunkSpecification const& chunk) const {
    ZfpChunk zfp{chunk};
    zfp.set(mode);
    return zfp.most();
  }

  std::size_t encode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>& on) const {
    auto const scratch = on.lease<ZfpScratch>();
    ZfpChunk zfp{chunk};
    zfp.set(mode);
    zfp.field()->data = promoted(chunk.type, from, scratch->integers);
    scratch->words.assign(zfp.most() / 8, 0);
    zfp.open(scratch->words);
    if (HasHeader && zfp_write_header(zfp.stream(), zfp.field(), ZFP_HEADER_FULL) == 0)
      throw CodecError{"the chunk has too many elements for a zfp header"};
    auto const size = (zfp_compress(zfp.stream(), zfp.field()) + 7) / 8 * 8;  // some builds have words of 8 bits
    if (size == 0) throw CodecError{"zfp keeps no bits of these elements in this mode"};
    if (size > to.size) throw CodecError{to_text({from.size, " bytes do not fit into ", to.size, " as zfp"})};
    std::memcpy(to.data, scratch->words.data(), size);
    return size;
  }

  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>& on) const {
    auto const scratch = on.lease<ZfpScratch>();
    ZfpChunk zfp{chunk};
    if (to.size < chunk.size_in_bytes())
      throw CodecError{to_text({"there is room for ", to.size, " bytes of elements"})};
    auto const load = [&](std::size_t room) {
      scratch->words.assign(room / 8, 0);
      if (from.size > 0) std::memcpy(scratch->words.data(), from.data, std::min(room, from.size));
      zfp.open(scratch->words);
    };
    zfp.set(mode);
    if (HasHeader) {
      load(24);
      zfp.read_header();
    }
    auto const least = zfp_field_blocks(zfp.field()) * zfp.stream()->minbits / 8;
    if (least > from.size) throw CodecError{to_text({"found ", from.size, " bytes, expected at least ", least})};
    load(zfp.most());
    if (HasHeader) zfp.read_header();
    bool const is_native = takes(chunk.type);
    scratch->integers.resize(is_native ? 0 : elements(chunk) * zfp_type_size(zfp.field()->type));
    zfp.field()->data = is_native ? static_cast<void*>(to.data) : scratch->integers.data();
    auto const used = zfp_decompress(zfp.stream(), zfp.field());
    expect_whole(from, used);
    if (!is_native) take(chunk.type, scratch->integers.data(), elements(chunk), to.data);
    return chunk.size_in_bytes();
  }

  /// At a fixed rate blocks have equal sizes. Decodes the rows of blocks that the part is in.
  bool decodes_parts() const { return mode.kind == ZfpMode::Kind::fixed_rate; }
  std::size_t part_memory(ChunkSpecification const& chunk) const {
    ZfpChunk zfp{chunk};
    return 2 * zfp.most() + chunk.size_in_bytes() + elements(chunk) * zfp_type_size(zfp.field()->type);
  }
  std::size_t decode_part(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                          ChunkPart part, Queue<space::Host>& on) const {
    auto const scratch = on.lease<ZfpScratch>();
    ZfpChunk zfp{chunk};
    zfp.set(mode);
    if (HasHeader) {
      zfp.load(from, 0, 192, scratch->words);
      zfp.read_header();
    }
    if (part.size == part.whole || !zfp.has_equal_blocks()) {
      scratch->decoded.resize(part.whole);
      (void)decode(chunk, from, {scratch->decoded.data(), part.whole}, on);
      std::memcpy(to.data, scratch->decoded.data() + part.first, part.size);
      return part.whole;
    }
    auto const item = chunk.type.size;
    auto const rows = zfp.rows(part.first / item, part.size / item);
    auto const bits_before = HasHeader ? stream_rtell(zfp.bits()) : 0;
    auto const bits = bits_before + zfp_field_blocks(zfp.field()) * zfp.stream()->maxbits;
    expect_whole(from, (bits + stream_alignment() - 1) / stream_alignment() * stream_alignment() / 8);
    auto const first = bits_before + rows.first_block * zfp.stream()->maxbits;
    zfp.load(from, first, rows.blocks * zfp.stream()->maxbits, scratch->words);
    scratch->integers.resize(rows.elements * zfp_type_size(zfp.field()->type));
    auto field = rows.field;
    field.data = scratch->integers.data();
    if (zfp_decompress(zfp.stream(), &field) == 0) throw CodecError{"zfp does not decode these blocks"};
    auto const* const found = scratch->integers.data() + rows.skipped * zfp_type_size(field.type);
    take(chunk.type, found, part.size / item, to.data);
    return rows.elements * item;
  }

 private:
  /// Whether zfp supports these elements without promotion.
  static bool takes(DataType type) { return type.size >= 4 && type.kind != DataKind::unsigned_integer; }
  static void expect_whole(ByteView<space::Host> from, std::size_t used) {
    bool const is_whole =  // some libraries write words of 64 bits, and some of 8
        from.size == (used + 7) / 8 * 8 || (from.size <= used && used - from.size < stream_alignment() / 8);
    if (used == 0 || !is_whole) throw CodecError{to_text({"found ", from.size, " bytes of zfp, expected ", used})};
  }
  /// Elements as zfp decodes them, in the chunk's type.
  static void take(DataType type, std::byte const* from, std::size_t count, std::byte* to) {
    if (takes(type)) {
      std::memcpy(to, from, count * type.size);
      return;
    }
    with_integer(type, [&](auto one) {
      using T = decltype(one);
      zfp_demote(reinterpret_cast<ZfpInteger<T> const*>(from), count, reinterpret_cast<T*>(to));
    });
  }
  static std::size_t elements(ChunkSpecification const& chunk) { return chunk.size_in_bytes() / chunk.type.size; }
  static void* promoted(DataType type, ByteView<space::Host> from, std::vector<std::byte>& integers) {
    if (takes(type)) return const_cast<std::byte*>(from.data);
    with_integer(type, [&](auto one) {
      using T = decltype(one);
      auto const count = from.size / sizeof(T);
      integers.resize(count * sizeof(ZfpInteger<T>));
      zfp_promote(reinterpret_cast<T const*>(from.data), count, reinterpret_cast<ZfpInteger<T>*>(integers.data()));
    });
    return integers.data();
  }
};

}  // namespace detail

namespace codec {

/// Configuration: `mode` and its members: "reversible" has none; "fixed_accuracy" `tolerance`, "fixed_rate" `rate` in
/// bits per element, "fixed_precision" `precision` in bit planes, "expert" `minbits`, `maxbits`, `maxprec` and
/// `minexp`. For integers, float32 and float64, in at most four dimensions.
struct Zfp : detail::ZfpCodec<false> {
  static constexpr std::string_view name = "zfp";

  static Zfp from(ObjectReader& configuration) {
    using Mode = detail::ZfpMode;
    auto const said = configuration.at("mode").one_of({names[0], names[1], names[2], names[3], names[4]});
    if (said == "fixed_accuracy") return {{Mode::of_accuracy(configuration.at("tolerance"))}};
    if (said == "fixed_rate") return {{Mode::of_rate(configuration.at("rate"))}};
    if (said == "fixed_precision") return {{Mode::of_precision(configuration.at("precision"))}};
    if (said == "reversible") return {};
    Zfp codec{{{Mode::Kind::expert}}};
    codec.mode.minbits = configuration.at("minbits").integer<std::uint32_t>(0, ZFP_MAX_BITS);
    codec.mode.maxbits = configuration.at("maxbits").integer<std::uint32_t>(std::max(1u, codec.mode.minbits));
    codec.mode.maxprec = configuration.at("maxprec").integer<std::uint32_t>(1, ZFP_MAX_PREC);
    codec.mode.minexp = configuration.at("minexp").integer<std::int32_t>(-32768, 32767);
    return codec;
  }
  Value configuration() const {
    using Kind = detail::ZfpMode::Kind;
    Members members{{"mode", names[static_cast<std::size_t>(mode.kind)]}};
    if (mode.kind == Kind::fixed_accuracy) members.push_back({"tolerance", mode.number.given});
    if (mode.kind == Kind::fixed_rate) members.push_back({"rate", mode.number.given});
    if (mode.kind == Kind::fixed_precision) members.push_back({"precision", Value::integer(mode.precision)});
    if (mode.kind == Kind::expert)
      for (auto const& [member, value] :
           {std::pair{"minbits", mode.minbits}, std::pair{"maxbits", mode.maxbits}, std::pair{"maxprec", mode.maxprec}})
        members.push_back({member, Value::integer(value)});
    if (mode.kind == Kind::expert) members.push_back({"minexp", Value::integer(mode.minexp)});
    return members;
  }

 private:
  static constexpr char const* names[]{"reversible", "expert", "fixed_accuracy", "fixed_rate", "fixed_precision"};
};

/// Configuration: `mode`, 2 to 5, by default 4, and its member: `rate` for 2, `precision` for 3, `tolerance` for 4. If
/// that is missing or negative, and with 5, it is reversible. For int32, int64, float32 and float64 in one to four
/// dimensions. Decoding follows the mode in a chunk's header.
struct Zfpy : detail::ZfpCodec<true> {
  static constexpr std::string_view name = "numcodecs.zfpy";

  int number = 4;  ///< the mode's

  static Zfpy from(ObjectReader& configuration) {
    Zfpy codec;
    if (auto const found = configuration.find("mode")) codec.number = found->integer<int>(2, 5);
    (void)configuration.find("compression_kwargs");  // numcodecs writes everything twice
    for (auto const& [member, number] : {std::pair{"rate", 2}, std::pair{"precision", 3}, std::pair{"tolerance", 4}}) {
      auto const found = configuration.find(member);
      if (!found || detail::JsonNumber::from(*found).number < 0 || number != codec.number) continue;
      codec.mode = number == 2   ? detail::ZfpMode::of_rate(*found)
                   : number == 3 ? detail::ZfpMode::of_precision(*found)
                                 : detail::ZfpMode::of_accuracy(*found);
    }
    return codec;
  }
  Value configuration() const {
    using Kind = detail::ZfpMode::Kind;
    auto const none = Value::integer(-1);
    return Members{{"mode", Value::integer(number)},
                   {"tolerance", mode.kind == Kind::fixed_accuracy ? mode.number.given : none},
                   {"rate", mode.kind == Kind::fixed_rate ? mode.number.given : none},
                   {"precision", mode.kind == Kind::fixed_precision ? Value::integer(mode.precision) : none}};
  }
};

}  // namespace codec

namespace detail {

template <class List>
struct with_zfp;
template <class... Cs>
struct with_zfp<Codecs<Cs...>> {
  using type = Codecs<Cs..., codec::Zfp, codec::Zfpy>;
};

}  // namespace detail

/// A list of codecs with these two added: `open_any<WithZfp<AllCodecs>>(store, "a")`.
template <class List>
using WithZfp = typename detail::with_zfp<List>::type;

}}  // namespace tessera::v0
