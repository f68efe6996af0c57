// When the parts of a read were active, the totals, and a picture.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

/// Seconds since the read began.
struct Span {
  double begin = 0, end = 0;
};
using Spans = std::vector<Span>;

/// Chunks that a read processes together.
struct MiniBatch {
  std::size_t thread = 0;                  ///< of the host's threads, the first to have a mini-batch is 0
  Spans fetch{};                           ///< calls of the store
  std::optional<Span> decode{};            ///< by the host; none, if no codec runs
  std::optional<Span> copy{};              ///< to the device; none, if all its chunks are missing
  Spans place{};                           ///< by kernels
  std::uint64_t fetched = 0, crossed = 0;  ///< bytes
};

struct Timeline {
  double seconds = 0;  ///< from the call until the elements are placed
  std::vector<MiniBatch> batches{};
};

/// The same time in spans that do not touch each other, in order.
inline Spans joined(Spans spans) {
  std::sort(spans.begin(), spans.end(), [](Span const& a, Span const& b) { return a.begin < b.begin; });
  Spans result;
  for (auto const& span : spans)
    if (!result.empty() && span.begin <= result.back().end)
      result.back().end = std::max(result.back().end, span.end);
    else
      result.push_back(span);
  return result;
}

/// The time that both share. Requires: each is joined.
inline Spans both(Spans const& a, Spans const& b) {
  Spans result;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    Span const part{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (part.begin < part.end) result.push_back(part);
    a[i].end < b[j].end ? ++i : ++j;
  }
  return result;
}

/// Requires: joined.
inline double length(Spans const& spans) {
  double total = 0;
  for (auto const& [begin, end] : spans) total += end - begin;
  return total;
}

/// One kind of work of a read.
struct Lane {
  char const* name;
  Spans busy;             ///< joined
  double overlapped = 0;  ///< seconds of that while another lane was busy, too
};

/// Fetching, decoding, copying and placement, of all mini-batches.
inline std::vector<Lane> lanes_of(Timeline const& timeline) {
  Spans fetch, decode, copy, place;
  for (auto const& batch : timeline.batches) {
    fetch.insert(fetch.end(), batch.fetch.begin(), batch.fetch.end());
    if (batch.decode) decode.push_back(*batch.decode);
    if (batch.copy) copy.push_back(*batch.copy);
    place.insert(place.end(), batch.place.begin(), batch.place.end());
  }
  std::vector<Lane> lanes{{"fetch", joined(std::move(fetch))},
                          {"decode", joined(std::move(decode))},
                          {"copy", joined(std::move(copy))},
                          {"placement", joined(std::move(place))}};
  for (auto& lane : lanes) {
    Spans others;
    for (auto const& other : lanes)
      if (&other != &lane) others.insert(others.end(), other.busy.begin(), other.busy.end());
    lane.overlapped = length(both(lane.busy, joined(std::move(others))));
  }
  return lanes;
}

/// Seconds in which any lane was busy.
inline double busy_seconds(std::vector<Lane> const& lanes) {
  Spans all;
  for (auto const& lane : lanes) all.insert(all.end(), lane.busy.begin(), lane.busy.end());
  return length(joined(std::move(all)));
}

/// Seconds in which two or more were.
inline double overlapped_seconds(std::vector<Lane> const& lanes) {
  Spans shared;
  for (auto const& lane : lanes)
    for (auto const& other : lanes)
      if (&lane < &other)
        for (auto const& part : both(lane.busy, other.busy)) shared.push_back(part);
  return length(joined(std::move(shared)));
}

/// A lane as a line of text: '#' where it was busy for at least half of a letter's time, '-' where for less.
inline std::string drawn(Spans const& busy, double seconds, std::size_t width) {
  std::string line(width, ' ');
  auto const each = seconds / static_cast<double>(width);
  for (std::size_t i = 0; i < width; ++i) {
    Span const here{each * static_cast<double>(i), each * static_cast<double>(i + 1)};
    bool any = false;
    for (auto const& span : busy) any = any || (span.begin < here.end && span.end >= here.begin);
    if (any) line[i] = 2 * length(both(busy, {here})) >= each ? '#' : '-';
  }
  return line;
}

}  // namespace cli
