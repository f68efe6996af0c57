#include "timeline_report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/metadata/json.hpp>

#include "../element.hpp"
#include "../quantities.hpp"
#include "report.hpp"

namespace cli {
namespace {

using tessera::List;
using tessera::Members;
using tessera::Value;

constexpr std::size_t name_width = 11, picture_width = 66;

std::string milliseconds(double seconds) { return three_digits(seconds * 1e3) + " ms"; }
std::string with_share(double seconds, double all) {
  return padded(milliseconds(seconds), 10) + percent(seconds / all);
}

void print_picture(std::vector<Lane> const& lanes, double seconds) {
  for (auto const& lane : lanes)
    std::cout << padded(lane.name, name_width) << '|' << drawn(lane.busy, seconds, picture_width) << "|\n";
}

void print_figures(std::vector<Lane> const& lanes, double seconds) {
  std::cout << padded("", name_width) << padded("busy", 18) << "while another is\n";
  for (auto const& lane : lanes) {
    std::cout << padded(lane.name, name_width);
    if (lane.busy.empty())
      std::cout << "-\n";
    else
      std::cout << padded(with_share(length(lane.busy), seconds), 18) << with_share(lane.overlapped, seconds) << '\n';
  }
  auto const busy = busy_seconds(lanes), together = overlapped_seconds(lanes);
  std::cout << "two or more of them were busy for " << milliseconds(together) << ", none for "
            << milliseconds(std::max(seconds - busy, 0.0)) << '\n';
}

Value number(double n) { return tessera::Number{number_text(n)}; }
Value number(std::uint64_t n) { return tessera::Number{std::to_string(n)}; }

Value json_of(Span const& span) { return List{number(span.begin), number(span.end)}; }
Value json_of(std::optional<Span> const& span) { return span ? json_of(*span) : Value{}; }
Value json_of(Spans const& spans) {
  List list;
  for (auto const& span : spans) list.push_back(json_of(span));
  return list;
}

Value json_of(Timeline const& timeline) {
  auto const lanes = lanes_of(timeline);
  Members busy;
  for (auto const& lane : lanes)
    busy.push_back(
        {lane.name, Members{{"seconds", number(length(lane.busy))}, {"overlapped_seconds", number(lane.overlapped)}}});
  List batches;
  for (auto const& batch : timeline.batches)
    batches.push_back(Members{{"thread", number(std::uint64_t{batch.thread})},
                              {"fetched_bytes", number(batch.fetched)},
                              {"crossed_bytes", number(batch.crossed)},
                              {"fetch", json_of(batch.fetch)},
                              {"decode", json_of(batch.decode)},
                              {"copy", json_of(batch.copy)},
                              {"placement", json_of(batch.place)}});
  return Members{{"seconds", number(timeline.seconds)},
                 {"busy", std::move(busy)},
                 {"overlapped_seconds", number(overlapped_seconds(lanes))},
                 {"idle_seconds", number(std::max(timeline.seconds - busy_seconds(lanes), 0.0))},
                 {"mini_batches", std::move(batches)}};
}

}  // namespace

void print(Figures const& f, DeviceFigures const& d) {
  print_heading(f);
  std::cout << d.device << '\n';
  if (!f.read) {
    std::cout << "the region has no elements: nothing was measured\n";
    return;
  }
  std::cout << "\nread: " << three_digits(rate(f, f.read->median)) << " GB/s of elements ("
            << three_digits(rate(f, f.read->most)) << " to " << three_digits(rate(f, f.read->least)) << "), "
            << milliseconds(f.read->median) << "\n\none read with clocks beside it: " << d.timeline.batches.size()
            << (d.timeline.batches.size() == 1 ? " mini-batch in " : " mini-batches in ")
            << milliseconds(d.timeline.seconds) << '\n';
  auto const lanes = lanes_of(d.timeline);
  print_picture(lanes, d.timeline.seconds);
  std::cout << '\n';
  print_figures(lanes, d.timeline.seconds);
  std::cout
      << "\nfetch and decode: of all threads, by the host's clock. copy, to the device, and placement: by events of\n"
         "CUDA. A copy is taken to begin when the host has asked for it and the one before has ended.\n";
}

void print_json(Figures const& f, DeviceFigures const& d) {
  auto json = json_heading(f);
  json.push_back({"device", d.device});
  json.push_back({"read", json_of(f, f.read)});
  json.push_back({"timeline", f.read ? json_of(d.timeline) : Value{}});
  std::cout << tessera::to_json(json) << '\n';
}

}  // namespace cli
