// One stage of a pipeline at work on a mini-batch: all chunks pass it before the next stage begins.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/buffer/scratch.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/pipeline/form.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// What the chunks of a batch need while a stage turns bytes in From into bytes in To. Results that stay in the
/// pipeline lie in memory of Staging, seen as To.
template <MemorySpace From, MemorySpace To, MemorySpace Staging = To>
struct StageBatch {
  std::vector<CodecTask<From, To>> tasks;
  std::vector<ByteView<To>> results;
  Scratch<Staging> scratch;

  /// Results go where `to(i)` says.
  template <class F>
  void send(std::span<ByteView<From> const> from, F&& to) {
    tasks.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) tasks[i] = {from[i], to(i)};
  }
  /// Results go into scratch, `bound` bytes each: room for `most` of them or for all, so that it need not grow when the
  /// next batch has more.
  template <class AnyQueue>
  void keep(std::span<ByteView<From> const> from, std::size_t bound, std::size_t most, AnyQueue& on) {
    auto const bytes = checked_size(checked_product(std::max(most, from.size()), bound, "a batch"), "a batch");
    auto const destination = seen_in<To>(scratch.take(bytes, queue_in<Staging>(on)));
    send(from, [&](std::size_t i) { return destination.sub(i * bound, bound); });
  }
  std::span<ByteView<To> const> collect() {
    results.resize(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) results[i] = {tasks[i].to.data, tasks[i].size};
    return results;
  }
};

/// A cast stage: one copy for chunks that follow each other on both sides. If they are `apart`, in separate allocations
/// that are neighbours by chance, one for each. `ahead`: no earlier work of the queue uses the memory that they go to,
/// so the host's bytes need not wait for that work. Throws: CodecError, if bytes do not fit there.
template <MemorySpace From, MemorySpace To>
void cross_batch(std::span<CodecTask<From, To>> batch, crossing_queue<To, From>& on, bool apart = false,
                 bool ahead = false) {
  ByteView<From> from;
  ByteSpan<To> to;
  auto const cross = [&] {
    if (from.size == 0) return;
    if constexpr (CrossesAhead<To, From>)
      if (ahead) return crossing<To, From>::copy_ahead(from, to, on);
    crossing<To, From>::copy(from, to, on);
  };
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto& task = batch[i];
    task.size = task.from.size;
    if (task.size > task.to.size) expect_size(task.size, task.to.size, i);
    if (!apart && from.size > 0 && task.from.data == from.data + from.size && task.to.data == to.data + to.size) {
      from.size = to.size += task.size;
      continue;
    }
    cross();
    from = task.from;
    to = task.to.sub(0, task.size);
  }
  cross();
  arrive<To, From>(on);
}

}  // namespace detail
}}  // namespace tessera::v0
