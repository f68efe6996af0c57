// FetchBuffers: memory for the stored values of a mini-batch being read.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Values that cross to another space, or are in device memory, are contiguous, so that one copy moves all. Others each
/// have memory of their exact size.
template <MemorySpace S, MemorySpace Staging>
class FetchBuffers {
  static constexpr bool shares = !std::same_as<Staging, space::Host>;

 public:
  /// Begins with `values` values, in one of `parts` parts of a mini-batch.
  template <class AnyQueue>
  void begin(std::size_t values, ResolvedChunk const& form, std::size_t parts, AnyQueue& on) {
    if (own_.size() < values) own_.resize(values);
    used_ = 0;
    // The alignment that device codecs require. Elements, and bytes that cross, have no gaps.
    step_ = form.stores_elements || std::same_as<S, space::Host> ? 1 : 256;
    if constexpr (shares) {
      auto const each = rounded(form.encoded_bound());
      left_ = slab_size_ = checked_size(checked_product(values, each, "a mini-batch"), "a mini-batch");
      if (auto const most = most_pinned / parts; std::same_as<Staging, space::Pinned> && left_ > most)
        slab_size_ = each * std::max(most / each, std::size_t{1});
      slabs_ = 0;
      take_slab(on);
    }
  }

  /// For value i. A value larger than this program's encoders produce has separate memory.
  template <class AnyQueue>
  ByteSpan<S> take(std::size_t i, std::size_t n, AnyQueue& on) {
    if constexpr (shares)
      if (n > slab_.size - used_ && n <= std::min(slab_size_, left_)) take_slab(on);
    if (!shares || n > slab_.size - used_) return seen_in<S>(own_[i].take(n, queue_in<Staging>(on)));
    auto const destination = slab_.sub(used_, n);
    used_ = std::min(slab_.size, used_ + rounded(n));
    return seen_in<S>(destination);
  }

  /// The slab that the first destinations share, if any; each begins at a multiple of alignment().
  ByteSpan<S> slab() const { return shares ? seen_in<S>(slab_) : ByteSpan<S>{}; }
  std::size_t alignment() const { return step_; }

 private:
  // Pinned memory is costly to allocate, and few mini-batches reach the encoders' bound. So a large one allocates slabs
  // as needed: of this many bytes for all its parts, or of one value.
  static constexpr auto most_pinned = std::size_t{64} << 20;
  template <class AnyQueue>
  void take_slab(AnyQueue& on) {
    if (shared_.size() == slabs_) shared_.emplace_back();
    auto const size = std::min(slab_size_, left_);
    slab_ = shared_[slabs_++].take(size, queue_in<Staging>(on));
    left_ -= size;
    used_ = 0;
  }

  std::size_t rounded(std::size_t n) const { return n > ~std::size_t{0} - step_ ? n : (n + step_ - 1) / step_ * step_; }

  std::vector<Scratch<Staging>> shared_;
  std::vector<Scratch<Staging>> own_;
  ByteSpan<Staging> slab_{};
  std::size_t used_ = 0, step_ = 1, slabs_ = 0, slab_size_ = 0, left_ = 0;  // left_: bytes for further slabs
};

}}}  // namespace tessera::v0::detail
