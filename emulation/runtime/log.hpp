// The log of calls, kept while somebody watches, and where the ordering calls were made.
#pragma once
#include <cstdint>
#include <vector>

#include <emulation/emulation.hpp>

namespace emulation::log {

/// Which log is kept now; 0: none. Each begins when the first Watch does, and is gone with the last.
std::uint64_t current();
std::size_t add(Call call);
Call& at(std::size_t index);

/// Whether call sites are asked for, by a Watch, to be written at exit, or to be left out.
bool wants_sites();
/// The return addresses above the function of the runtime whose own is `caller`.
std::vector<void*> site_of(void* caller);
/// Notes where an ordering call was made; whether it is to be left out.
bool left_out(char const* name, std::vector<void*> const& site);
/// Writes the sites to the file that the environment names, if it does.
void write_sites();

}  // namespace emulation::log
