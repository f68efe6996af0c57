// Codecs that change values at work on a mini-batch: they take elements in C order, and what is next to them may have
// other orders.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <tessera/buffer/scratch.hpp>
#include <tessera/codec/chunk.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/place/placement.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Where elements lie while they are in C order, if they lie otherwise before, or after.
template <MemorySpace S>
class ValueBatch {
 public:
  /// Lets `decode(tasks)` take what the tasks have, in C order and aligned. Throws: CodecError, if that is not as much
  /// as the form says.
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

  /// Lets `encode(tasks)` give elements in C order, and puts them where the tasks say as the next stage takes them.
  /// Throws: CodecError naming the codec, if it gave too little.
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
    constexpr bool places = requires { sizeof(placer<S>); };  // whoever has arrays has it
    static_assert(places,
                  "tessera: what places elements in this memory space is not there: include tessera/place/copy.hpp, or "
                  "tessera/tessera.cuh for the device's");
    if constexpr (places)
      placer<S>::place(placements_, {from.item_size, std::max(from.swapped, to.swapped), {}, from.strides, to.strides},
                       on);
  }

  std::vector<Placement<S>> placements_;
  std::vector<ByteSpan<S>> targets_;
  Scratch<S> scratch_;
};

}  // namespace detail
}}  // namespace tessera::v0
