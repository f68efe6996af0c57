// Decoded chunks in the host's memory, within a budget: the one that was used least recently makes room.
#pragma once
#include "module.hpp"

#include <algorithm>
#include <list>
#include <unordered_map>
#include <vector>

namespace python {

/// For one thread at a time. A chunk's number is its place in the grid of inner chunks, in C order.
class KeptChunks {
 public:
  using Number = std::uint64_t;

  /// The memory's pages are taken as chunks come.
  KeptChunks(std::size_t slots, std::size_t chunk_bytes)
      : slots_{slots}, chunk_bytes_{chunk_bytes}, memory_{tessera::checked_size(
                                                     tessera::checked_product(slots, chunk_bytes, "kept chunks"),
                                                     "kept chunks")} {}

  std::size_t slots() const { return slots_; }
  std::size_t size() const { return places_.size(); }
  std::byte* data() { return memory_.span().data; }
  std::byte* data(std::size_t slot) { return data() + slot * chunk_bytes_; }

  bool has(Number number) const { return places_.contains(number); }
  /// Requires: the chunk is there. It is the last to make room for others then.
  std::size_t use(Number number) {
    auto const found = places_.at(number);
    order_.splice(order_.end(), order_, found);
    return found->slot;
  }
  /// Memory for a chunk that is not there. Requires: not all slots are in use since.
  std::size_t make_room() {
    if (!free_.empty()) {
      auto const slot = free_.back();
      free_.pop_back();
      return slot;
    }
    if (fresh_ < slots_) return fresh_++;
    auto const slot = order_.front().slot;
    places_.erase(order_.front().number);
    order_.pop_front();
    return slot;
  }
  /// The slot has the chunk now.
  void keep(Number number, std::size_t slot) { places_[number] = order_.insert(order_.end(), {number, slot}); }
  /// The slot has nothing.
  void give_back(std::size_t slot) { free_.push_back(slot); }

 private:
  struct Kept {
    Number number;
    std::size_t slot;
  };

  std::size_t slots_, chunk_bytes_, fresh_ = 0;
  tessera::HostBuffer memory_;
  std::vector<std::size_t> free_{};
  std::list<Kept> order_{};  // the least recently used first
  std::unordered_map<Number, std::list<Kept>::iterator> places_{};
};

}  // namespace python
