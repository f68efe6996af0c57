// Elementwise: base of codecs that convert each element by itself, with function objects that kernels call, too.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Self has `decoder(chunk)` and `encoder(chunk)`, for the chunk as it reaches the codec. Each returns an object that
/// can be copied to a device, with:
///
///   static constexpr bool may_refuse                                           whether an element may have no result
///   std::size_t from_size, to_size;                                            bytes of an element before and after
///   template <std::size_t Most>                                                at most Most elements; returns how many
///   std::size_t run(std::byte const* from, std::byte* to, std::size_t) const   precede the first without a result
template <class Self>
struct Elementwise {
  using kind = array_to_array;
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    return run(self().decoder(chunk), from, to);
  }
  std::size_t decode_part(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                          ChunkPart part, Queue<space::Host>&) const {
    auto const f = self().decoder(chunk);
    return run(f, from, to, part.first / f.to_size);
  }
  ByteRange encoded_range(ChunkSpecification const& chunk, ByteRange part) const {
    auto const f = self().decoder(chunk);
    return {part.offset / f.to_size * f.from_size, part.size / f.to_size * f.from_size};
  }
  std::size_t encode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    return run(self().encoder(chunk), from, to);
  }

  /// Throws: CodecError, if these are not whole elements, or there is no room for their results.
  template <class F>
  static std::size_t count(F const& f, std::size_t from, std::size_t to) {
    auto const count = from / f.from_size;
    if (count * f.from_size != from || to / f.to_size < count)
      throw CodecError{to_text({"found ", from, " bytes, expected ", to / f.to_size, " elements of ", f.from_size})};
    return count;
  }
  [[noreturn]] static void refuse_element(std::size_t i) {
    throw CodecError{to_text({"element ", i, " of the chunk has no equal value in the target type"})};
  }

 private:
  Self const& self() const { return static_cast<Self const&>(*this); }

  // `before`: elements of the chunk before these.
  template <class F>
  static std::size_t run(F const& f, ByteView<space::Host> from, ByteSpan<space::Host> to, std::size_t before = 0) {
    constexpr std::size_t most = 256;
    auto const all = count(f, from.size, to.size);
    for (std::size_t i = 0; i < all; i += most) {
      auto const n = std::min(most, all - i);
      auto const made = f.template run<most>(from.data + i * f.from_size, to.data + i * f.to_size, n);
      if (made != n) refuse_element(before + i + made);
    }
    return all * f.to_size;
  }
};

/// Copies elements, or components of them, unchanged.
struct CopyElements {
  static constexpr bool may_refuse = false;
  std::size_t from_size, to_size = from_size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* from, std::byte* to, std::size_t n) const {
    for (std::size_t i = 0; i < n * from_size; ++i) to[i] = from[i];
    return n;
  }
};

/// The encoded fill value, for a chunk of the same shape. Throws: CodecError, if it has no encoding.
template <class Codec>
std::vector<std::byte> encoded_fill(Codec const& codec, ChunkSpecification const& chunk, DataType type) {
  std::vector<std::byte> fill(type.size);
  if (chunk.fill.size() != chunk.type.size) return fill;
  Queue<space::Host> on;
  codec.encode(chunk, {chunk.fill.data(), chunk.fill.size()}, {fill.data(), fill.size()}, on);
  return fill;
}

}}}  // namespace tessera::v0::detail
