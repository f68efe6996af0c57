#pragma once
#include <tessera/pipeline/detail/stages.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

#include <tessera/pipeline/detail/chunk_parts.hpp>
#include <tessera/pipeline/detail/resolve_stages.hpp>
#include <tessera/pipeline/detail/stage_results.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class S>
struct bodies_of {};

template <MemorySpace A, MemorySpace B, class Queue, MemorySpace As, MemorySpace Bs>
ResolvedChunk Stages<A, B, Queue, As, Bs>::resolve(ChunkSpecification chunk, ResolveShard const* shard) const {
  return resolve_stages(list_, std::move(chunk), shard, std::same_as<A, space::Host>);
}

template <MemorySpace A, MemorySpace B, class Queue, MemorySpace As, MemorySpace Bs>
void Stages<A, B, Queue, As, Bs>::decode(ResolvedChunk const& form, std::span<DecodeTask<B, A>> chunks,
                                         DecodeBuffers& buffers, Queue& on) const {
  StageQueues const queues{on};
  auto& tasks = buffers.tasks;
  tasks.resize(chunks.size());
  if (form.varying) {
    for (std::size_t i = 0; i < chunks.size(); ++i)
      tasks[i] = {known_in<Somewhere>(chunks[i].encoded), known_in<Somewhere>(chunks[i].to)};
    form.varying->decode(list_, form, buffers, queues);
    for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].decoded = {tasks[i].to.data, tasks[i].size};
    return;
  }
  auto place = form.bounds.size() - 1;  // in form.bounds, behind the current stage
  auto changed = form.changes.size();
  auto const size_of = [&](auto const& chunk) {
    return chunk.part.is_whole() ? form.decoded_size : static_cast<std::size_t>(chunk.part.size);
  };
  buffers.ranges.clear();
  if (form.part_stages > 0 && std::ranges::any_of(chunks, [](auto const& chunk) { return !chunk.part.is_whole(); }))
    for (auto const& chunk : chunks) buffers.ranges.push_back(chunk.part);
  if (buffers.stages.size() < place) buffers.stages.resize(place);
  bool is_first = true;
  buffers.placer = nullptr;
  for (auto at = running_before(list_.size()); at != none;) {
    auto const& stage = *list_[at];
    auto const next = running_before(at);
    auto& of_stage = buffers.stages[--place];
    if (is_first)
      for (std::size_t i = 0; i < chunks.size(); ++i) tasks[i].from = known_in<Somewhere>(chunks[i].encoded);
    else
      for (auto& task : tasks) task.from = task.to.sub(0, task.size);
    bool const has_parts = place < form.part_stages && !buffers.ranges.empty();
    if (has_parts) limit_to_parts(list_, stage, form, place, buffers);
    if (next == none) {
      for (std::size_t i = 0; i < chunks.size(); ++i)
        tasks[i].to = known_in<Somewhere>(chunks[i].to.sub(0, size_of(chunks[i])));
    } else if (auto const bound = form.bounds[place]; stage.traits().is_cast) {
      take_packed(scratch_between(*list_[next], stage), of_stage.scratch, bound, tasks, buffers, queues);
    } else {
      auto const room = take_neighbours(scratch_between(*list_[next], stage), of_stage.scratch, bound, buffers, queues);
      for (std::size_t i = 0; i < chunks.size(); ++i)
        tasks[i].to = room.sub(i * bound, has_parts ? buffers.parts[i].size : bound);
    }
    auto const* const change = changes_values(stage) ? &form.changes[--changed] : nullptr;
    StageRun run{change ? change->decoded : form.stored_chunk(), change, tasks, buffers.most, queues};
    run.apart = is_first && buffers.apart;
    run.ahead = buffers.ahead;
    if (next == none && buffers.is_placed) run.placer = &buffers.placer;
    if (has_parts) run.parts = buffers.parts, run.beside = &buffers.beside;
    stage.decode(run, of_stage.lists);
    is_first = false;
    at = next;
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (is_first)  // no stage runs
      chunks[i].decoded = {chunks[i].encoded.data, chunks[i].encoded.size};
    else
      chunks[i].decoded = {tasks[i].to.data, tasks[i].size};
    expect_size(chunks[i].decoded.size, size_of(chunks[i]), i);
  }
}

template <MemorySpace A, MemorySpace B, class Queue, MemorySpace As, MemorySpace Bs>
void Stages<A, B, Queue, As, Bs>::encode(ResolvedChunk const& form, std::span<EncodeTask<B, A>> chunks,
                                         EncodeBuffers& buffers, Queue& on) const {
  StageQueues const queues{on};
  auto& tasks = buffers.tasks;
  auto& links = buffers.links;
  tasks.resize(chunks.size());
  if (form.varying) {
    for (std::size_t i = 0; i < chunks.size(); ++i) tasks[i] = {known_in<Somewhere>(chunks[i].from), {}};
    form.varying->encode(list_, form, buffers, queues);
    for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].encoded = {tasks[i].to.data, tasks[i].size};
    return;
  }
  auto const running = form.bounds.size() - 1;
  if (buffers.stages.size() < running) buffers.stages.resize(running);
  std::size_t place = 0, changed = 0;  // in form.bounds, before the current stage
  auto const has_link = [&](std::size_t next) { return next != none && list_[next]->traits().takes_sizes; };
  auto const give_room = [&](std::span<StageTask> to, std::size_t at, std::size_t next, bool is_linked) {
    ++place;
    if (next == none) {
      for (std::size_t i = 0; i < chunks.size(); ++i) to[i].to = known_in<Somewhere>(chunks[i].to);
    } else {
      auto const bound = form.bounds[place];
      auto const apart = is_linked ? rounded_up(bound) : bound;
      auto const room = take_neighbours(scratch_between(*list_[at], *list_[next]), buffers.stages[place].scratch, apart,
                                        buffers, queues);
      for (std::size_t i = 0; i < chunks.size(); ++i) to[i].to = room.sub(i * apart, bound);
    }
  };
  for (auto at = running_from(0); at != none;) {
    auto const& stage = *list_[at];
    auto next = running_from(at + 1);
    if (place == 0)
      for (std::size_t i = 0; i < chunks.size(); ++i) tasks[i].from = known_in<Somewhere>(chunks[i].from);
    else
      for (auto& task : tasks) task.from = task.to.sub(0, task.size);
    auto& lists = buffers.stages[place].lists;
    bool is_linked = stage.traits().leaves_sizes && has_link(next);
    give_room(tasks, at, next, is_linked);
    links.clear();
    for (auto* before = &tasks; is_linked;) {
      auto& of_link = buffers.stages[place];
      of_link.linked.resize(chunks.size());
      for (std::size_t i = 0; i < chunks.size(); ++i) of_link.linked[i].from = (*before)[i].to;
      links.push_back({list_[next], of_link.linked, &of_link.lists});
      auto const link = std::exchange(next, running_from(next + 1));
      is_linked = has_link(next);
      give_room(of_link.linked, link, next, is_linked);
      before = &of_link.linked;
    }
    auto const* const change = changes_values(stage) ? &form.changes[changed++] : nullptr;
    StageRun run{change ? change->decoded : form.stored_chunk(), change, tasks, buffers.most, queues};
    run.links = links;
    stage.encode(run, lists);
    if (!links.empty()) std::ranges::copy(links.back().tasks, tasks.begin());
    at = next;
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (place == 0)  // no stage runs
      chunks[i].encoded = {chunks[i].from.data, chunks[i].from.size};
    else
      chunks[i].encoded = {tasks[i].to.data, tasks[i].size};
  }
}

}}}  // namespace tessera::v0::detail
