// Events: a record is a point in its stream's order; a wait is for the latest record at the time of the call.
#include "entry.hpp"
#include "exports.hpp"
#include "report.hpp"
#include "scheduler.hpp"

using namespace emulation;

namespace {

constexpr int most_polls = 2;

Event* find_event(cudaEvent_t handle) {
  Event* const found = world().events.find(handle);
  if (found == nullptr || found->lost) return nullptr;
  if (found->destroyed) mistake({"an event is used that was destroyed; it was made at ", Piece::place(found->made_at)});
  return found;
}

cudaError_t create(Entry const& entry, cudaEvent_t* event, unsigned flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  bool const timed_between_processes = (flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0;
  if (event == nullptr || (flags & ~known) != 0 || timed_between_processes) return cudaErrorInvalidValue;
  Event* made = nullptr;
  *event = world().events.add(made);
  made->device = current_device();
  made->flags = flags;
  made->made_at = entry.caller();
  if ((flags & cudaEventInterprocess) != 0) made->shared = exports::new_event();
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return enter("cudaEventCreate", Role::work, [&](Entry& entry) { return create(entry, event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return enter("cudaEventCreateWithFlags", Role::work, [&](Entry& entry) { return create(entry, event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return enter("cudaEventDestroy", Role::release, [&](Entry&) {
    Event* const event = find_event(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    exports::end(*event);
    event->destroyed = true;  // waits for it continue
    event->latest = {};
    event->when.reset();
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  return enter("cudaEventRecord", Role::order, [&](Entry& entry) {
    Event* const event = find_event(handle);
    Stream* const stream = find_stream(stream_handle);
    if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
    entry.tell_stream(*stream);
    // "Event and stream must be on the same CUDA context."
    if (event->device != stream->device) return cudaErrorInvalidResourceHandle;
    if (event->exporter != 0) return cudaErrorNotSupported;  // CUDA can
    auto const token = std::make_shared<char const>();
    auto const when = std::make_shared<std::uint64_t>();
    Operation operation;
    operation.caller = entry.caller();
    operation.prepare = [token] { sanitizer::happens_before(token.get()); };
    operation.run = [when, told = exports::recorded(*event)] {
      *when = world().operations_done + 1;
      if (told) told();
    };
    Point point = scheduler::enqueue(*stream, std::move(operation));
    point.token = token;
    event->recorded = true;
    event->latest = point;
    event->when = when;
    event->polls = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned int flags) {
  return enter("cudaStreamWaitEvent", Role::order, [&](Entry& entry) {
    Event* const event = find_event(handle);
    Stream* const stream = find_stream(stream_handle);
    if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
    entry.tell_stream(*stream);
    if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
    if (event->exporter != 0) {
      exports::wait_in(*stream, *event, entry.caller());
      return cudaSuccess;
    }
    if (!event->recorded) return cudaSuccess;
    Operation operation;
    operation.caller = entry.caller();
    operation.after.push_back(event->latest);
    scheduler::enqueue(*stream, std::move(operation));
    return cudaSuccess;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return enter("cudaEventSynchronize", Role::order, [&](Entry& entry) {
    Event* const event = find_event(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (event->exporter != 0) {
      exports::wait(*event);
      return cudaSuccess;
    }
    if (!event->recorded) return cudaSuccess;
    entry.tell_spins((event->flags & cudaEventBlockingSync) == 0);
    Point const point = event->latest;
    int const device = event->device;
    entry.tell_stream(*point.stream);
    scheduler::await(point);
    return world().devices[device].error;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return enter("cudaEventQuery", Role::order, [&](Entry& entry) {
    Event* const event = find_event(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (event->exporter != 0) return exports::is_done(*event) ? cudaSuccess : cudaErrorNotReady;
    if (!event->recorded) return cudaSuccess;
    Point const point = event->latest;
    entry.tell_stream(*point.stream);
    if (!scheduler::reached(point) && event->polls++ >= most_polls) scheduler::reach(point, false);
    if (!scheduler::reached(point)) return cudaErrorNotReady;
    event->polls = 0;
    scheduler::await(point);
    return world().devices[event->device].error;
  });
}

/// The operations that the machine ran between the two, a microsecond for each: the same on each run.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start_handle, cudaEvent_t end_handle) {
  return enter("cudaEventElapsedTime", Role::work, [&](Entry&) {
    Event const* const start = find_event(start_handle);
    Event const* const end = find_event(end_handle);
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    for (Event const* const event : {start, end}) {
      if (event == nullptr || !event->recorded || (event->flags & cudaEventDisableTiming) != 0) {
        return cudaErrorInvalidResourceHandle;
      }
    }
    if (start->device != end->device) return cudaErrorInvalidResourceHandle;
    if (!scheduler::reached(start->latest) || !scheduler::reached(end->latest)) return cudaErrorNotReady;
    *milliseconds = (static_cast<float>(*end->when) - static_cast<float>(*start->when)) * 1e-3F;
    return cudaSuccess;
  });
}
