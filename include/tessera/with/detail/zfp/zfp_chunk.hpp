// ZfpMode and ZfpChunk: zfp's objects for one chunk. Needs libzfp 1 (BSD-3-Clause): link tessera::zfp.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#if !__has_include(<zfp.h>)
#error "tessera/with/zfp.hpp needs libzfp: on Debian or Ubuntu, apt install libzfp-dev"
#endif
#include <zfp.h>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/json_number.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// How much is kept of each block: one of zfp's modes, with its parameters.
struct ZfpMode {
  enum class Kind : std::uint8_t { reversible, expert, fixed_accuracy, fixed_rate, fixed_precision };
  Kind kind = Kind::reversible;
  JsonNumber number{};  ///< tolerance or rate
  std::uint32_t precision = 0, minbits = ZFP_MIN_BITS, maxbits = ZFP_MAX_BITS, maxprec = ZFP_MAX_PREC;
  std::int32_t minexp = ZFP_MIN_EXP;

  /// Each throws: MetadataError, which names the member.
  static ZfpMode of_accuracy(MemberValue const& tolerance) {
    ZfpMode mode{Kind::fixed_accuracy, JsonNumber::from(tolerance)};
    if (!(mode.number.number >= 0 && mode.number.number < HUGE_VAL)) tolerance.refuse("a number of at least 0");
    return mode;
  }
  static ZfpMode of_rate(MemberValue const& rate) {
    ZfpMode mode{Kind::fixed_rate, JsonNumber::from(rate)};
    if (!(mode.number.number >= 0 && mode.number.number <= 64)) rate.refuse("bits per element, from 0 to 64");
    return mode;
  }
  static ZfpMode of_precision(MemberValue const& precision) {
    return {Kind::fixed_precision, {}, precision.integer<std::uint32_t>(0, ZFP_MAX_PREC)};
  }

  void set(zfp_stream* stream, zfp_type type, unsigned rank) const {
    if (kind == Kind::reversible) zfp_stream_set_reversible(stream);
    if (kind == Kind::expert) (void)zfp_stream_set_params(stream, minbits, maxbits, maxprec, minexp);
    if (kind == Kind::fixed_accuracy) (void)zfp_stream_set_accuracy(stream, number.number);
    if (kind == Kind::fixed_rate) (void)zfp_stream_set_rate(stream, number.number, type, rank, zfp_false);
    if (kind == Kind::fixed_precision) (void)zfp_stream_set_precision(stream, precision);
  }
};

/// Kept by a queue for chunks of zfp. The library reads and writes whole words and checks no size: `words` has room for
/// the most that a chunk's blocks need, and zeros after the bytes stored.
struct ZfpScratch {
  std::vector<std::uint64_t> words{};
  std::vector<std::byte> integers{};
  std::vector<std::byte> decoded{};
};

/// Rows of a chunk's blocks, of which all dimensions behind one are whole, so that the blocks lie behind each other.
struct ZfpRows {
  zfp_field field;                     ///< of the elements of these blocks
  std::size_t first_block, blocks;     ///< in the chunk's order
  std::size_t elements = 1, skipped = 0;  ///< of the field; and before the first that is wanted
};

class ZfpChunk {
 public:
  /// Throws: MetadataError, if zfp does not support the elements or the number of dimensions.
  explicit ZfpChunk(ChunkSpecification const& chunk)
      : field_{field_of(chunk)}, rank_{zfp_field_dimensionality(&field_)}, stream_{zfp_stream_open(nullptr)} {
    if (!stream_) throw Error{"cannot allocate a zfp stream"};
  }
  ZfpChunk(ZfpChunk const&) = delete;
  ZfpChunk& operator=(ZfpChunk const&) = delete;
  ~ZfpChunk() {
    if (bits_) stream_close(bits_);
    zfp_stream_close(stream_);
  }

  zfp_stream* stream() { return stream_; }
  zfp_field* field() { return &field_; }
  void set(ZfpMode const& mode) { mode.set(stream_, field_.type, rank_); }

  /// Bytes of whole words, with a header. Per block: all bits of each element, at most one continuation bit per bit
  /// plane and per element, the exponent and the number of bits.
  std::size_t most() const {
    auto const all = checked_product(zfp_field_blocks(&field_), most_of_block(), "a chunk of zfp");
    return checked_size(all / 64 * 8 + ZFP_HEADER_MAX_BITS / 8 + 14, "a chunk of zfp") / 8 * 8;
  }
  /// Makes the stream read and write `words`.
  void open(std::vector<std::uint64_t>& words) {
    if (bits_) stream_close(bits_);
    bits_ = stream_open(words.data(), 8 * words.size());
    if (!bits_) throw Error{"cannot allocate a zfp stream"};
    zfp_stream_set_bit_stream(stream_, bits_);
    zfp_stream_rewind(stream_);
  }
  /// The same with a copy of these bits, and zeros behind them: zfp reads on by less than a block.
  void load(ByteView<space::Host> from, std::size_t first, std::size_t count, std::vector<std::uint64_t>& words) {
    auto const begin = std::min(first / 64 * 8, from.size), behind = (first + count + 63) / 64 * 8;
    words.assign((behind - first / 64 * 8) / 8 + most_of_block() / 64 + 2, 0);
    auto const size = std::min(behind, from.size) - begin;
    if (size > 0) std::memcpy(words.data(), from.data + begin, size);
    open(words);
    stream_rseek(bits_, first % 64);
  }
  bitstream* bits() { return bits_; }

  /// Whether each block has the same number of bits, so many that none is longer.
  bool has_equal_blocks() const {
    constexpr unsigned enough = 16;  // for an exponent
    return stream_->minbits == stream_->maxbits && stream_->maxbits >= enough;
  }
  /// The rows that have `count` elements from element `first` on. Requires: one or more.
  ZfpRows rows(std::size_t first, std::size_t count) const {
    std::size_t const sizes[]{field_.nx, field_.ny, field_.nz, field_.nw};  // of the fastest dimension first
    std::size_t rows[4]{}, each = zfp_field_size(&field_, nullptr), last = first + count - 1;
    ZfpRows found{field_, 0, 1};
    bool is_one = true;  // so far one index of each dimension
    for (auto d = rank_; d-- > 0;) {
      each /= sizes[d];
      auto const all = (sizes[d] + 3) / 4;
      auto const from = is_one ? first / each : 0, to = is_one ? last / each : sizes[d] - 1;
      rows[d] = std::min(sizes[d], to / 4 * 4 + 4) - from / 4 * 4;
      found.first_block = found.first_block * all + from / 4;
      found.blocks *= to / 4 - from / 4 + 1;
      found.elements *= rows[d];
      found.skipped = found.skipped * rows[d] + (is_one ? from % 4 : first / each);
      first %= each;
      if (is_one) last %= each;
      is_one = is_one && from == to;
    }
    found.field.nx = rows[0], found.field.ny = rows[1], found.field.nz = rows[2], found.field.nw = rows[3];
    return found;
  }

  /// Skips a header and adopts its mode. Throws: CodecError, if its elements or shape differ from the chunk's; accepts
  /// one dimension, which older versions of numcodecs gave every chunk.
  void read_header() {
    auto found = field_;
    bool const is_there = zfp_read_header(stream_, &found, ZFP_HEADER_FULL) != 0 && found.type == field_.type;
    auto const as_numbers = [](zfp_field const& field) { return std::array{field.nx, field.ny, field.nz, field.nw}; };
    auto const flat = std::array{zfp_field_size(&field_, nullptr), std::size_t{0}, std::size_t{0}, std::size_t{0}};
    if (!is_there || (as_numbers(found) != as_numbers(field_) && as_numbers(found) != flat))
      throw CodecError{"the chunk does not begin with a zfp header of these elements and this shape"};
    rank_ = zfp_field_dimensionality(&found);
    std::swap(found.data, field_.data);
    field_ = found;
  }

 private:
  std::size_t most_of_block() const {  // bits
    auto const values = std::size_t{1} << 2 * rank_;
    return std::max(values * (8 * zfp_type_size(field_.type) + 1) + 96, std::size_t{stream_->minbits});
  }
  static zfp_field field_of(ChunkSpecification const& chunk) {
    auto const rank = chunk.shape.rank();
    if (rank > 4) throw MetadataError{to_text({"found a chunk of ", rank, " dimensions, expected at most 4"})};
    std::size_t sizes[4]{rank == 0};  // of the last dimension first
    for (std::size_t d = 0; d < rank; ++d) sizes[d] = checked_size(chunk.shape[rank - 1 - d], "the chunk");
    return {type_of(chunk.type), sizes[0], sizes[1], sizes[2], sizes[3], 0, 0, 0, 0, nullptr};
  }
  static zfp_type type_of(DataType type) {
    bool const is_usual = type.format == NumberFormat::usual;
    if (is_usual && type.kind == DataKind::floating && type.size >= 4)
      return type.size == 4 ? zfp_type_float : zfp_type_double;
    if (is_usual && (type.kind == DataKind::signed_integer || type.kind == DataKind::unsigned_integer))
      return type.size == 8 ? zfp_type_int64 : zfp_type_int32;
    throw MetadataError{to_text({"found elements of ", type.name(), ", expected integers, float32 or float64"})};
  }

  zfp_field field_;
  unsigned rank_;
  zfp_stream* stream_;
  bitstream* bits_ = nullptr;
};

}}}  // namespace tessera::v0::detail
