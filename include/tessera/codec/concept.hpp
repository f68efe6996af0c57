// What a codec is: three kinds, as in the Zarr v3 core specification ("Codecs"). A codec type is an implementation; its
// name and configuration are the specification. Several types may share a name.
#pragma once
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include <tessera/codec/chunk.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/layout.hpp>

namespace tessera::inline v0 {

// The kinds. What a codec type of each has, besides `kind`, `name`, `runs_in<Space>`, `static C from(Reader&)` and
// `Value configuration() const`:
//
//   array_to_array   ChunkSpecification encoded(ChunkSpecification) const      what comes out, from what goes in
//                    Layout decoded(Layout) const                             the chunk seen through its encoded form
//   array_to_bytes   Layout layout(ChunkSpecification const&) const           the chunk seen through its bytes
//                    and, if that is not all: encoded_bound(ChunkSpecification), decode, encode
//   bytes_to_bytes   std::size_t encoded_bound(std::size_t) const             the most that encoding can make of so
//   many bytes
//                    decode, encode
//
// decode and encode take one chunk of host memory and return the size:
//   std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const
// or a batch in any space they run in: void decode(std::span<CodecTask<From, To>>, Queue& on) const.
// A codec that only rearranges or converts elements needs neither: it is read through, not run.
struct array_to_array {
  static constexpr bool reads_array = true, writes_array = true;
};
struct array_to_bytes {
  static constexpr bool reads_array = true, writes_array = false;
};
struct bytes_to_bytes {
  static constexpr bool reads_array = false, writes_array = false;
};

template <class C>
concept Codec = requires {
  typename C::kind;
  { C::name } -> std::convertible_to<std::string_view>;
};

template <class C, class S>
concept RunsIn = Codec<C> && MemorySpace<S> && C::template runs_in<S>;

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

template <MemorySpace S>
ByteView<space::Host> as_host(ByteView<S> bytes) {
  return {bytes.data, bytes.size};
}
template <MemorySpace S>
ByteSpan<space::Host> as_host(ByteSpan<S> bytes) {
  return {bytes.data, bytes.size};
}

// Runs f for a batch in memory that the host can touch, chunk by chunk, naming the chunk that fails.
template <class Task, class AnyQueue, class F>
void each_chunk_on_host(std::span<Task> batch, AnyQueue& on, F&& f) {
  on.wait();  // pinned and managed memory are in use until the queue says otherwise
  for (std::size_t i = 0; i < batch.size(); ++i) try {
      batch[i].size = f(as_host(batch[i].from), as_host(batch[i].to));
    } catch (Error& error) {
      error.in_chunk(i);
      throw;
    }
}

}  // namespace detail

/// Decodes a batch: by the codec's own batch function, or chunk by chunk. Throws: what the codec throws, with its name.
template <Codec C, MemorySpace From, MemorySpace To, class Queue>
void decode_batch(C const& codec, std::span<CodecTask<From, To>> batch, Queue& on) try {
  if constexpr (requires { codec.decode(batch, on); })
    codec.decode(batch, on);
  else
    detail::each_chunk_on_host(batch, on, [&](auto from, auto to) { return codec.decode(from, to, on.host()); });
} catch (Error& error) {
  error.in_codec(C::name);
  throw;
}

/// Encodes a batch, likewise.
template <Codec C, MemorySpace From, MemorySpace To, class Queue>
void encode_batch(C const& codec, std::span<CodecTask<From, To>> batch, Queue& on) try {
  if constexpr (requires { codec.encode(batch, on); })
    codec.encode(batch, on);
  else
    detail::each_chunk_on_host(batch, on, [&](auto from, auto to) { return codec.encode(from, to, on.host()); });
} catch (Error& error) {
  error.in_codec(C::name);
  throw;
}

/// The codec that a document's entry describes. Throws: MetadataError naming the codec and the member.
template <Codec C>
C make_codec(Specification const& specification) try {
  Reader configuration{specification.configuration, "configuration"};
  auto codec = C::from(configuration);
  configuration.finish();
  return codec;
} catch (Error& error) {
  error.in_codec(C::name);
  throw;
}

/// What a document's entry for this codec says.
template <Codec C>
Specification specification_of(C const& codec) {
  return {std::string{C::name}, codec.configuration()};
}

}  // namespace tessera::inline v0
