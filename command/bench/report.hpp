// What was measured, for people or as JSON.
#pragma once
#include "figures.hpp"

namespace cli {

void print(Figures const& figures);
void print_json(Figures const& figures);

}  // namespace cli
