// The log of calls, kept while a Watch exists, and the sites of ordering calls.
#pragma once
#include <cstdint>
#include <vector>

#include <emulation/emulation.hpp>

namespace emulation::log {

/// The current log; 0: none. Each begins with the first Watch and ends with the last.
std::uint64_t current();
std::size_t add(Call call);
Call& at(std::size_t index);

/// Whether call sites are needed: for a Watch, to be written at exit, or to be left out.
bool wants_sites();
/// The return addresses above the function of the runtime whose own is `caller`.
std::vector<void*> site_of(void* caller);
/// Notes the site of an ordering call; returns whether it is to be left out.
bool left_out(char const* name, std::vector<void*> const& site);
/// Writes the sites to the file that the environment names, if any.
void write_sites();

}  // namespace emulation::log
