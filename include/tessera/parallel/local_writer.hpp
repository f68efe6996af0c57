// LocalWriter: write_local that returns before the store has the elements.
#pragma once
#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/memory/detail/object_pool.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/parallel/communicator.hpp>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/detail/call_in_flight.hpp>
#include <tessera/parallel/detail/local_call.hpp>
#include <tessera/parallel/detail/options.hpp>  // IWYU pragma: export
#include <tessera/parallel/detail/told_in_turn.hpp>
#include <tessera/parallel/detail/two_phase.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/partition.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 {

/// Called by all ranks, as write_local, for output that a program does not wait for:
///
///     LocalWriter writer{ranks, array, partition, {.copies = true}};
///     for (...) writer.write(memory, {step, 0, 0}).detach();
///     writer.finish();
///
/// Elements are sent to the ranks that write them before `write` returns. The threads of the array's queue encode and
/// store them; with a queue of one thread `write` does so itself. When too many calls are in flight, `write` waits for
/// the oldest. It also waits for those that write the same elements, or the same chunk by another rank. MPI is called
/// by the calling thread alone.
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
    static_cast<void>(detail::error_of([&] { wait_until(0); }));
  }

  /// Called by all ranks: writes the rank's elements; the partition begins at `origin` in the array. The memory is in
  /// use until the Pending is done; if that is detached, until `finish` returns; with `.copies` it is free at once. The
  /// Pending's `wait` throws errors of this rank alone. Throws on all ranks the error of one, also of an earlier call.
  template <detail::MemoryOrMistake M>
  Pending write(M const& memory, Extents const& origin = {}) {
    return begun(
        origin, [&](Extents const& shape) { return detail::local_memory<Rank>(memory, shape); },
        [&](detail::WrittenCall& call) -> detail::DeviceSender* {
          if (!options_.copies) return nullptr;
          auto& copy = *call.copy.emplace(copies_.lease<HostBuffer>());
          detail::copy_alone(call.prepared.plan, call.prepared.own, sizeof(T), copy);
          return nullptr;
        });
  }
  /// As above, from device memory in C order, or from page-locked or managed memory, after the queue's earlier work:
  /// include tessera/parallel/local.cuh. Device memory, and with `.copies` other memory too, is copied to page-locked
  /// memory, which at most `.in_flight` calls have. Waits for that copy, if `.copies`, or if the rank shares chunks
  /// with others. Throws: as above; DeviceError.
  template <detail::DeviceAccessible M>
  Pending write(M const& memory, Queue<space::Device>& on, Extents const& origin = {}) {
    using Space = typename detail::CallerMemory<M const>::space;
    using Staged = detail::StagedPart<T, Rank, Space>;
    std::shared_ptr<Staged> part;
    return begun(
        origin,
        [&](Extents const& shape) {
          part = std::make_shared<Staged>(on, options_.copies);
          part->of(memory, shape);
          return detail::PartMemory{};
        },
        [&](detail::WrittenCall& call) -> detail::DeviceSender* {
          bool const sends = Staged::sends_itself(detail::ErasedCommunicatorOf<C>{ranks_}, options_);
          sends ? part->make_room() : part->from_device();
          call.prepared.own = part->memory();
          auto const& plan = call.prepared.plan;
          if (!sends && (options_.copies || !plan.owned.empty() || !plan.foreign.empty())) part->wait();
          call.arrive = [part] { part->wait(); };
          call.staged = part->staged_size();
          return sends ? part.get() : nullptr;
        });
  }

  /// Called by all ranks: waits until the store has the elements of all calls, also after an error. Throws on all ranks
  /// the error of one.
  void finish() {
    detail::ErasedCommunicatorOf<C> all{ranks_};
    detail::agreed(all, [&] { wait_until(0); });
  }

 private:
  // How many of the newest calls may be in flight together with one at this place.
  std::size_t calls_beside(detail::WrittenPlace const& place) const {
    std::size_t count = 0;
    for (auto call = in_flight_.rbegin(); call != in_flight_.rend(); ++call, ++count)
      if (detail::must_follow(partition_, (*call)->place(), place)) break;
    return std::min(count, std::max<std::size_t>(options_.in_flight, 1) - 1);
  }

  // Waits for the oldest calls, also after one with an error. Throws: the first error of them.
  void wait_until(std::size_t left) {
    std::exception_ptr error;
    for (; in_flight_.size() > left; in_flight_.pop_front())
      if (auto const found = detail::error_of([&] { in_flight_.front()->wait(); }); !error) error = found;
    if (error) std::rethrow_exception(error);
  }

  // memory: checks the rank's. take: prepares the call's elements, once a call may begin; returns who sends them, or
  // null.
  Pending begun(Extents const& origin, detail::MemoryOfShape memory,
                FunctionRef<detail::DeviceSender*(detail::WrittenCall&)> take) {
    detail::ErasedCommunicatorOf<C> all{ranks_};
    auto const& untyped = array_.untyped();
    return detail::in_document(untyped.store(), untyped.document(), [&] {
      auto const shape = array_.shape();
      auto prepared = detail::prepared(all,
                                       {partition_, origin, shape, untyped.chunk_shape(), untyped.edges(),
                                        options_.memory, std::nullopt, nullptr, true},
                                       memory, sizeof(T));
      std::shared_ptr<detail::WrittenCall> call;
      detail::WrittenPlace place;
      std::shared_ptr<detail::ExchangeRoom> room;
      detail::agreed(all, [&] {
        call = std::make_shared<detail::WrittenCall>();
        call->prepared = std::move(prepared);
        auto const axes = detail::axes_of(untyped.edges(), untyped.chunk_shape(), shape);
        place = detail::written_place(partition_, origin, shape, axes);
        wait_until(calls_beside(place));
        auto* const sender = take(*call);
        room = detail::room_of_rounds(call->prepared, sizeof(T), sender);
      });
      auto const error = exchange(all, *call, room);
      Pending pending;
      detail::agreed(all, [&] {
        if (error) std::rethrow_exception(error);
        pending = started(call, std::move(place));
      });
      return pending;
    });
  }

  // Returns the error of a sender, or null.
  std::exception_ptr exchange(detail::ErasedCommunicator& all, detail::WrittenCall& call,
                              std::shared_ptr<detail::ExchangeRoom> const& room) {
    Exchanged counts;
    counts.memory = room->values.view().size + room->block.size() + call.staged;
    if (call.copy) counts.memory += (*call.copy)->view().size;
    if (!call.prepared.is_shared) return detail::add_counts(options_.exchanged, counts), nullptr;
    auto const& shared = call.shared.emplace(all, call.prepared.plan, sizeof(T), counts);
    std::exception_ptr error;
    for (std::size_t round = 0; round < shared.rounds(); ++round)
      if (auto const found = shared.exchange(all, round, room, call.prepared.own, sizeof(T), counts); !error)
        error = found;
    call.values = std::move(room->values);
    detail::add_counts(options_.exchanged, counts);
    return error;
  }

  Pending started(std::shared_ptr<detail::WrittenCall> const& call, detail::WrittenPlace place) {
    auto const& untyped = array_.untyped();
    auto work = untyped.queue().host().start([untyped, call, shape = place.shape, options = options_.write,
                                              of_scope = defaults(), &turn = turn_] {
      auto const move = [&](Region const& region, std::byte* data, Strides const& strides) {
        auto const told = detail::told_in_turn(options, turn);
        with_defaults(of_scope, [&] { untyped.write_as(shape, region, {data, strides}, told); });
      };
      auto const each = [&](std::size_t n, FunctionRef<void(std::size_t)> f) { untyped.queue().host().for_each(n, f); };
      auto const error = detail::error_of([&] {
        if (call->arrive) call->arrive();
        auto const& plan = call->prepared.plan;
        detail::LocalCall const local{move, each, call->prepared.own, sizeof(T)};
        for (std::size_t round = 0; call->shared && round < call->shared->rounds(); ++round)
          call->shared->write(round, call->values.span(), local);
        call->copy ? detail::move_copied(plan, **call->copy, local) : detail::move_alone(plan, local);
      });
      call->values = {};
      call->copy.reset();
      call->arrive = nullptr;
      if (error) std::rethrow_exception(error);
    });
    in_flight_.push_back(std::make_shared<detail::CallInFlight>(std::move(place), std::move(work)));
    return Pending{std::make_unique<detail::WaitForCall>(in_flight_.back())};
  }

  C ranks_;
  Array<T, Rank, S, P> array_;
  Partition partition_;
  LocalWriterOptions options_;
  std::mutex turn_{};    // of the program's progress
  ObjectPool copies_{};  // memory of finished calls, for later ones: new pages cost more than the copy
  std::deque<std::shared_ptr<detail::CallInFlight>> in_flight_{};
};

}}  // namespace tessera::v0
