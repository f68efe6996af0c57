#pragma once
#include <tessera/loader/detail/kept_chunks.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL bool KeptChunks::is_better(Chunk const& a, Chunk const& b) {
  if (a.needed != b.needed) return a.needed > b.needed;
  if (a.needed != 0 && a.is_missing != b.is_missing) return b.is_missing;  // saves the copy
  if (a.used != b.used) return a.used > b.used;
  return a.number < b.number;
}

TESSERA_DECL void KeptChunks::begin(std::span<NumberedChunk const> wanted) {
  ++batch_;
  later_ = 0;
  known_.clear();
  auto kept = kept_.begin();
  for (auto const& [number, index] : wanted) {
    for (; kept != kept_.end() && kept->number < number; ++kept) add(*kept);
    if (kept != kept_.end() && kept->number == number)
      known_.push_back({number, batch_, 0, kept++->slot, index, false});
    else
      known_.push_back({number, batch_, 0, none, index, true});
  }
  for (; kept != kept_.end(); ++kept) add(*kept);
}

TESSERA_DECL void KeptChunks::add(Chunk chunk) {
  chunk.needed = 0;
  chunk.index = none;
  chunk.is_missing = false;
  known_.push_back(chunk);
}

TESSERA_DECL void KeptChunks::need_later(std::span<NumberedChunk const> wanted) {
  ++later_;
  auto from = known_.begin();
  for (auto const& one : wanted) {
    from = std::lower_bound(from, known_.end(), one.number,
                            [](Chunk const& chunk, std::uint64_t number) { return chunk.number < number; });
    if (from == known_.end()) return;
    if (from->number == one.number) from->needed = later_;
  }
}

TESSERA_DECL void KeptChunks::decide() {
  order_.resize(known_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
  hits_.clear();
  missing_.clear();
  // First, because without memory halfway slots would be lost, or be free and in use.
  hits_.reserve(known_.size());
  missing_.reserve(known_.size());
  kept_.reserve(std::min(slots_, known_.size()));
  free_.reserve(std::min(slots_, fresh_ + known_.size()));
  for (auto const& chunk : known_)
    if (chunk.index != none && !chunk.is_missing) hits_.push_back({chunk.index, chunk.slot});
  auto const stay = std::min(slots_, order_.size());
  std::ranges::nth_element(order_, order_.begin() + static_cast<std::ptrdiff_t>(stay),
                           [&](std::size_t a, std::size_t b) { return is_better(known_[a], known_[b]); });
  for (auto const i : std::span{order_}.subspan(stay)) {
    auto& chunk = known_[i];
    if (chunk.slot != none) free_.push_back(chunk.slot);
    if (chunk.is_missing) missing_.push_back({chunk.index, none});
    chunk.slot = none;
    chunk.index = none;
    chunk.is_missing = false;
  }
  kept_.clear();
  for (auto& chunk : known_) {
    if (chunk.is_missing) missing_.push_back({chunk.index, chunk.slot = free_slot()});
    if (chunk.slot != none) kept_.push_back(chunk);
  }
  std::ranges::sort(missing_, {}, &Place::index);
}

TESSERA_DECL std::size_t KeptChunks::free_slot() {
  if (free_.empty()) return fresh_++;
  auto const slot = free_.back();
  free_.pop_back();
  return slot;
}

TESSERA_DECL void KeptChunks::forget_missing() {
  for (auto const& chunk : kept_)
    if (chunk.is_missing) free_.push_back(chunk.slot);
  std::erase_if(kept_, [](Chunk const& chunk) { return chunk.is_missing; });
}

}}}  // namespace tessera::v0::detail
