// Codec: the concept of codecs, of three kinds as in the Zarr v3 core specification ("Codecs"). A codec type is an
// implementation; its name and configuration are the specification. Several types may share a name.
// ChunkSpecification, CodecTask, ChunkPart and EncodedSizes: what codecs get.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 {

/// A chunk as it reaches a codec when encoding: known from metadata alone.
struct ChunkSpecification {
  Extents shape;                  ///< in elements
  DataType type;                  ///< of its elements
  std::vector<std::byte> fill{};  ///< one element, in native byte order: shards may lack chunks, too
  std::vector<ComponentRun> components{};  ///< of a struct element

  /// Throws: MetadataError, if memory cannot hold it.
  std::size_t size_in_bytes() const;
};

/// One chunk of a batch. The codec reads `from`, writes into `to`, and sets `size` to the number of bytes written.
template <MemorySpace From, MemorySpace To = From>
struct CodecTask {
  ByteView<From> from;
  ByteSpan<To> to;
  std::size_t size = 0;
};

/// Some bytes of a chunk: `size` bytes from byte `first` on, of `whole`.
struct ChunkPart {
  std::size_t first, size, whole;
};

/// An encoder's input and output sizes: lists in device memory, an entry for each chunk.
struct EncodedSizes {
  std::size_t const* before = nullptr;  ///< bytes of each chunk, at most its task's size; null: that size
  std::size_t* after = nullptr;         ///< bytes of each encoded chunk, from the encoder
  std::int32_t* statuses = nullptr;     ///< from the encoder, for the codec's `expect_encoded`
};

// The kinds, and the members of a codec type of each, besides `kind` and `name`. A codec that does not run in all
// host-accessible spaces has `runs_in<Space>`; one with a configuration has `static C from(ObjectReader&)` and `Value
// configuration() const`.
//
//   array_to_array   ChunkSpecification encoded(ChunkSpecification) const      the encoded chunk
//                    Layout decoded(Layout) const                             the chunk seen through its encoded form
//                    or, if it changes values: decode, encode, and `encoded` if it changes more than these
//   array_to_bytes   Layout layout(ChunkSpecification const&) const           the chunk seen through its bytes
//                    and, if that is not all: encoded_bound(ChunkSpecification), decode, encode
//   bytes_to_bytes   std::size_t encoded_bound(std::size_t) const             largest encoded size, from a decoded one
//                    and, if encoded bytes state it:                          their largest decoded size or
//                    std::size_t decoded_bound(ByteView<space::Host>) const   `unbounded`; not trusted
//                    decode, encode
//                    and, if decoding needs memory besides its chunks:        its bytes, for a decoded size; a budget
//                    std::size_t decoding_memory(std::size_t) const           counts them
//
// decode and encode process one chunk in host memory and return the size:
//   std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const
// or a batch in any space where they run: void decode(std::span<CodecTask<From, To>>, Queue& on) const.
// A codec that changes values but not their type may process elements instead, for each T that it compiles for:
//   void decode(std::span<T const> from, std::span<T> to) const
// A bytes-to-bytes codec that encodes in device memory may leave the sizes there instead of setting them in the tasks:
//   void encode(std::span<CodecTask<From> const>, EncodedSizes const&, Queue& on) const            does not wait
//   void expect_encoded(CodecTask<From> const&, std::size_t size, std::int32_t status) const       when the host knows
// If the host need not know its input sizes either, it has `static constexpr bool takes_sizes = true`: the host does
// not wait between a codec that leaves sizes and the codecs after it that take them. If its output sizes follow from
// its input sizes alone, it has both forms of encode.
// A codec in host memory that can decode a part of a chunk alone has decode_part, which fills `to` and returns how many
// bytes it decoded for that. It notices damage of the part, and a wrong size of the whole; other damage may pass.
//   std::size_t decode_part(ByteView<space::Host> from, ByteSpan<space::Host> to, ChunkPart, Queue<space::Host>&) const
// `from` has all encoded bytes, unless the codec has one of these. An encoded size that is always encoded_bound, and
// the encoded bytes of a decoded range; `from` then has only those of the part, which may be the only ones read:
//   ByteRange encoded_range(ByteRange decoded) const
// Or, for bytes to bytes, the size of an index at the beginning of a chunk of that decoded size, and the encoded bytes
// of a part, at least one and within `whole`. Only these two may be read; other bytes of `from` are then undefined:
//   std::size_t index_size(std::size_t decoded) const
//   ChunkPart encoded_part(ByteView<space::Host> index, ChunkPart decoded) const
// A codec that decodes in order, and can stop early, has `static constexpr bool decodes_in_order = true`. Its parts
// begin at byte 0 of the chunk, and `from` has all encoded bytes.
// If only some of its configurations decode parts: bool decodes_parts() const. If decode_part needs memory besides its
// chunks, the most bytes for one call, by decoded size or specification; a budget without room decodes whole chunks:
//   std::size_t part_memory(std::size_t decoded) const
// A codec that reads arrays may have the ChunkSpecification as first parameter: bytes alone do not state their
// elements' type. A codec that only rearranges or converts elements needs neither decode nor encode: it is read
// through, not run. One that changes values processes whole chunks: contiguous elements in C order, in native byte
// order, aligned.
// Any codec may have `C fitted(ChunkSpecification const&) const`, its form for a new array whose chunks reach it like
// this; a bytes-to-bytes codec gets what the array-to-bytes codec gets. Any may have `void expect_encodes() const`,
// which throws a CodecError if the codec decodes, but does not encode, with its configuration; it is called when an
// array is created, and before each write.
// A codec whose encoded size follows from the decoded size has `static constexpr bool has_fixed_size = true`; one that
// accepts strings and bytes of any length has `takes_varying = true`.
// A bytes-to-bytes codec whose behaviour is undefined for damaged bytes has `static constexpr bool needs_checked_bytes
// = true`; one that decodes to the bytes that were encoded, or throws, has `checks_bytes = true`. The former requires
// the latter directly after it.
/// The kind of codecs whose input and output are arrays. `reads_array`, `writes_array`: what encoding reads and writes.
struct array_to_array {
  static constexpr bool reads_array = true, writes_array = true;
};
/// The kind of codecs that encode an array as bytes. `reads_array`, `writes_array`: as in array_to_array.
struct array_to_bytes {
  static constexpr bool reads_array = true, writes_array = false;
};
/// The kind of codecs whose input and output are bytes. `reads_array`, `writes_array`: as in array_to_array.
struct bytes_to_bytes {
  static constexpr bool reads_array = false, writes_array = false;
};

/// A `decoded_bound` of bytes that do not state their decoded size.
inline constexpr auto unbounded = ~std::size_t{0};

namespace detail {

template <class C>
concept SaysKind = requires {
  typename C::kind;
};
template <class K>
inline constexpr bool is_codec_kind = std::same_as<K, array_to_array> || std::same_as<K, array_to_bytes> ||
                                      std::same_as<K, bytes_to_bytes>;
// A member of each object, not of the type.
template <class C>
concept HasOwnName = std::is_member_object_pointer_v<decltype(&C::name)>;

}  // namespace detail

/// A type with a `kind`, and a static `name` that all its objects share.
template <class C>
concept Codec = requires {
  typename C::kind;
  { C::name } -> std::convertible_to<std::string_view>;
} && detail::is_codec_kind<typename C::kind> && !detail::HasOwnName<C>;

namespace detail {

template <class C, class S>
inline constexpr bool runs_in = S::host_accessible;
template <class C, class S>
requires requires { C::template runs_in<S>; }
inline constexpr bool runs_in<C, S> = C::template runs_in<S>;

}  // namespace detail

/// Whether a codec can decode and encode bytes in space S.
template <class C, class S>
concept RunsIn = Codec<C> && MemorySpace<S> && detail::runs_in<C, S>;

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/detail/concept.ipp>
#endif
