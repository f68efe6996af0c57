// Streams: making, ordering, waiting.
#include "entry.hpp"
#include "report.hpp"
#include "scheduler.hpp"

using namespace emulation;

namespace {

constexpr int most_polls = 2;

/// Sets a known value of a known stream.
template <class T, class Get>
cudaError_t tell(char const* name, cudaStream_t handle, T* value, Get get, void* caller) {
  return enter(
      name, Role::work,
      [&](Entry& entry) {
        Stream* const stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (value == nullptr) return cudaErrorInvalidValue;
        entry.tell_stream(*stream);
        *value = get(*stream);
        return cudaSuccess;
      },
      caller);
}

cudaError_t create(Entry& entry, cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
  entry.tell_stream(make_stream(current_device(), flags, priority, entry.caller(), stream));
  return cudaSuccess;
}

}  // namespace

Stream& emulation::make_stream(int device, unsigned flags, int priority, void* caller, cudaStream_t* handle) {
  Stream* made = nullptr;
  cudaStream_t const its = world().streams.add(made);
  if (handle != nullptr) *handle = its;
  made->device = device;
  made->flags = flags;
  made->priority = priority;
  made->number = world().streams_made++;
  made->turn = world().turns_given++;
  made->made_at = caller;
  return *made;
}

Stream* emulation::find_stream(cudaStream_t handle) {
  if (handle == cudaStreamPerThread) {
    say({"cudaStreamPerThread is not emulated: make a stream"});
    return nullptr;
  }
  if (handle == nullptr || handle == cudaStreamLegacy) {
    Stream*& legacy = world().devices[current_device()].legacy;
    if (legacy == nullptr) {
      legacy = &make_stream(current_device(), 0, 0, nullptr, nullptr);
      legacy->legacy = true;
    }
    return legacy;
  }
  Stream* const found = world().streams.find(handle);
  if (found == nullptr || found->lost) return nullptr;
  if (found->destroyed) mistake({"a stream is used that was destroyed; it was made at ", Piece::place(found->made_at)});
  return found;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return enter("cudaStreamCreate", Role::work,
               [&](Entry& entry) { return create(entry, stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return enter("cudaStreamCreateWithFlags", Role::work, [&](Entry& entry) { return create(entry, stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return enter("cudaStreamCreateWithPriority", Role::work,
               [&](Entry& entry) { return create(entry, stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return enter("cudaStreamDestroy", Role::release, [&](Entry& entry) {
    if (handle == nullptr || handle == cudaStreamLegacy) return cudaErrorInvalidResourceHandle;
    Stream* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    entry.tell_stream(*stream);
    stream->destroyed = true;  // queued work still runs
    if (stream->queue.empty()) stream->worker.reset();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return enter("cudaStreamSynchronize", Role::order, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    entry.tell_stream(*stream);
    entry.tell_spins(true);
    scheduler::await(scheduler::end_of(*stream));
    scheduler::trim_pools(stream->device);
    return world().devices[stream->device].error;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return enter("cudaStreamQuery", Role::order, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    entry.tell_stream(*stream);
    Point const end = scheduler::end_of(*stream);
    if (!scheduler::reached(end) && stream->polls++ >= most_polls) scheduler::reach(end, false);
    if (!scheduler::reached(end)) return cudaErrorNotReady;
    stream->polls = 0;
    scheduler::await(end);
    return world().devices[stream->device].error;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int* flags) {
  return tell(
      "cudaStreamGetFlags", handle, flags, [](Stream const& s) { return s.flags; }, __builtin_return_address(0));
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return tell(
      "cudaStreamGetPriority", handle, priority, [](Stream const& s) { return s.priority; },
      __builtin_return_address(0));
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return tell(
      "cudaStreamGetDevice", handle, device, [](Stream const& s) { return s.device; }, __builtin_return_address(0));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* argument) {
  return enter("cudaLaunchHostFunc", Role::work, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (function == nullptr) return cudaErrorInvalidValue;
    entry.tell_stream(*stream);
    Operation operation;
    operation.caller = entry.caller();
    operation.host_function = function;
    operation.argument = argument;
    scheduler::enqueue(*stream, std::move(operation));
    return cudaSuccess;
  });
}
