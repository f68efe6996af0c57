// write_back: writes changed chunks of a cache to the store: whole, grouped by shard, under the array's locks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Copies as read_listed and write_listed need them: in the order of their shards, with offsets from the lowest
/// address.
template <class State>
struct ListedCopies {
  using Copy = typename State::Copy;
  using T = typename State::element_type;

  ListedCopies(State& s, std::vector<Copy*> copies) : strides{Layout::c_order(s.chunk_shape, sizeof(T)).strides} {
    auto const& shard = s.array.chunk_shape();
    auto const shard_of = [&](Copy const* copy, std::size_t d) {
      return copy->of->number.place[d] * s.chunk_shape[d] / shard[d];
    };
    std::ranges::sort(copies, [&](Copy const* a, Copy const* b) {
      for (std::size_t d = 0; d < State::rank; ++d)
        if (shard_of(a, d) != shard_of(b, d)) return shard_of(a, d) < shard_of(b, d);
      return a->of->number.place < b->of->number.place;
    });
    for (auto const* copy : copies)
      if (!first || std::less<>{}(copy->data, first)) first = copy->data;
    for (auto const* copy : copies)
      chunks.push_back({copy->of->number.extents(), static_cast<std::uint64_t>(copy->data - first) / sizeof(T)});
    order = std::move(copies);
  }

  Strides strides;
  std::byte* first = nullptr;
  std::vector<PlacedChunk> chunks;
  std::vector<Copy*> order;  // of the chunks
};

/// To write the elements that were in the array ever since they were loaded. Memory beyond them is not initialised, or
/// has elements that a resize cut off.
template <class State>
struct WrittenCopies : ListedCopies<State> {
  WrittenCopies(State& s, std::vector<typename State::Copy*> copies) : ListedCopies<State>{s, std::move(copies)} {
    auto const none = Extents::filled(State::rank, 0);
    std::lock_guard lock{s.book};
    auto const array_shape = s.array.shape();
    s.see_shape(array_shape);
    std::size_t inside = 0;
    for (std::size_t i = 0; i < this->order.size(); ++i) {
      auto const& chunk = *this->order[i]->of;
      Extents left{s.shape_of(chunk.number, array_shape)};
      for (std::size_t d = 0; d < State::rank; ++d) left[d] = std::min(left[d], chunk.uncut[d]);
      if (std::ranges::find(left, std::uint64_t{0}) != left.end()) continue;
      auto& listed = this->chunks[inside++] = this->chunks[i];
      if (left == s.chunk_shape) continue;
      parts.reserve(this->order.size());  // their addresses stay
      parts.push_back({none, left, none});
      listed.wanted = &parts.back();
    }
    this->chunks.erase(this->chunks.begin() + static_cast<std::ptrdiff_t>(inside), this->chunks.end());
  }

  std::vector<Part> parts;  // of the chunks that are not written whole
};

/// Runs f, a read or a write of the array, and waits until the device is done too.
template <class F>
void run_and_wait(F&& f) {
  if constexpr (std::is_void_v<decltype(f())>)
    f();
  else
    f().wait();
}

/// The value of CacheState::writer in programs that write chunks; other programs do not compile it. Returns how many it
/// wrote: not those that a resize cut off.
template <class State>
std::size_t write_copies(State& s, Level level, std::vector<typename State::Copy*> const& copies) {
  WrittenCopies<State> const listed{s, copies};
  if (listed.chunks.empty()) return 0;
  if (level == Level::near) {
    s.order.join(s.users_of(copies));
    run_and_wait([&] {
      auto const array = s.array.untyped().on(s.order.own);
      return array.write_listed(listed.chunks, {listed.first, listed.strides}, s.options.write);
    });
  } else if constexpr (State::has_host_route) {
    s.order.host_waits();
    auto const seen = s.array.untyped().template through<space::Host>(s.order.own.host());
    seen.write_listed(listed.chunks, {listed.first, listed.strides}, s.options.write);
  }
  return listed.chunks.size();
}

/// Writes copies of one level back, except elements that a resize cut off, which are lost. Then none is dirty.
/// Requires: `moves`; no copy is held for writing. Throws: as a write; then all are still dirty, and some may have been
/// written.
template <Level L, class State>
void write_back(State& s, std::vector<typename State::Copy*> const& copies) {
  if (copies.empty()) return;
  auto const written = s.writer.load()(s, L, copies);
  std::lock_guard lock{s.book};
  for (auto const* copy : copies) copy->of->is_dirty = false;
  s.counted.written += written;
}

/// Writes back every dirty chunk that is not held for writing. Requires: `moves`. Returns the number held for writing.
template <class State>
std::size_t write_back_all(State& s) {
  std::vector<typename State::Copy*> near, host;
  std::size_t changing = 0;
  {
    std::lock_guard lock{s.book};
    for (auto& [number, chunk] : s.chunks) {
      if (chunk->is_written) ++changing;
      if (!chunk->is_dirty || chunk->is_written) continue;
      auto& copies = chunk->copies;
      copies[0].data ? near.push_back(&copies[0]) : host.push_back(&copies[1]);
    }
  }
  write_back<Level::near>(s, near);
  if constexpr (State::has_device) write_back<Level::host>(s, host);
  return changing;
}

/// Must be called before chunks are written to.
template <class State>
void may_write(State& s) {
  s.writer = &write_copies<State>;
}

/// The deleter of the last handle.
struct WriteBackAtTheEnd {
  template <class State>
  void operator()(State* state) const {
    try {
      auto const moving = state->moving();
      write_back_all(*state);
      state->order.host_waits();
    } catch (...) {  // flush would have reported it
    }
    std::uint64_t users = 0;
    for (auto const& [number, chunk] : state->chunks) users |= chunk->users;
    state->order.join_at_end(users);  // other queues may still use chunks
    delete state;
  }
};

}}}  // namespace tessera::v0::detail
