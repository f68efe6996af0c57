// When operations run. The runtime has no scheduling thread: each operation is run by the call of the program that lets
// it run, if it is early, or waits for it, if it is late; so the same program and the same seed give the same order.
// Only host functions run in a thread of their stream, because they may wait for anything. All of this needs the
// world's lock.
#pragma once
#include "world.hpp"

namespace emulation::scheduler {

/// Puts the operation at the end of the stream's queue, and runs all that may run early. Returns the point after it.
Point enqueue(Stream& stream, Operation operation);

/// Runs what must run until the point is reached: true. With `wait` false it does not wait for host functions of the
/// program, and may return false.
bool reach(Point const& point, bool wait = true);

inline bool reached(Point const& point) { return point.stream->done >= point.count; }
/// After all operations in the stream.
inline Point end_of(Stream& stream) { return {&stream, stream.enqueued, {}}; }

/// Runs everything in every stream of the device.
void drain(int device, bool wait = true);
/// The same, with the edges of await().
void await_all(int device);
/// The effect of synchronising on pools: they keep no more than their threshold.
void trim_pools(int device);
/// Drops the queued operations of the device's streams, except host functions that run already.
void drop(int device);

/// As reach(), and the work before the point happens before the calling thread's later actions.
void await(Point const& point);
/// Draws the edge from the point to the calling thread.
void seen(Point const& point);

/// Runs all queued operations, except those after a host function.
void run_what_is_left();

/// Called by the stream's thread when its host function has ended.
void host_function_ended(Stream& stream);

}  // namespace emulation::scheduler
