// One stage of a pipeline at work on a mini-batch: all chunks pass it before the next stage begins.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/buffer/scratch.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/pipeline/form.hpp>

namespace tessera::inline v0 {
namespace detail {

/// What the chunks of a batch need while a stage turns bytes in From into bytes in To. Kept by a queue and used again.
template <MemorySpace From, MemorySpace To>
struct StageBatch {
  std::vector<CodecTask<From, To>> tasks;
  std::vector<ByteView<To>> results;
  Scratch<To> scratch;

  /// Results go where `to(i)` says.
  template <class F>
  void send(std::span<ByteView<From> const> from, F&& to) {
    tasks.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) tasks[i] = {from[i], to(i)};
  }
  /// Results go into scratch, `bound` bytes each.
  void keep(std::span<ByteView<From> const> from, std::size_t bound, queue_for<To>& on) {
    auto const room = scratch.take(checked_size(checked_product(from.size(), bound, "a batch"), "a batch"), on);
    send(from, [&](std::size_t i) { return room.sub(i * bound, bound); });
  }
  std::span<ByteView<To> const> collect() {
    results.resize(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) results[i] = {tasks[i].to.data, tasks[i].size};
    return results;
  }
};

/// A cast stage. Throws: CodecError, if bytes do not fit where they shall go.
template <MemorySpace From, MemorySpace To, class Queue>
void cross_batch(std::span<CodecTask<From, To>> batch, Queue& on) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto& task = batch[i];
    if (task.from.size > task.to.size) expect_size(task.from.size, task.to.size, i);
    crossing<To, From>::copy(task.from, task.to.sub(0, task.from.size), queue_in<To>(on));
    task.size = task.from.size;
  }
}

}  // namespace detail
}  // namespace tessera::inline v0
