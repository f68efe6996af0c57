// The timed read, as device.cpp makes it.
#pragma once
#include <memory>

#include "../cuda.cuh"
#include "../source.hpp"
#include "timed_read.hpp"

namespace cli {

/// Requires: the region has elements. Throws: tessera::Error.
std::unique_ptr<TimedRead> timed_read(Array const& array, tessera::Region const& region, DeviceQueue const& on);

}  // namespace cli
