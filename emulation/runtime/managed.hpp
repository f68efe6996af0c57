// Managed memory of devices without concurrent managed access: the host must not access it from the launch of any
// kernel until it knows of its end; nor a device if it is attached to the host. From "Coherency and Concurrency" in the
// chapter on unified memory of CUDA's Programming Guide.
#pragma once
#include "world.hpp"

namespace emulation::managed {

/// A kernel was queued, and ends at the point.
void kernel_queued(Point const& end);
/// The stream's last queued operation begins after these points.
void ordered(Stream& stream, std::vector<Point> const& after);
/// The host knows that all before the point is done: it waited or queried.
void told(Point const& point);
/// The same for all work of the device.
void told_all(int device);
/// The allocation exists.
void begun(Allocation& allocation, bool attached_to_host);

/// The reason why an access was not allowed, for the end of a report.
char const* reason(Allocation const& allocation);

}  // namespace emulation::managed
