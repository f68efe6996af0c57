// Sizes of encoded chunks in device memory: each encoder reads those of the one before it there, and the host reads them
// after the last.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The size that an encoder reported for a chunk of at most `most` bytes. It is arbitrary if the chunk could not be
/// encoded; an impossible size becomes 1, until the host sees the status.
TESSERA_HOST_DEVICE constexpr std::size_t sound_size(std::size_t said, std::size_t most) {
  return said == 0 || said > most ? 1 : said;
}

/// The lists of successive encoders. Kept by the queue: it allocates only to grow.
template <MemorySpace S>
class EncodedRows {
  using Staging = staging_t<S, space::Host>;
  using Queue = queue_for<S>;

 public:
  void begin(std::size_t chunks, std::size_t encoders, Queue& on) {
    chunks_ = chunks, encoders_ = encoders;
    there_ = memory_.take(in_steps(size()), on).data;
  }
  EncodedSizes there(std::size_t encoder) const {
    auto* const sizes = reinterpret_cast<std::size_t*>(there_);
    auto* const statuses = reinterpret_cast<std::int32_t*>(sizes + chunks_ * encoders_);
    return {encoder == 0 ? nullptr : sizes + (encoder - 1) * chunks_, sizes + encoder * chunks_,
            statuses + encoder * chunks_};
  }

  /// Copies all lists at once; the host may read them after waiting.
  void bring(Queue& on) {
    auto const here = answers_.take(in_steps(size()), on).sub(0, size());
    crossing<Staging, S>::copy(ByteView<S>{there_, size()}, here, on);
    here_ = here.data;
  }
  std::size_t size_of(std::size_t encoder, std::size_t chunk) const {
    return reinterpret_cast<std::size_t const*>(here_)[encoder * chunks_ + chunk];
  }
  std::int32_t status_of(std::size_t encoder, std::size_t chunk) const {
    auto const* const sizes = reinterpret_cast<std::size_t const*>(here_);
    return reinterpret_cast<std::int32_t const*>(sizes + chunks_ * encoders_)[encoder * chunks_ + chunk];
  }

  std::size_t held() const { return memory_.held() + answers_.held(); }

 private:
  std::size_t size() const { return chunks_ * encoders_ * (sizeof(std::size_t) + sizeof(std::int32_t)); }
  static std::size_t in_steps(std::size_t size) { return std::bit_ceil(std::max(size, std::size_t{1} << 14)); }

  std::size_t chunks_ = 0, encoders_ = 0;
  Scratch<S> memory_;
  Scratch<Staging> answers_;
  std::byte* there_ = nullptr;
  std::byte const* here_ = nullptr;
};

/// Runs chunks through successive encoders: calls start(k, EncodedSizes) for each encoder, waits once for all, and then
/// calls found(k, i, size, status) for each chunk i of each.
template <MemorySpace S, class Start, class Found>
void encode_in_turn(std::size_t chunks, std::size_t encoders, queue_for<S>& on, Start&& start, Found&& found) {
  if (chunks == 0) return;
  auto rows = on.template lease<EncodedRows<S>>();
  rows->begin(chunks, encoders, on);
  for (std::size_t k = 0; k < encoders; ++k) start(k, rows->there(k));
  rows->bring(on);
  rows.record();
  rows.wait();
  for (std::size_t k = 0; k < encoders; ++k)
    for (std::size_t i = 0; i < chunks; ++i) found(k, i, rows->size_of(k, i), rows->status_of(k, i));
}

}  // namespace detail
}}  // namespace tessera::v0
