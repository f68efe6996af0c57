// Number of devices of the emulated runtime when the command runs on it: TESSERA_EMULATED_DEVICES, or one.
#include <cstdlib>

#include <emulation/emulation.hpp>

namespace {

[[maybe_unused]] bool const is_set = [] {
  if (auto const* const devices = std::getenv("TESSERA_EMULATED_DEVICES"))
    emulation::set({.devices = std::atoi(devices)});
  return true;
}();

}  // namespace
