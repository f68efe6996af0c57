// ZfpCodec: encodes and decodes chunks, whole or in part.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/zfp_integers.hpp>
#include <tessera/core/detail/with_integer.hpp>
#include <tessera/with/detail/zfp/zfp_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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

}}}  // namespace tessera::v0::detail
