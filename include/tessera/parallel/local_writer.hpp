// LocalWriter: write_local that returns before the store has the elements.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/array/array.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/parallel/communicator.hpp>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/detail/local_call.hpp>
#include <tessera/parallel/detail/two_phase.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/options.hpp>
#include <tessera/parallel/partition.hpp>
#include <tessera/transfer/defaults.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// One call of a LocalWriter: what it needs until the store has the elements.
struct WrittenCall {
  PreparedCall prepared{};
  std::optional<SharedWrite> shared{};
  HostBuffer values{}, copy{};
  std::promise<void> done{};
};

}  // namespace detail

/// Called by all ranks, as write_local, for output that a program does not wait for:
///
///     LocalWriter writer{ranks, array, partition, {.copies = true}};
///     for (...) writer.write(memory, {step, 0, 0}).detach();
///     writer.finish();
///
/// Elements travel to the ranks that write them before `write` returns; encoding and storing is done by the threads of
/// the array's queue, which needs two or more, or `write` does it itself. When too many calls are in flight, `write`
/// waits for the oldest. MPI is called by the calling thread alone.
template <Communicator C, class T, std::size_t Rank, class S, class P>
class LocalWriter {
 public:
  LocalWriter(C const& ranks, Array<T, Rank, S, P> const& array, Partition partition,
              LocalWriterOptions const& options = {})
      : ranks_{ranks}, array_{array}, partition_{std::move(partition)}, options_{options} {
    static_assert(detail::check_local<T, P>());
  }
  LocalWriter(LocalWriter const&) = delete;
  /// Waits for this rank's writes, and drops their errors: call `finish`.
  ~LocalWriter() {
    for (auto const& one : in_flight_) one.wait();
  }

  /// Called by all ranks: writes the rank's elements; the partition begins at `origin` in the array. The memory is in
  /// use until the Pending is done; with `.copies` it is free at once. Its `wait` throws errors of this rank alone.
  /// Throws on all ranks the error of one, also of an earlier call.
  template <detail::MemoryOrMistake M>
  Pending write(M const& memory, Extents const& origin = {}) {
    detail::ErasedCommunicatorOf<C> all{ranks_};
    auto const& untyped = array_.untyped();
    return detail::in_document(untyped.store(), untyped.document(), [&] {
      auto const shape = array_.shape();
      auto const call = std::make_shared<detail::WrittenCall>();
      detail::agreed(all, [&] { wait_until(std::max<std::size_t>(options_.in_flight, 1) - 1); });
      call->prepared = detail::prepared(
          all,
          {partition_, origin, shape, untyped.chunk_shape(), untyped.edges(), options_.memory, std::nullopt, nullptr,
           true},
          [&](Extents const& wanted) { return detail::local_memory<Rank>(memory, wanted); }, sizeof(T));
      exchange(all, *call);
      return started(call, shape);
    });
  }

  /// Called by all ranks: waits until the store has the elements of all calls. Throws on all ranks the error of one.
  void finish() {
    detail::ErasedCommunicatorOf<C> all{ranks_};
    detail::agreed(all, [&] { wait_until(0); });
  }

 private:
  // Waits for the oldest calls. Throws: the first error of them.
  void wait_until(std::size_t left) {
    while (in_flight_.size() > left) {
      auto const oldest = std::move(in_flight_.front());
      in_flight_.pop_front();
      oldest.get();
    }
  }

  void exchange(detail::ErasedCommunicator& all, detail::WrittenCall& call) {
    auto& plan = call.prepared.plan;
    auto const& own = call.prepared.own;
    detail::ExchangeRoom room;
    detail::agreed(all, [&] {
      room = detail::room_for(plan, call.prepared.most, call.prepared.memory, sizeof(T));
      if (options_.copies) call.copy = detail::copied_alone(plan, own, sizeof(T));
    });
    Exchanged counts;
    counts.memory = room.values.view().size + room.travelling.view().size + call.copy.view().size;
    call.shared.emplace(all, plan, counts);
    for (std::size_t round = 0; round < call.shared->rounds(); ++round)
      call.shared->exchange(all, round, room.values.span(), room.travelling, own, sizeof(T), counts);
    call.values = std::move(room.values);
    detail::add_counts(options_.exchanged, counts);
  }

  Pending started(std::shared_ptr<detail::WrittenCall> const& call, Extents const& shape) {
    in_flight_.push_back(call->done.get_future().share());
    auto const& untyped = array_.untyped();
    return untyped.queue().host().start(
        [untyped, call, shape, options = options_.write, copies = options_.copies, of_scope = defaults()] {
          auto const move = [&](Region const& region, std::byte* data, Strides const& strides) {
            with_defaults(of_scope, [&] { untyped.write_as(shape, region, {data, strides}, options); });
          };
          auto const each = [&](std::size_t n, FunctionRef<void(std::size_t)> f) {
            untyped.queue().host().for_each(n, f);
          };
          auto const error = detail::error_of([&] {
            auto const& plan = call->prepared.plan;
            detail::LocalCall const local{move, each, call->prepared.own, sizeof(T)};
            for (std::size_t round = 0; round < call->shared->rounds(); ++round)
              call->shared->write(round, call->values.span(), local);
            copies ? detail::move_copied(plan, call->copy, local) : detail::move_alone(plan, local);
          });
          call->values = {};
          call->copy = {};
          error ? call->done.set_exception(error) : call->done.set_value();
          if (error) std::rethrow_exception(error);
        });
  }

  C ranks_;
  Array<T, Rank, S, P> array_;
  Partition partition_;
  LocalWriterOptions options_;
  std::deque<std::shared_future<void>> in_flight_{};
};

}}  // namespace tessera::v0
