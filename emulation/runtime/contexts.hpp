// Contexts: each device's own, made on first use, and which of them is a thread's current one. From "Context
// Management" of CUDA's driver API manual and "Interactions with the CUDA Driver API" of the runtime's. The manuals do
// not list the runtime calls that make a context: here all do, except those known not to.
#pragma once

namespace emulation {

/// The calling thread's current device: that of its current context, if it has one.
int current_device();

namespace contexts {

/// Gives the calling thread a current context, if it has none: that of its device. Reports the call and its site if
/// that creates a context on a device where the machine does not allow one.
void need(char const* call, void* caller);
/// Makes the device and its context the calling thread's current ones.
void set_device(int device, char const* call, void* caller);
/// The calling thread has not used a device yet.
void forget();

}  // namespace contexts
}  // namespace emulation
