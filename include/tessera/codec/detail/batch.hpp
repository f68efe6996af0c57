// decode_batch, encode_batch: run a codec on a batch of chunks.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/codec_calls.hpp>
#include <tessera/codec/detail/elements.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <MemorySpace S>
ByteView<space::Host> as_host(ByteView<S> bytes) {
  return {bytes.data, bytes.size};
}
template <MemorySpace S>
ByteSpan<space::Host> as_host(ByteSpan<S> bytes) {
  return {bytes.data, bytes.size};
}

template <class C>
inline constexpr bool is_of_values = C::kind::reads_array && C::kind::writes_array;

template <class Call, class C, class AnyQueue, class... A>
concept Asked = std::invocable<Call, C const&, ChunkSpecification const&, A..., AnyQueue&>;
template <class Call, class C, class Batch, class AnyQueue>
concept AskedForBatch = Asked<Call, C, AnyQueue, Batch>;
template <class Call, class C>
concept AskedForChunk = Asked<Call, C, Queue<space::Host>, ByteView<space::Host>, ByteSpan<space::Host>>;

// Leaves its sizes in device memory, for the codecs after it that take them there.
template <class C, class From, class To, class AnyQueue>
concept LeavesSizes = std::same_as<From, To> && !AskedForBatch<Encode, C, std::span<CodecTask<From, To>>, AnyQueue> &&
    requires(C const& codec, std::span<CodecTask<From> const> batch, EncodedSizes const& sizes, AnyQueue& on) {
  codec.encode(batch, sizes, on);
};
template <class C>
inline constexpr bool takes_sizes = false;
template <class C>
requires requires { C::takes_sizes; }
inline constexpr bool takes_sizes<C> = C::takes_sizes;

// A function of one chunk suffices where the host can access both sides.
template <class Call, class C, class From, class To, class AnyQueue>
concept RunsBatch = AskedForBatch<Call, C, std::span<CodecTask<From, To>>, AnyQueue> ||
    (From::host_accessible&& To::host_accessible && (AskedForChunk<Call, C> || AskedForElements<Call, C>)) ||
    (std::same_as<Call, Encode> && LeavesSizes<C, From, To, AnyQueue>);

template <class C, class Task, class AnyQueue>
void start_encoding(C const& codec, std::span<Task> batch, EncodedSizes const& sizes, AnyQueue& on) try {
  codec.encode(std::span<Task const>{batch}, sizes, on);
} catch (Error& error) {
  error.in_codec(C::name);
  throw;
}
// Sets a chunk's encoded size, once the host knows it. Throws: CodecError.
template <class C, class Task>
void take_size(C const& codec, Task& task, std::size_t i, std::size_t size, std::int32_t status) try {
  if constexpr (requires { codec.expect_encoded(task, size, status); }) codec.expect_encoded(task, size, status);
  task.size = size;
} catch (Error& error) {
  error.in_chunk(i).in_codec(C::name);
  throw;
}

template <class Call, class C, class Task, class AnyQueue>
void run_batch(Call call, C const& codec, ChunkSpecification const& chunk, std::span<Task> batch, AnyQueue& on) try {
  if constexpr (AskedForBatch<Call, C, std::span<Task>, AnyQueue>) {
    call(codec, chunk, batch, on);
  } else {
    on.wait();  // the queue may still use pinned and managed memory
    for (std::size_t i = 0; i < batch.size(); ++i) try {
        if constexpr (AskedForChunk<Call, C>)
          batch[i].size = call(codec, chunk, as_host(batch[i].from), as_host(batch[i].to), on.host());
        else
          call_with_elements(call, codec, chunk, batch[i]);
      } catch (Error& error) {
        error.in_chunk(i);
        throw;
      }
  }
} catch (Error& error) {
  error.in_codec(C::name);
  throw;
}

}  // namespace detail

/// Decodes a batch, by the codec's batch function or chunk by chunk. `chunk`: the chunk that the pipeline's
/// array-to-bytes codec encoded. Throws: exceptions of the codec, with its name.
template <Codec C, MemorySpace From, MemorySpace To, class Queue>
void decode_batch(C const& codec, ChunkSpecification const& chunk, std::span<CodecTask<From, To>> batch, Queue& on) {
  constexpr bool decodes = detail::RunsBatch<detail::Decode, C, From, To, Queue>;
  static_assert(decodes || !detail::is_of_values<C>,
                "tessera: this codec of values needs 'void decode(std::span<T const>, std::span<T>) const' for "
                "integers, float or double, or 'decode' for bytes or a batch");
  static_assert(decodes || detail::is_of_values<C>,
                "tessera: this codec lacks 'std::size_t decode(ByteView<space::Host>, ByteSpan<space::Host>, "
                "Queue<space::Host>&) const' or 'void decode(std::span<CodecTask<From, To>>, Queue&) const'");
  if constexpr (decodes) detail::run_batch(detail::Decode{}, codec, chunk, batch, on);
}

/// Encodes a batch, in the same way.
template <Codec C, MemorySpace From, MemorySpace To, class Queue>
void encode_batch(C const& codec, ChunkSpecification const& chunk, std::span<CodecTask<From, To>> batch, Queue& on) {
  constexpr bool encodes = detail::RunsBatch<detail::Encode, C, From, To, Queue>;
  static_assert(encodes || !detail::is_of_values<C>,
                "tessera: this codec of values needs 'void encode(std::span<T const>, std::span<T>) const' for "
                "integers, float or double, or 'encode' for bytes or a batch");
  static_assert(encodes || detail::is_of_values<C>,
                "tessera: this codec lacks 'std::size_t encode(ByteView<space::Host>, ByteSpan<space::Host>, "
                "Queue<space::Host>&) const' or 'void encode(std::span<CodecTask<From, To>>, Queue&) const'");
  if constexpr (detail::LeavesSizes<C, From, To, Queue>)
    detail::encode_in_turn<From>(
        batch.size(), 1, on,
        [&](std::size_t, EncodedSizes const& sizes) { detail::start_encoding(codec, batch, sizes, on); },
        [&](std::size_t, std::size_t i, std::size_t size, std::int32_t status) {
          detail::take_size(codec, batch[i], i, size, status);
        });
  else if constexpr (encodes)
    detail::run_batch(detail::Encode{}, codec, chunk, batch, on);
}

}}  // namespace tessera::v0
