// Decode, Encode, DecodePart, EncodedRange: the calls of codecs, with or without the chunk's specification; and which of
// them a codec has.
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/elements.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Whether a codec has a function of that name, with any parameters: a second base with the name makes it ambiguous.
struct has_decode {
  void decode();
};
struct has_encode {
  void encode();
};
struct has_decode_part {
  void decode_part();
};
template <class C, class Other>
struct beside : C, Other {};
template <class C>
concept NamesDecode = (!std::is_final_v<C> && !requires { &beside<C, has_decode>::decode; }) || requires {
  &C::decode;
};
template <class C>
concept NamesEncode = (!std::is_final_v<C> && !requires { &beside<C, has_encode>::encode; }) || requires {
  &C::encode;
};

template <class C>
concept NamesDecodePart = (!std::is_final_v<C> && !requires { &beside<C, has_decode_part>::decode_part; }) || requires {
  &C::decode_part;
};

// A codec that is read through, with a layout.
template <class C>
concept ReadThrough = requires(C const& codec, Layout const& layout) {
  { codec.decoded(layout) } -> std::convertible_to<Layout>;
};

// The calls of a codec, with the chunk's specification if it takes that.
struct Decode {
  template <class C, class... A>
  requires requires(C const& codec, A&&... a) { codec.decode(std::forward<A>(a)...); }
  auto operator()(C const& codec, ChunkSpecification const&, A&&... a) const {
    return codec.decode(std::forward<A>(a)...);
  }
  template <class C, class... A>
  requires requires(C const& codec, ChunkSpecification const& chunk, A&&... a) {
    codec.decode(chunk, std::forward<A>(a)...);
  }
  auto operator()(C const& codec, ChunkSpecification const& chunk, A&&... a) const {
    return codec.decode(chunk, std::forward<A>(a)...);
  }
};
struct Encode {
  template <class C, class... A>
  requires requires(C const& codec, A&&... a) { codec.encode(std::forward<A>(a)...); }
  auto operator()(C const& codec, ChunkSpecification const&, A&&... a) const {
    return codec.encode(std::forward<A>(a)...);
  }
  template <class C, class... A>
  requires requires(C const& codec, ChunkSpecification const& chunk, A&&... a) {
    codec.encode(chunk, std::forward<A>(a)...);
  }
  auto operator()(C const& codec, ChunkSpecification const& chunk, A&&... a) const {
    return codec.encode(chunk, std::forward<A>(a)...);
  }
};

struct DecodePart {
  template <class C, class... A>
  requires requires(C const& codec, A&&... a) { codec.decode_part(std::forward<A>(a)...); }
  std::size_t operator()(C const& codec, ChunkSpecification const&, A&&... a) const {
    return codec.decode_part(std::forward<A>(a)...);
  }
  template <class C, class... A>
  requires requires(C const& codec, ChunkSpecification const& chunk, A&&... a) {
    codec.decode_part(chunk, std::forward<A>(a)...);
  }
  std::size_t operator()(C const& codec, ChunkSpecification const& chunk, A&&... a) const {
    return codec.decode_part(chunk, std::forward<A>(a)...);
  }
};
struct EncodedRange {
  template <class C>
  requires requires(C const& codec, ByteRange part) { codec.encoded_range(part); }
  ByteRange operator()(C const& codec, ChunkSpecification const&, ByteRange part) const {
    return codec.encoded_range(part);
  }
  template <class C>
  requires requires(C const& codec, ChunkSpecification const& chunk, ByteRange part) {
    codec.encoded_range(chunk, part);
  }
  ByteRange operator()(C const& codec, ChunkSpecification const& chunk, ByteRange part) const {
    return codec.encoded_range(chunk, part);
  }
};
struct MemoryOfParts {
  template <class C>
  requires requires(C const& codec, std::size_t decoded) { codec.part_memory(decoded); }
  std::size_t operator()(C const& codec, ChunkSpecification const&, std::size_t decoded) const {
    return codec.part_memory(decoded);
  }
  template <class C>
  requires requires(C const& codec, ChunkSpecification const& chunk) { codec.part_memory(chunk); }
  std::size_t operator()(C const& codec, ChunkSpecification const& chunk, std::size_t) const {
    return codec.part_memory(chunk);
  }
};
template <class C>
concept SaysPartMemory = std::invocable<MemoryOfParts, C const&, ChunkSpecification const&, std::size_t>;
template <class C>
concept DecodesParts = std::invocable<DecodePart, C const&, ChunkSpecification const&, ByteView<space::Host>,
                                      ByteSpan<space::Host>, ChunkPart, Queue<space::Host>&>;
template <class C>
concept SaysEncodedRange = std::invocable<EncodedRange, C const&, ChunkSpecification const&, ByteRange>;
template <class C>
concept HasIndex = requires(C const& codec, ByteView<space::Host> index, ChunkPart part) {
  { codec.index_size(std::size_t{}) } -> std::convertible_to<std::size_t>;
  { codec.encoded_part(index, part) } -> std::convertible_to<ChunkPart>;
};
template <class C>
concept HasPartOfIndex = requires(C const& codec) {
  codec.index_size(std::size_t{});
} || requires(C const& codec, ByteView<space::Host> index, ChunkPart part) {
  codec.encoded_part(index, part);
};
template <class C>
concept SaysWhetherParts = requires(C const& codec) {
  { codec.decodes_parts() } -> std::convertible_to<bool>;
};

// Its parts begin at the first byte.
template <class C>
concept DecodesInOrder = requires {
  requires C::decodes_in_order;
};

template <class C>
concept SaysForm = requires(C const& codec, ChunkSpecification chunk) { codec.encoded(chunk); };

/// The chunk that an array-to-array codec makes of `chunk`. Throws: MetadataError, if it does not accept the elements.
template <class C>
ChunkSpecification encoded_chunk(C const& codec, ChunkSpecification const& chunk) {
  if constexpr (SaysForm<C>) {
    return codec.encoded(chunk);
  } else {
    if constexpr (AskedForElements<Decode, C>) expect_takes<Decode, C>(chunk.type);
    return chunk;
  }
}

// The space of a codec's output: that of its input ...
template <class C, class S>
struct encoded_space {
  using type = S;
};
// ... unless the codec states another, as a shard does whose inner pipeline changes spaces.
template <class C, class S>
requires requires { typename C::template encoded_space<S>; }
struct encoded_space<C, S> {
  using type = typename C::template encoded_space<S>;
};

}}}  // namespace tessera::v0::detail
