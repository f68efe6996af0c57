// Managed memory of devices without concurrent managed access: the host must not touch it from the launch of a kernel,
// any kernel, until it knows of its end; nor a device what is attached to the host. From "Coherency and Concurrency" in
// the chapter on unified memory of CUDA's Programming Guide.
#pragma once
#include "world.hpp"

namespace emulation::managed {

/// A kernel was queued, and ends at the point.
void kernel_queued(Point const& end);
/// The stream's operation that was queued last begins behind these points.
void ordered(Stream& stream, std::vector<Point> const& after);
/// The host has been told that all before the point is done: it waited for it, or has asked.
void told(Point const& point);
/// The same of all that the device was given.
void told_all(int device);
/// The allocation is there.
void begun(Allocation& allocation, bool attached_to_host);

/// Why an access that was not allowed was none, for the end of a report.
char const* reason(Allocation const& allocation);

}  // namespace emulation::managed
