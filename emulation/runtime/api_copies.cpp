// Copies and fills, and which of them are done when the call returns: "API synchronization behavior" of the runtime's
// documentation.
#include <cstring>
#include <memory>
#include <vector>

#include "entry.hpp"
#include "scheduler.hpp"
#include "transfer.hpp"

using namespace emulation;

namespace {

std::vector<Range> page_locked_ranges(Transfer const& transfer, Place to, Place from) {
  std::vector<Range> ranges;
  if (to == Place::page_locked) ranges.push_back({transfer.to.begin, transfer.span(transfer.to)});
  if (from == Place::page_locked) ranges.push_back({transfer.from.begin, transfer.span(transfer.from)});
  return ranges;
}

/// A copy of the pageable source, made before the call returns.
std::shared_ptr<std::byte[]> stage(Transfer& transfer) {
  {
    sanitizer::Seen const again;
    tell_sanitizer_read(transfer);
  }
  auto staged = std::make_shared<std::byte[]>(transfer.width * transfer.height);
  Bytes const to{staged.get(), transfer.width};
  copy_rows({.to = to, .from = transfer.from, .width = transfer.width, .height = transfer.height});
  transfer.from = to;
  return staged;
}

cudaError_t copy(Entry& entry, Transfer transfer, cudaMemcpyKind kind, cudaStream_t handle, bool blocking) {
  Stream* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  entry.tell_stream(*stream);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  Place const to = place_of(transfer.to.begin);
  Place const from = place_of(transfer.from.begin);
  kind = allowed(kind, to, from) ? kind_of(to, from) : kind;
  entry.tell_kind(kind);
  entry.tell_bytes(transfer.width * transfer.height);
  if (transfer.width == 0 || transfer.height == 0) return cudaSuccess;
  if (!allowed(kind, to, from) || transfer.to.begin == nullptr || transfer.from.begin == nullptr) {
    return cudaErrorInvalidValue;
  }
  transfer.call = entry.name();
  transfer.caller = entry.caller();
  check_named(transfer.call, transfer.caller, transfer.to.begin, transfer.span(transfer.to));
  check_named(transfer.call, transfer.caller, transfer.from.begin, transfer.span(transfer.from));

  Operation operation;
  operation.caller = entry.caller();
  operation.touches = page_locked_ranges(transfer, to, from);
  // From pageable memory: "the driver may synchronize with the stream and stage the copy into pinned memory".
  bool const staged = from == Place::pageable && kind == cudaMemcpyHostToDevice;
  if (staged && blocking) scheduler::await(scheduler::end_of(*stream));
  auto const room = staged ? stage(transfer) : nullptr;
  operation.prepare = [transfer, staged] {
    if (!staged) tell_sanitizer_read(transfer);
    tell_sanitizer_written(transfer);
  };
  operation.run = [transfer, room] {
    check_access(transfer.call, transfer.caller, transfer.to.begin, transfer.span(transfer.to));
    check_access(transfer.call, transfer.caller, transfer.from.begin, transfer.span(transfer.from));
    copy_rows(transfer);
  };
  Point const done = scheduler::enqueue(*stream, std::move(operation));
  // "For transfers from device memory to device memory, no host-side synchronization is performed."
  bool const waits = to == Place::pageable || kind == cudaMemcpyHostToHost ||
                     (blocking && !staged && kind != cudaMemcpyDeviceToDevice);
  if (waits) scheduler::await(done);
  return world().devices[stream->device].error;
}

cudaError_t set(Entry& entry, void* pointer, int value, std::size_t size, cudaStream_t handle, bool blocking) {
  Stream* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  entry.tell_stream(*stream);
  entry.tell_bytes(size);
  if (size == 0) return cudaSuccess;
  Place const place = place_of(pointer);
  if (place == Place::pageable) return cudaErrorInvalidValue;
  check_named(entry.name(), entry.caller(), pointer, size);
  Operation operation;
  operation.caller = entry.caller();
  if (place == Place::page_locked) operation.touches.push_back({static_cast<std::byte*>(pointer), size});
  operation.prepare = [pointer, size] { sanitizer::writes(pointer, size); };
  operation.run = [pointer, value, size, name = entry.name(), caller = entry.caller()] {
    check_access(name, caller, pointer, size);
    std::memset(inside(pointer), value, size);
  };
  Point const done = scheduler::enqueue(*stream, std::move(operation));
  // "The synchronous memset functions are asynchronous with respect to the host except when the target is pinned host
  // memory or a Unified Memory region. The Async versions are always asynchronous with respect to the host."
  if (blocking && place != Place::device) scheduler::await(done);
  return cudaSuccess;
}

Transfer line(void* to, void const* from, std::size_t size) {
  return {.to = {static_cast<std::byte*>(to), size},
          .from = {static_cast<std::byte*>(const_cast<void*>(from)), size},
          .width = size};
}

}  // namespace

cudaError_t cudaMemcpy(void* to, void const* from, std::size_t size, cudaMemcpyKind kind) {
  return enter("cudaMemcpy", Role::work,
               [&](Entry& entry) { return copy(entry, line(to, from, size), kind, cudaStreamLegacy, true); });
}

cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  return enter("cudaMemcpyAsync", Role::work,
               [&](Entry& entry) { return copy(entry, line(to, from, size), kind, stream, false); });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, void const* from, int from_device, std::size_t size,
                                cudaStream_t stream) {
  return enter("cudaMemcpyPeerAsync", Role::work, [&](Entry& entry) {
    int const devices = world().machine.devices;
    if (to_device < 0 || to_device >= devices || from_device < 0 || from_device >= devices) {
      return cudaErrorInvalidDevice;
    }
    auto const lies_in = [](void const* pointer, int device) {
      Allocation const* const found = regions().find_allocation(pointer);
      return found != nullptr && (found->kind != Kind::device || found->device == device);
    };
    if (!lies_in(to, to_device) || !lies_in(from, from_device)) return cudaErrorInvalidValue;
    return copy(entry, line(to, from, size), cudaMemcpyDeviceToDevice, stream, false);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return enter("cudaMemcpy2DAsync", Role::work, [&](Entry& entry) {
    if (to_pitch < width || from_pitch < width) return cudaErrorInvalidPitchValue;
    Transfer transfer = line(to, from, width);
    transfer.to.pitch = to_pitch;
    transfer.from.pitch = from_pitch;
    transfer.height = height;
    return copy(entry, transfer, kind, stream, false);
  });
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t size) {
  return enter("cudaMemset", Role::work,
               [&](Entry& entry) { return set(entry, pointer, value, size, cudaStreamLegacy, true); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t size, cudaStream_t stream) {
  return enter("cudaMemsetAsync", Role::work,
               [&](Entry& entry) { return set(entry, pointer, value, size, stream, false); });
}
