// check_codec: a compile error for a codec with members that would not be called, or without one that its kind needs.
#pragma once
#include <concepts>
#include <cstddef>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/codec_calls.hpp>
#include <tessera/codec/detail/elements.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// The members of a codec that decodes parts belong together.
template <Codec C>
consteval bool check_parts() {
  static_assert(DecodesParts<C> || !NamesDecodePart<C>,
                "tessera: this codec's 'decode_part' would not be called: it must be 'std::size_t "
                "decode_part(ByteView<space::Host>, ByteSpan<space::Host>, ChunkPart, Queue<space::Host>&) const'");
  constexpr bool has_more =
      SaysEncodedRange<C> || SaysWhetherParts<C> || HasPartOfIndex<C> || SaysPartMemory<C> || DecodesInOrder<C>;
  static_assert(DecodesParts<C> || NamesDecodePart<C> || !has_more,
                "tessera: this codec has 'encoded_range', 'encoded_part', 'index_size', 'decodes_parts', 'part_memory' "
                "or 'decodes_in_order', which would not be used without 'decode_part'");
  constexpr bool is_either = !HasPartOfIndex<C> ? !(SaysEncodedRange<C> && DecodesInOrder<C>)
                                                : HasIndex<C> && !SaysEncodedRange<C> && !DecodesInOrder<C>;
  static_assert(!DecodesParts<C> || is_either,
                "tessera: this codec needs both 'index_size' and 'encoded_part', or only 'encoded_range', or only "
                "'decodes_in_order', or none of them");
  return DecodesParts<C> ? is_either : !NamesDecodePart<C> && !has_more;
}

// `fitted` before 0.3.
template <class C>
concept IsFittedToType = requires(C const& codec, DataType type) {
  codec.fitted(type);
};

// All members of the codec are used, and it has those that its kind requires.
template <Codec C>
consteval bool check_codec() {
  static_assert(!IsFittedToType<C>,
                "tessera: this codec's 'fitted' takes a DataType, and would not be called: it must be 'C "
                "fitted(ChunkSpecification const&) const', whose argument has the DataType as '.type'");
  if constexpr (IsFittedToType<C> || !check_parts<C>()) return false;
  if constexpr (std::same_as<typename C::kind, array_to_array>) {
    constexpr bool runs = NamesDecode<C> || NamesEncode<C>;
    constexpr bool is_one = !(runs && ReadThrough<C>);
    static_assert(is_one,
                  "tessera: this array-to-array codec has 'decode' or 'encode', which would not be called because it "
                  "has 'Layout decoded(Layout) const': remove this 'decoded' if the codec changes values, or "
                  "'decode' and 'encode' if it only rearranges elements");
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
                    "tessera: this array-to-array codec works on elements, which keep their type, so it must not have "
                    "'encoded'; a codec that changes the type works on bytes");
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
                  "tessera: this bytes-to-bytes codec lacks 'std::size_t encoded_bound(std::size_t) const', which "
                  "returns the largest encoded size for a decoded size");
    return says_bound;
  }
}

}}}  // namespace tessera::v0::detail
