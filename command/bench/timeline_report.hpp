// The report of a timed read into device memory, for people or as JSON.
#pragma once
#include <string>

#include "figures.hpp"
#include "timeline.hpp"

namespace cli {

struct DeviceFigures {
  std::string device;  ///< its message
  Timeline timeline{};
};

/// `figures.read` is that of untimed reads; none: nothing was read.
void print(Figures const& figures, DeviceFigures const& on_device);
void print_json(Figures const& figures, DeviceFigures const& on_device);

}  // namespace cli
