// ValueBatch: a mini-batch for a codec that changes values: its elements are in C order, and its neighbours may have
// other orders.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/codec_calls.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/place/detail/place_in_host_memory.hpp>
#include <tessera/place/detail/place_runs.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Memory for elements in C order, if they have another order before or after.
template <MemorySpace S>
class ValueBatch {
 public:
  /// Calls `decode(tasks)` with the tasks' bytes in C order and aligned. Throws: CodecError, if their size is not the
  /// form's.
  template <class Decode>
  void decode(ValueChange const& change, std::span<CodecTask<S>> tasks, std::size_t most, queue_for<S>& on,
              Decode&& decode) {
    auto const size = change.encoded_size();
    bool is_aligned = true;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      expect_size(tasks[i].from.size, size, i);
      is_aligned &= reinterpret_cast<std::uintptr_t>(tasks[i].from.data) % change.encoded.type.component() == 0;
    }
    if (!change.is_dense || !is_aligned) {
      auto const destination = take(size, std::max(most, tasks.size()), on);
      auto const dense = Layout::c_order(change.encoded.shape, change.encoded.type.size);
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        placements_.push_back({tasks[i].from.data, destination.data + i * size, change.encoded.shape});
        tasks[i].from = destination.sub(i * size, size);
      }
      place(change.layout, dense, on);
    }
    decode(tasks);
  }

  /// Encoded bytes of one chunk, aligned for their elements.
  ByteView<S> aligned(ValueChange const& change, ByteView<S> from, queue_for<S>& on) {
    if (reinterpret_cast<std::uintptr_t>(from.data) % change.encoded.type.component() == 0) return from;
    auto const room = scratch_.take(from.size, on);
    std::memcpy(room.data, from.data, from.size);
    return room;
  }

  /// Calls `encode(tasks)`, which gives elements in C order, and puts them at the tasks' destinations in the next
  /// stage's layout. Throws: CodecError naming the codec, if their size is wrong.
  template <class Encode>
  void encode(ValueChange const& change, std::string_view codec, std::span<CodecTask<S>> tasks, std::size_t most,
              queue_for<S>& on, Encode&& encode) {
    auto const size = change.encoded_size();
    targets_.clear();
    if (!change.is_dense) {
      auto const destination = take(size, std::max(most, tasks.size()), on);
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        targets_.push_back(tasks[i].to);
        tasks[i].to = destination.sub(i * size, size);
      }
    }
    encode(tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) try {
        expect_size(tasks[i].size, size, i);
      } catch (Error& error) {
        error.in_codec(codec);
        throw;
      }
    if (change.is_dense) return;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      placements_.push_back({tasks[i].to.data, targets_[i].data, change.encoded.shape});
      tasks[i].to = targets_[i];
    }
    place(Layout::c_order(change.encoded.shape, change.encoded.type.size), change.layout, on);
  }

 private:
  ByteSpan<S> take(std::size_t size, std::size_t most, queue_for<S>& on) {
    placements_.clear();
    return scratch_.take(checked_size(checked_product(most, size, "a batch"), "a batch"), on);
  }
  void place(Layout const& from, Layout const& to, queue_for<S>& on) {
    if constexpr (check_placer<S>()) {
      PlacementForm const whole{from.item_size, std::max(from.swapped, to.swapped), {}, from.strides, to.strides, false,
                                from.runs.empty() ? to.runs : from.runs};
      for (PlacedRuns runs{placements_, whole}; runs.next();)
        if constexpr (std::same_as<S, space::Host>)
          place_in_host_memory(placements_, runs.form(), on);
        else
          placer<S>::place(placements_, runs.form(), on);
    }
  }

  std::vector<Placement<S>> placements_;
  std::vector<ByteSpan<S>> targets_;
  Scratch<S> scratch_;
};

}  // namespace detail
}}  // namespace tessera::v0
