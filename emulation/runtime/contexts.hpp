// Contexts: each device's own, made when it is needed first, and which of them is a thread's current one. From "Context
// Management" of CUDA's driver API manual and "Interactions with the CUDA Driver API" of the runtime's. Which of the
// runtime's calls make a context is not written anywhere: here all do that are not known not to.
#pragma once

namespace emulation {

/// The calling thread's current device: that of its current context, if it has one.
int current_device();

namespace contexts {

/// The calling thread has a current context from now on: where it has none, that of its device. A report, if that is
/// made and the machine's device is not meant: of the call, and where it is.
void need(char const* call, void* caller);
/// The device is the calling thread's, and so is its context.
void set_device(int device, char const* call, void* caller);
/// The calling thread has used no device so far.
void forget();

}  // namespace contexts
}  // namespace emulation
