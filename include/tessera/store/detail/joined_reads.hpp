// JoinedReads: ranges of a key that lie close together, in one read of a store that reads one at a time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/read_request.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Kept by a queue, which reuses its memory.
class JoinedReads {
  using Host = space::Host;
  using Request = ReadRequest<Host>;

 public:
  /// Requires: all requests are for `key`.
  template <class S>
  void run(S const& store, Key const& key, std::span<Request> requests, Queue<Host>& on) {
    wanted_.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto const& range = requests[i].range;
      bool const has_end = !range.from_end && range.size < ~range.offset;  // known without the value
      if (has_end && requests.size() > 1)
        wanted_.push_back({range.offset, range.size, i});
      else
        read_one(store, requests[i], on);
    }
    for (auto const run : runs_within(wanted_, requests.front().limits(usual_gap)))
      if (run.size() == 1)
        read_one(store, requests[run.front().request], on);
      else
        at_key(store, key, [&] { read_run(store, key, run, requests, on); });
  }

  std::size_t held() const { return room_.held(); }

 private:
  template <class S>
  static void read_one(S const& store, Request& request, Queue<Host>& on) {
    request.size = detail::read(store, *request.key, request.range, request.destination, on);
  }

  template <class S>
  void read_run(S const& store, Key const& key, std::span<WantedRange const> run, std::span<Request> requests,
                Queue<Host>& on) {
    auto const begin = run.front().offset;
    auto end = begin;
    for (auto const& range : run) end = std::max(end, range.offset + range.size);
    ByteSpan<Host> bytes;
    auto const most = end - begin;
    auto destination = [&](std::size_t n) {
      if (n > most) throw StoreError{to_text({"a range of ", n, " bytes, expected at most ", most})};
      return bytes = room_.take(n, on);
    };
    auto const stop = requests[run.front().request].destination.limits().stop;
    auto const found = store.read(key, {begin, most}, Destination<Host>{destination, {most, stop}}, on);
    expect_given(found, bytes.size, key);
    for (auto const& range : run) {
      auto& request = requests[range.request];
      request.size.reset();
      if (!found) continue;
      // A value that ended early has a known size by now.
      auto const [offset, size] = request.range.resolve(begin + bytes.size);
      auto const to = request.destination(checked_size(size, "the value"));
      if (to.size > 0) std::memcpy(to.data, bytes.data + (offset - begin), to.size);
      request.size = to.size;
    }
  }

  std::vector<WantedRange> wanted_;
  Scratch<Host> room_;
};

}}}  // namespace tessera::v0::detail
