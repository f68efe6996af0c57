// Memory and events of other processes.
#include "entry.hpp"
#include "exports.hpp"

using namespace emulation;

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return enter("cudaIpcGetMemHandle", Role::work,
               [&](Entry&) { return handle == nullptr ? cudaErrorInvalidValue : exports::get(*handle, pointer); });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned int flags) {
  return enter("cudaIpcOpenMemHandle", Role::work, [&](Entry& entry) {
    if (pointer == nullptr || flags != cudaIpcMemLazyEnablePeerAccess) return cudaErrorInvalidValue;
    return exports::open(pointer, handle, entry);
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return enter("cudaIpcCloseMemHandle", Role::release, [&](Entry&) { return exports::give_up(pointer); });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event_handle) {
  return enter("cudaIpcGetEventHandle", Role::work, [&](Entry&) {
    Event const* const event = world().events.find(event_handle);
    if (handle == nullptr) return cudaErrorInvalidValue;
    if (event == nullptr || event->destroyed || event->lost) return cudaErrorInvalidResourceHandle;
    return exports::get(*handle, *event);
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return enter("cudaIpcOpenEventHandle", Role::work, [&](Entry& entry) {
    if (event == nullptr) return cudaErrorInvalidValue;
    return exports::open(event, handle, entry.caller());
  });
}
