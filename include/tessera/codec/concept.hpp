// What a codec is: three kinds, as in the Zarr v3 core specification ("Codecs"). A codec type is an implementation; its
// name and configuration are the specification. Several types may share a name.
#pragma once
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/codec/chunk.hpp>
#include <tessera/codec/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 {

// The kinds. What a codec type of each has, besides `kind` and `name`; `runs_in<Space>`, if those are not all spaces
// that the host can touch; and, if it has a configuration, `static C from(ObjectReader&)` and `Value configuration()
// const`:
//
//   array_to_array   ChunkSpecification encoded(ChunkSpecification) const      what comes out, from what goes in
//                    Layout decoded(Layout) const                             the chunk seen through its encoded form
//                    or, if it changes values: decode, encode, and `encoded`, if it changes more than these
//   array_to_bytes   Layout layout(ChunkSpecification const&) const           the chunk seen through its bytes
//                    and, if that is not all: encoded_bound(ChunkSpecification), decode, encode
//   bytes_to_bytes   std::size_t encoded_bound(std::size_t) const             the largest encoded size of so many bytes
//                    and, if encoded bytes say:                               the largest decoded size of these, or
//                    std::size_t decoded_bound(ByteView<space::Host>) const   `unbounded`; they may lie
//                    decode, encode
//                    and, if decoding takes memory beside its chunks:         how many bytes, for a chunk that decodes
//                    std::size_t decoding_memory(std::size_t) const           to so many; a budget counts them
//
// decode and encode take one chunk of host memory and return the size:
//   std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const
// or a batch in any space they run in: void decode(std::span<CodecTask<From, To>>, Queue& on) const.
// A codec that changes values, and not their type, may take elements instead, of such T as it compiles for:
//   void decode(std::span<T const> from, std::span<T> to) const
// A bytes-to-bytes codec that encodes in device memory may leave the sizes there, and not put them into the tasks:
//   void encode(std::span<CodecTask<From> const>, EncodedSizes const&, Queue& on) const            waits for nothing
//   void expect_encoded(CodecTask<From> const&, std::size_t size, std::int32_t status) const       when the host knows
// If it need not know the sizes of what it encodes, either, it has `static constexpr bool takes_sizes = true`: between
// one that leaves sizes and those behind it that take them nobody waits. If sizes follow from those of its input alone,
// it has both forms of encode.
// A codec that reads arrays may take the ChunkSpecification before them: bytes alone do not say what their elements
// are. A codec that only rearranges or converts elements needs neither: it is read through, not run. One that changes
// values is given all of a chunk, and gives it: elements one after the other, in C order, in the machine's byte order,
// aligned. Any may have `C fitted(DataType) const`: what it is for a new array of such elements. A bytes-to-bytes codec
// whose behaviour is undefined where its bytes are damaged has `static constexpr bool needs_checked_bytes = true`, and
// one that decodes to what was encoded, or throws, `checks_bytes = true`: the one wants the other right behind it.
struct array_to_array {
  static constexpr bool reads_array = true, writes_array = true;
};
struct array_to_bytes {
  static constexpr bool reads_array = true, writes_array = false;
};
struct bytes_to_bytes {
  static constexpr bool reads_array = false, writes_array = false;
};

inline constexpr auto unbounded = ~std::size_t{0};

namespace detail {

template <class C>
concept SaysKind = requires {
  typename C::kind;
};
template <class K>
inline constexpr bool is_codec_kind = std::same_as<K, array_to_array> || std::same_as<K, array_to_bytes> ||
                                      std::same_as<K, bytes_to_bytes>;
// Of each object, and not of the type.
template <class C>
concept HasOwnName = std::is_member_object_pointer_v<decltype(&C::name)>;

}  // namespace detail

template <class C>
concept Codec = requires {
  typename C::kind;
  { C::name } -> std::convertible_to<std::string_view>;
} && detail::is_codec_kind<typename C::kind> && !detail::HasOwnName<C>;

namespace detail {

// Whether a codec has a function of that name, whatever it takes: two bases with the name make it ambiguous.
struct has_decode {
  void decode();
};
struct has_encode {
  void encode();
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

// A codec that is read through: by what its result is seen as.
template <class C>
concept ReadThrough = requires(C const& codec, Layout const& layout) {
  { codec.decoded(layout) } -> std::convertible_to<Layout>;
};

// The two things that are asked of a codec, with the chunk's specification if it takes that.
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

template <class C>
concept SaysForm = requires(C const& codec, ChunkSpecification chunk) { codec.encoded(chunk); };

/// The chunk that an array-to-array codec makes of this one. Throws: MetadataError, if it does not take such elements.
template <class C>
ChunkSpecification encoded_chunk(C const& codec, ChunkSpecification const& chunk) {
  if constexpr (SaysForm<C>) {
    return codec.encoded(chunk);
  } else {
    if constexpr (AskedForElements<Decode, C>) expect_takes<Decode, C>(chunk.type);
    return chunk;
  }
}

// Nothing that the codec has is left unused, and what its kind needs is there.
template <Codec C>
consteval bool check_codec() {
  if constexpr (std::same_as<typename C::kind, array_to_array>) {
    constexpr bool runs = NamesDecode<C> || NamesEncode<C>;
    constexpr bool is_one = !(runs && ReadThrough<C>);
    static_assert(is_one,
                  "tessera: this array-to-array codec has 'decode' or 'encode', which would not be called beside its "
                  "'Layout decoded(Layout) const': a codec that changes values has no such 'decoded', one that only "
                  "rearranges elements nothing else");
    constexpr bool is_any = runs || ReadThrough<C>;
    static_assert(is_any,
                  "tessera: this array-to-array codec lacks 'decode' and 'encode', if it changes values, or 'Layout "
                  "decoded(Layout) const', if it only rearranges elements");
    constexpr bool says_form = SaysForm<C> || !ReadThrough<C>;
    static_assert(says_form || !is_one || !is_any,
                  "tessera: this array-to-array codec lacks 'ChunkSpecification encoded(ChunkSpecification) const'");
    if constexpr (runs && SaysForm<C>) {
      constexpr bool keeps_type = !AskedForElements<Decode, C> && !AskedForElements<Encode, C>;
      static_assert(keeps_type,
                    "tessera: this array-to-array codec takes elements, which keep their type, and so has no "
                    "'encoded'; one that makes other elements of them takes bytes");
      return is_one && keeps_type;
    } else {
      return is_one && is_any && says_form;
    }
  } else if constexpr (std::same_as<typename C::kind, array_to_bytes>) {
    constexpr bool is_run = requires(C const& codec, ChunkSpecification const& chunk) { codec.encoded_bound(chunk); };
    constexpr bool names = NamesDecode<C> || NamesEncode<C>;
    static_assert(is_run || !names,
                  "tessera: this array-to-bytes codec has 'decode' or 'encode', which would not be called without "
                  "'std::size_t encoded_bound(ChunkSpecification const&) const'");
    return is_run || !names;
  } else {
    constexpr bool says_bound = requires(C const& codec) { codec.encoded_bound(std::size_t{}); };
    static_assert(says_bound,
                  "tessera: this bytes-to-bytes codec lacks 'std::size_t encoded_bound(std::size_t) const', the largest "
                  "encoded size of so many bytes");
    return says_bound;
  }
}

template <class C, class S>
inline constexpr bool runs_in = S::host_accessible;
template <class C, class S>
requires requires { C::template runs_in<S>; }
inline constexpr bool runs_in<C, S> = C::template runs_in<S>;
}  // namespace detail

template <class C, class S>
concept RunsIn = Codec<C> && MemorySpace<S> && detail::runs_in<C, S>;

namespace detail {

// The space a codec's output is in. It stays where its input is ...
template <class C, class S>
struct encoded_space {
  using type = S;
};
// ... unless it says otherwise, as a shard does whose inner pipeline crosses.
template <class C, class S>
requires requires { typename C::template encoded_space<S>; }
struct encoded_space<C, S> {
  using type = typename C::template encoded_space<S>;
};

}  // namespace detail
}}  // namespace tessera::v0
