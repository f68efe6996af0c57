#include "report.hpp"

#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/metadata/json.hpp>

#include "../element.hpp"
#include "../failure.hpp"
#include "../quantities.hpp"
#include "../utf8.hpp"
#include "advice.hpp"

namespace cli {
namespace {

using tessera::List;
using tessera::Members;
using tessera::to_text;
using tessera::Value;

void print_row(Figures const& f, std::string const& what, std::optional<Timing> const& timing,
               std::string const& alone) {
  auto line = padded(what, 12);
  if (timing) {
    line += padded(to_text({three_digits(rate(f, timing->median)), " (", three_digits(rate(f, timing->most)), " to ",
                            three_digits(rate(f, timing->least)), ")"}),
                   26);
    line += padded(percent(timing->median / f.read->median), 8);
  } else {
    line += padded("-", 26) + padded("", 8);
  }
  std::cout << line << alone << '\n';
}

std::string at_best(Figures const& f, double seconds, char const* what) {
  return seconds > 0 ? padded(three_digits(rate(f, seconds)), 8) + what : "";
}

std::string chunks_text(Figures const& f) {
  auto const missing = f.missing > 0 ? to_text({", ", f.missing, " of them missing"}) : "";
  return to_text({human(f.elements), " of elements in ", count(f.chunks, "chunk"), f.is_sharded ? " of shards" : "",
                  missing, "; ", human(f.stored), " stored in ", count(f.files, f.is_of_files ? "file" : "value")});
}

Value number(std::uint64_t n) { return tessera::Number{std::to_string(n)}; }
Value number(double n) { return tessera::Number{number_text(n)}; }

Value numbers(tessera::Extents const& extents) {
  List list;
  for (auto n : extents) list.push_back(number(n));
  return list;
}

}  // namespace

double rate(Figures const& f, double seconds) {
  return seconds > 0 ? static_cast<double>(f.elements) / seconds / 1e9 : 0;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

Value json_of(Figures const& f, std::optional<Timing> const& timing) {
  if (!timing) return {};
  return Members{{"seconds", number(timing->median)},
                 {"least", number(timing->least)},
                 {"most", number(timing->most)},
                 {"rate", number(rate(f, timing->median))}};
}

void print_heading(Figures const& f) {
  std::cout << printable(f.path) << "  " << f.type.name() << ' ' << to_string(f.shape) << ", chunks "
            << to_string(f.chunk_shape);
  if (f.is_sharded) std::cout << " of " << to_string(f.inner_chunk_shape);
  for (auto const& codec : f.codecs) std::cout << ", " << printable(codec);
  std::cout << '\n';
  if (f.read)
    std::cout << (f.is_all ? "all that was asked for: " : "the middle of it: ") << to_string(f.part.count) << " from "
              << to_string(f.part.first) << " on, " << chunks_text(f) << '\n'
              << count(f.threads, "thread") << ", " << count(f.repetitions, "repetition")
              << (!f.is_of_files ? ""
                  : f.is_cold    ? ", files read from the disk"
                  : f.wants_cold ? ", files in the system's cache, which does not give them up"
                                 : ", files in the system's cache")
              << '\n';
}

void print(Figures const& f) {
  print_heading(f);
  if (f.read) {
    std::cout << "\nGB/s of elements (least to most)    time    at best\n";
    print_row(f, "read", f.read, at_best(f, f.roof(), "all below, one after the other"));
    print_row(f, "fetch", f.fetch, at_best(f, Figures::seconds(f.files_alone), "the files, in large pieces"));
    print_row(f, "decode", f.decode, at_best(f, Figures::seconds(f.codec_alone), "one chunk, again and again"));
    print_row(f, "placement", f.place, at_best(f, Figures::seconds(f.copy_alone), "copying memory"));
    std::cout << padded("the rest", 38) << percent(f.rest() / f.read->median) << "\n\n";
    std::cout << "what takes longest: " << limit_of(f) << '\n';
  }
  for (auto const& advice : advise(f)) std::cout << "- " << printable(advice.text) << '\n';
}

Members json_heading(Figures const& f) {
  List codecs;
  for (auto const& codec : f.codecs) codecs.push_back(valid_utf8(codec));
  return Members{{"path", valid_utf8(f.path)},
                 {"data_type", f.type.name()},
                 {"shape", numbers(f.shape)},
                 {"chunk_shape", numbers(f.chunk_shape)},
                 {"inner_chunk_shape", f.is_sharded ? numbers(f.inner_chunk_shape) : Value{}},
                 {"codecs", std::move(codecs)},
                 {"first", numbers(f.part.first)},
                 {"count", numbers(f.part.count)},
                 {"step", numbers(f.part.step)},
                 {"is_all", f.is_all},
                 {"space", f.space},
                 {"threads", number(std::uint64_t{f.threads})},
                 {"repetitions", number(std::uint64_t{f.repetitions})},
                 {"cache", f.is_cold ? "cold" : "warm"},
                 {"cold_refused", f.wants_cold && !f.is_cold},
                 {"chunks", number(f.chunks)},
                 {"missing", number(f.missing)},
                 {"files", number(f.files)},
                 {"requests", number(f.requests)},
                 {"bytes", number(f.elements)},
                 {"stored_bytes", number(f.stored)},
                 {"fetched_bytes", number(f.fetched)},
                 {"decoded_bytes", number(f.decoded)},
                 {"placed_bytes", number(f.placed)}};
}

void print_json(Figures const& f) {
  List advice;
  for (auto const& one : advise(f)) advice.push_back(Members{{"name", one.name}, {"text", valid_utf8(one.text)}});
  auto json = json_heading(f);
  Members const figures{{"read", json_of(f, f.read)},
                        {"fetch", json_of(f, f.fetch)},
                        {"decode", json_of(f, f.decode)},
                        {"placement", json_of(f, f.place)},
                        {"rest_seconds", f.read ? number(f.rest()) : Value{}},
                        {"files_alone", json_of(f, f.files_alone)},
                        {"codec_alone", json_of(f, f.codec_alone)},
                        {"copy_alone", json_of(f, f.copy_alone)},
                        {"roof_seconds", f.read ? number(f.roof()) : Value{}},
                        {"limit", f.read ? Value{limit_of(f)} : Value{}},
                        {"advice", std::move(advice)}};
  json.insert(json.end(), figures.begin(), figures.end());
  std::cout << tessera::to_json(json) << '\n';
}

}  // namespace cli
