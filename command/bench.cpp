// tessera bench: the speed of reading an array, compared with files, its codec and memory alone, and advice.
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/page_cache.hpp"
#include "bench/part.hpp"
#include "bench/report.hpp"
#include "bench/stages.hpp"
#include "bench/timeline_report.hpp"
#include "commands.hpp"
#include "region.hpp"
#include "source.hpp"
#include "space.hpp"

namespace cli {
namespace {

using Names = std::vector<std::string>;

void add_codec(Names& names, std::string const& name, tessera::Value const& configuration);

// As in a document: its name alone, or with its configuration.
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

// For shards, the codecs of their inner chunks.
void add_codec(Names& names, std::string const& name, tessera::Value const& configuration) {
  if (auto const* const members = configuration.get_if<tessera::Members>())
    for (auto const& member : *members)
      if (auto const* const codecs = member.value.get_if<tessera::List>(); codecs && member.name == "codecs") {
        for (auto const& codec : *codecs) add_codec(names, codec);
        return;
      }
  names.push_back(name);
}

// Done before each sample that reads files; nothing, if they stay in the system's cache.
std::function<void()> emptying_cache(std::vector<std::string> const& files, Bench const& command, Figures& figures) {
  auto const evict_all = [files] {
    bool gone = true;
    for (auto const& path : files) gone = evict(path) && gone;
    return gone;
  };
  figures.is_cold = command.cold && evict_all();
  return figures.is_cold ? evict_all : std::function<void()>{};
}

// All in turn: a moment in which the machine is slow affects one sample of each.
void measure(Stages& stages, Bench const& command, Figures& figures) {
  auto const before = emptying_cache(stages.requests().files(), command, figures);
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
  if (requests.bytes() > 0 && stages.is_of_files())
    add(
        figures.files_alone, [&] { requests.read_files(); }, before);
  if (stages.decodes()) add(figures.decode, [&] { stages.decode(); });
  if (stages.decodes()) add(figures.codec_alone, [&] { stages.decode_one(); });
  if (stages.places()) add(figures.place, [&] { stages.place(); });
  if (stages.copies()) add(figures.copy_alone, [&] { stages.copy(); });
  for (std::size_t i = 0; i < command.repetitions; ++i)
    for (auto& work : works) work.samples.take();
  for (auto& work : works) *work.timing = work.samples.timing();
}

// The files that were requested from a store; the figures have their number.
std::vector<std::string> files_of(std::vector<ReadLog::Call> const& calls, Store const& store, Figures& figures) {
  std::set<std::string> files;
  for (auto const& call : calls)
    for (auto const& read : call.reads) {
      ++figures.requests;
      if (!read.size) continue;
      figures.fetched += *read.size;
      files.insert(store.name() + '/' + read.key.path);
    }
  figures.files = files.size();
  return {files.begin(), files.end()};
}

Timeline measure_on_device(TimedRead& read, Array const& array, Bench const& command, Figures& figures) {
  tessera::Traffic traffic;
  auto const first = read.noted(traffic);  // from here on memory is mapped, and threads have started
  figures.chunks = traffic.chunks;
  figures.missing = traffic.missing;
  figures.stored = traffic.fetched;
  auto const runs_codecs = [](MiniBatch const& batch) { return batch.decode.has_value(); };
  if (std::ranges::any_of(first.timeline.batches, runs_codecs)) figures.decoded = traffic.decoded;  // else they cross
  figures.placed = traffic.placed;
  auto const before = emptying_cache(files_of(first.calls, array.store(), figures), command, figures);
  Samples samples{[&] { read.read(); }, before};
  for (std::size_t i = 0; i < command.repetitions; ++i) samples.take();
  figures.read = samples.timing();
  if (before) before();
  return read.noted(traffic).timeline;
}

}  // namespace

Status run(Bench const& command) {
  auto const device = command.space == "device" ? device_space(Queue{command.threads}) : nullptr;
  auto const array = open_source(command.path, command.threads, command);
  auto const metadata = array.metadata();
  auto const region = region_of(command.region, metadata);
  Figures figures;
  figures.path = shown_path(command.path);
  figures.is_of_files = array.store().is_folder();
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
  figures.space = command.space;
  DeviceFigures on_device;
  if (device) on_device.device = device->description();
  about(array, [&] {
    if (tessera::element_count(region.count, "the region") == 0) return;
    figures.part = middle_of(region, array, std::uint64_t{command.memory} << 20);
    figures.is_all = figures.part.count == region.count;
    figures.asked_chunks = chunks_touched(region, array.inner_chunk_shape());
    if (device) {
      auto const is_shard = [](auto const& codec) { return codec.name == "sharding_indexed"; };
      figures.is_sharded = std::ranges::any_of(metadata.codecs, is_shard);
      figures.elements = size_in_bytes(figures.part.count, metadata.type);
      on_device.timeline = measure_on_device(*device->timed_read(array, figures.part), array, command, figures);
      return;
    }
    Stages stages{array, figures.part};
    stages.count(figures);
    measure(stages, command, figures);
  });
  if (device)
    command.json ? print_json(figures, on_device) : print(figures, on_device);
  else
    command.json ? print_json(figures) : print(figures);
  return done;
}

}  // namespace cli
