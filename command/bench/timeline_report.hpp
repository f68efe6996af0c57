// A read into device memory, as it was timed, for people or as JSON.
#pragma once
#include <string>

#include "figures.hpp"
#include "timeline.hpp"

namespace cli {

struct DeviceFigures {
  std::string device;  ///< what it says of itself
  Timeline timeline{};
};

/// `figures.read` is that of reads without clocks beside them; none: nothing was read.
void print(Figures const& figures, DeviceFigures const& on_device);
void print_json(Figures const& figures, DeviceFigures const& on_device);

}  // namespace cli
