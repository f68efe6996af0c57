// The report of a measurement, for people or as JSON.
#pragma once
#include <tessera/core/value.hpp>

#include "figures.hpp"

namespace cli {

void print(Figures const& figures);
void print_json(Figures const& figures);

/// The head of every report: the array, what was read of it, and how.
void print_heading(Figures const& figures);
tessera::Members json_heading(Figures const& figures);

/// GB of the part's elements in a second.
double rate(Figures const& figures, double seconds);
tessera::Value json_of(Figures const& figures, std::optional<Timing> const& timing);
std::string padded(std::string text, std::size_t width);

}  // namespace cli
