// LayOutBlosc, WriteBlosc: the last steps of blosc: the places of streams in their chunks' frames, and the frames.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_plan.hpp>
#include <tessera/codec/encoded_sizes.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// All streams of a mini-batch, an entry for each: shuffled bytes, and their encoding.
struct BloscStreamLists {
  void const* const* plain;
  std::size_t const* sizes;
  void* const* encoded;
  std::size_t const* encoded_sizes;  ///< null: nothing is encoded, and all chunks are stored
  std::int32_t const* statuses;
  std::uint64_t* places;  ///< where each begins in its frame

  /// A stream that does not shrink is stored.
  TESSERA_HOST_DEVICE bool shrinks(std::uint64_t i) const { return encoded_sizes[i] < sizes[i]; }
  TESSERA_HOST_DEVICE std::size_t size(std::uint64_t i) const { return shrinks(i) ? encoded_sizes[i] : sizes[i]; }
};

/// A thread for each chunk: the places of its streams, its frame's size, and the first status of a stream that is not
/// 0. Chunks below 128 bytes are stored uncompressed, as in c-blosc.
struct LayOutBlosc {
  BloscPlan const* plans;
  BloscStreamLists lists;
  EncodedSizes sizes;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    constexpr std::uint64_t least = 128;
    auto const& plan = plans[i];
    auto const& frame = plan.frame;
    auto const stored = BloscFrame::header + frame.content;
    auto at = BloscFrame::header + frame.blocks() * BloscFrame::number;
    std::int32_t status = 0;
    if (lists.encoded_sizes)
      for (auto n = plan.first_stream; n < plan.first_stream + frame.streams(); ++n) {
        lists.places[n] = at;
        at += BloscFrame::number + lists.size(n);
        if (status == 0) status = lists.statuses[n];
      }
    bool const shrinks = lists.encoded_sizes && status == 0 && frame.content >= least && at < stored;
    sizes.after[i] = shrinks ? at : stored;
    sizes.statuses[i] = status;
  }
};

/// A block of threads for each stream; the first stream's also writes the header.
struct WriteBlosc {
  static constexpr unsigned threads = 256, phases = 1;
  struct Shared {};

  BloscPlan const* plans;
  std::uint64_t count;
  BloscStreamLists lists;
  std::size_t const* sizes;  ///< of the frames

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t i, unsigned thread, Shared&) const {
    auto const number = plan_of(plans, count, &BloscPlan::first_stream, i);
    auto const& plan = plans[number];
    auto const n = i - plan.first_stream;
    auto const stream = plan.stream(n);
    bool const is_stored = sizes[number] == BloscFrame::header + plan.frame.content;
    if (thread == 0 && n == 0) put_header(plan, sizes[number], is_stored);
    if (is_stored) {
      auto const first = stream.block * plan.frame.block + stream.part * stream.size;
      return copy(plan.from + first, plan.to + BloscFrame::header + first, stream.size, thread);
    }
    auto const place = lists.places[i];
    if (thread == 0) {
      if (stream.part == 0) put(plan.to + BloscFrame::header + stream.block * BloscFrame::number, place);
      put(plan.to + place, lists.size(i));
    }
    auto const* const from = lists.shrinks(i) ? lists.encoded[i] : lists.plain[i];
    copy(static_cast<std::byte const*>(from), plan.to + place + BloscFrame::number, lists.size(i), thread);
  }

 private:
  TESSERA_HOST_DEVICE static void put_header(BloscPlan const& plan, std::uint64_t size, bool is_stored) {
    constexpr unsigned version = 2, of_inside = 1, shuffled = 1, stored = 2, bit_shuffled = 4, whole = 16;
    auto const& frame = plan.frame;
    auto flags = static_cast<unsigned>(frame.inside) << 5;
    if (frame.filter == BloscFilter::bytes) flags |= shuffled;
    if (frame.filter == BloscFilter::bits) flags |= bit_shuffled;
    if (frame.splits == 1) flags |= whole;
    if (is_stored) flags |= stored;
    plan.to[0] = static_cast<std::byte>(version);
    plan.to[1] = static_cast<std::byte>(of_inside);
    plan.to[2] = static_cast<std::byte>(flags);
    plan.to[3] = static_cast<std::byte>(frame.element);
    put(plan.to + 4, frame.content);
    put(plan.to + 8, frame.block);
    put(plan.to + 12, size);
  }
  TESSERA_HOST_DEVICE static void put(std::byte* to, std::uint64_t value) {
    for (unsigned i = 0; i < BloscFrame::number; ++i) to[i] = static_cast<std::byte>(value >> 8 * i & 0xff);
  }
  // Byte by byte, because streams lie anywhere; but neighbouring threads copy neighbouring bytes.
  TESSERA_HOST_DEVICE static void copy(std::byte const* from, std::byte* to, std::uint64_t size, unsigned thread) {
    for (std::uint64_t at = thread; at < size; at += threads) to[at] = from[at];
  }
};

}}}  // namespace tessera::v0::detail
