// tessera bench: what reading an array gives, next to what files, its codec and memory alone reach, and what would
// help.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/page_cache.hpp"
#include "bench/part.hpp"
#include "bench/report.hpp"
#include "bench/stages.hpp"
#include "commands.hpp"
#include "region.hpp"
#include "source.hpp"

namespace cli {
namespace {

using Names = std::vector<std::string>;

void add_codec(Names& names, std::string const& name, tessera::Value const& configuration);

// As a document has it: by its name alone, or with its configuration.
void add_codec(Names& names, tessera::Value const& codec) {
  if (auto const* const name = codec.get_if<std::string>()) return names.push_back(*name);
  std::string name;
  tessera::Value configuration;
  if (auto const* const members = codec.get_if<tessera::Members>())
    for (auto const& member : *members) {
      if (member.name == "configuration") configuration = member.value;
      if (auto const* const text = member.value.get_if<std::string>(); text && member.name == "name") name = *text;
    }
  add_codec(names, name, configuration);
}

// Of shards the codecs of what is in them.
void add_codec(Names& names, std::string const& name, tessera::Value const& configuration) {
  if (auto const* const members = configuration.get_if<tessera::Members>())
    for (auto const& member : *members)
      if (auto const* const codecs = member.value.get_if<tessera::List>(); codecs && member.name == "codecs") {
        for (auto const& codec : *codecs) add_codec(names, codec);
        return;
      }
  names.push_back(name);
}

// All at once, in turn: what slows the machine down for a moment slows down one sample of each.
void measure(Stages& stages, Bench const& command, Figures& figures) {
  auto const evict_all = [&] {
    bool gone = true;
    for (auto const& path : stages.requests().files()) gone = evict(path) && gone;
    return gone;
  };
  figures.is_cold = command.cold && evict_all();
  std::function<void()> const before = figures.is_cold ? evict_all : std::function<void()>{};
  struct Work {
    std::optional<Timing>* timing;
    Samples samples;
  };
  std::vector<Work> works;
  auto const add = [&](std::optional<Timing>& timing, std::function<void()> work, std::function<void()> first = {}) {
    works.push_back({&timing, Samples{std::move(work), std::move(first)}});
  };
  auto& requests = stages.requests();
  add(
      figures.read, [&] { stages.read(); }, before);
  add(
      figures.fetch, [&] { requests.ask_again(); }, before);
  if (requests.bytes() > 0)
    add(
        figures.files_alone, [&] { requests.read_files(); }, before);
  if (stages.decodes()) add(figures.decode, [&] { stages.decode(); });
  if (stages.decodes()) add(figures.codec_alone, [&] { stages.decode_one(); });
  if (stages.places()) add(figures.place, [&] { stages.place(); });
  add(figures.copy_alone, [&] { stages.copy(); });
  for (std::size_t i = 0; i < command.repetitions; ++i)
    for (auto& work : works) work.samples.take();
  for (auto& work : works) *work.timing = work.samples.timing();
}

}  // namespace

Status run(Bench const& command) {
  auto const array = open_array(command.path, command.threads, command);
  auto const metadata = array.metadata();
  auto const region = region_of(command.region, metadata);
  Figures figures;
  figures.path = command.path;
  figures.type = metadata.type;
  figures.shape = metadata.shape;
  figures.chunk_shape = metadata.chunk_shape;
  figures.inner_chunk_shape = array.inner_chunk_shape();
  for (auto const& codec : metadata.codecs) add_codec(figures.codecs, codec.name, codec.configuration);
  figures.part = region;
  figures.threads = command.threads;
  figures.processors = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  figures.repetitions = command.repetitions;
  figures.wants_cold = command.cold;
  about(array, [&] {
    if (tessera::element_count(region.count, "the region") == 0) return;
    figures.part = middle_of(region, array, std::uint64_t{command.memory} << 20);
    figures.is_all = figures.part.count == region.count;
    figures.asked_chunks = chunks_touched(region, array.inner_chunk_shape());
    Stages stages{array, figures.part};
    stages.count(figures);
    measure(stages, command, figures);
  });
  (command.json ? print_json : print)(figures);
  return done;
}

}  // namespace cli
