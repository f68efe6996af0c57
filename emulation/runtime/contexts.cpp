#include "contexts.hpp"

#include <array>
#include <cstring>
#include <type_traits>

#include "driver.hpp"
#include "entry.hpp"
#include "report.hpp"

namespace emulation {
namespace {

constexpr std::uintptr_t mark = 0xc0e700000000;

/// The handle of a device's context, as long as that exists.
void* handle(int device) {
  auto const number = static_cast<std::uintptr_t>(device) + most_devices * world().devices[device].contexts;
  return reinterpret_cast<void*>(mark + 16 * number);
}
int device_of(void* context) {
  return static_cast<int>((reinterpret_cast<std::uintptr_t>(context) - mark) / 16 % most_devices);
}
bool is_alive(void* context) {
  return reinterpret_cast<std::uintptr_t>(context) >= mark && handle(device_of(context)) == context &&
         world().devices[device_of(context)].context;
}

/// The stack of contexts of a thread. It has no destructor: static objects destroyed after a thread's still call CUDA.
struct Contexts {
  std::array<void*, 64> pushed{};
  std::size_t depth = 1;

  void*& top() { return pushed[depth - 1]; }
  bool push(void* context) {
    if (depth == pushed.size()) return false;
    pushed[depth++] = context;
    return true;
  }
  void pop() {
    top() = nullptr;
    if (depth > 1) --depth;
  }
};

struct OfThread {
  int device = 0;  ///< where there is no context
  Contexts contexts;
};
static_assert(std::is_trivially_destructible_v<OfThread>);

OfThread& mine() {
  thread_local OfThread here;
  return here;
}

int driver(char const* name, Role role, cudaError_t (*call)(void* a, void* b), void* a, void* b, void* caller) {
  return enter(
      name, role, [&](Entry&) { return call(a, b); }, caller);
}

int get_current(void** context) {
  return driver(
      "cuCtxGetCurrent", Role::sure,
      [](void* to, void*) {
        *static_cast<void**>(to) = mine().contexts.top();
        return cudaSuccess;
      },
      context, nullptr, __builtin_return_address(0));
}

int push_current(void* context) {
  return driver(
      "cuCtxPushCurrent", Role::sure,  // except for a destroyed context
      [](void* wanted, void*) {
        if (!is_alive(wanted)) return cudaErrorContextIsDestroyed;
        return mine().contexts.push(wanted) ? cudaSuccess : cudaErrorInvalidValue;
      },
      context, nullptr, __builtin_return_address(0));
}

int pop_current(void** context) {
  return driver(
      "cuCtxPopCurrent", Role::sure,
      [](void* to, void*) {
        auto& contexts = mine().contexts;
        if (contexts.top() == nullptr && contexts.depth == 1) return cudaErrorDeviceUninitialized;
        if (to != nullptr) *static_cast<void**>(to) = contexts.top();
        contexts.pop();
        return cudaSuccess;
      },
      context, nullptr, __builtin_return_address(0));
}

int stream_context(cudaStream_t stream, void** context) {
  return driver(
      "cuStreamGetCtx", Role::driver,
      [](void* of, void* to) {
        Stream const* const found = find_stream(static_cast<cudaStream_t>(of));
        if (found == nullptr) return cudaErrorInvalidResourceHandle;
        *static_cast<void**>(to) = handle(found->device);
        return cudaSuccess;
      },
      stream, context, __builtin_return_address(0));
}

}  // namespace

int current_device() {
  auto& here = mine();
  return here.contexts.top() != nullptr ? device_of(here.contexts.top()) : here.device;
}

void contexts::need(char const* call, void* caller) {
  if (world().machine.devices == 0) return;
  int const device = current_device();
  if (device >= world().machine.devices) return;
  if (!world().devices[device].context && (world().machine.meant >> device & 1) == 0) {
    mistake({call, " called at ", Piece::place(caller), " makes a context on device ", device,
             ", which the program does not mean"});
  }
  world().devices[device].context = true;
  mine().contexts.top() = handle(device);
}

void contexts::set_device(int device, char const* call, void* caller) {
  mine().device = device;
  mine().contexts.top() = nullptr;
  need(call, caller);
}

void contexts::forget() { mine() = {}; }

bool has_context(int device) {
  Held const held;
  return world().devices[device].context;
}

}  // namespace emulation

using namespace emulation;

cudaError_t cudaGetDriverEntryPointByVersion(char const* symbol, void** function, unsigned int cuda_version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* found) {
  return enter("cudaGetDriverEntryPointByVersion", Role::device, [&](Entry&) {
    if (symbol == nullptr || function == nullptr || cuda_version < 4000 || flags != cudaEnableDefault) {
      return cudaErrorInvalidValue;
    }
    auto const is = [&](char const* name) { return std::strcmp(symbol, name) == 0; };
    *function = is("cuCtxGetCurrent")         ? reinterpret_cast<void*>(get_current)
                : is("cuCtxPushCurrent")      ? reinterpret_cast<void*>(push_current)
                : is("cuCtxPopCurrent")       ? reinterpret_cast<void*>(pop_current)
                : is("cuStreamGetCtx")        ? reinterpret_cast<void*>(stream_context)
                : is("cuDeviceGet")           ? reinterpret_cast<void*>(driver::device_get)
                : is("cuDeviceGetUuid")       ? reinterpret_cast<void*>(driver::device_uuid)
                : is("cuMemGetAddressRange")  ? reinterpret_cast<void*>(driver::address_range)
                : is("cuPointerGetAttribute") ? reinterpret_cast<void*>(driver::pointer_attribute)
                                              : nullptr;
    if (found != nullptr)
      *found = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}
