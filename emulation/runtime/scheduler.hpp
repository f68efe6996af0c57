// When operations run. No thread of the runtime's own decides it: each is run by whichever call of the program lets it
// run, if it is early, or waits for it, if it is late; so the same program and the same seed give the same order. Only
// host functions run in a thread of their stream, because they may wait for anything. All of this needs the world's
// lock.
#pragma once
#include "world.hpp"

namespace emulation::scheduler {

/// Puts the operation at the end of the stream's queue, and runs all that may run early.
/// Returns the point behind it.
Point enqueue(Stream& stream, Operation operation);

/// Runs what must run until the point is reached: true. With `wait` false it does not wait for host functions of the
/// program, and may return false.
bool reach(Point const& point, bool wait = true);

inline bool reached(Point const& point) { return point.stream->done >= point.count; }
/// Behind all that is in the stream.
inline Point end_of(Stream& stream) { return {&stream, stream.enqueued, {}}; }

/// Runs everything in every stream of the device.
void drain(int device, bool wait = true);
/// The same, with the edges of await().
void await_all(int device);
/// What synchronising does to pools: they keep no more than their threshold.
void trim_pools(int device);
/// Forgets what is queued in the device's streams, host functions that run already excepted.
void drop(int device);

/// As reach(), and what was done before the point has happened before what the calling thread does from now on.
void await(Point const& point);
/// Draws the edge from the point to the calling thread.
void seen(Point const& point);

/// Runs what is queued anywhere, as far as no host function stands before it.
void run_what_is_left();

/// What the stream's thread says when its host function has ended.
void host_function_ended(Stream& stream);

}  // namespace emulation::scheduler
