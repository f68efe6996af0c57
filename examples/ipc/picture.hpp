// Bars for two ways to do the same, as SVG.
#pragma once
#include <algorithm>
#include <fstream>
#include <string>

struct Way {
  std::string name{};
  double seconds = 0;    // until the last worker has its result
  double mebibytes = 0;  // of all workers' own memory together
};

inline void write_picture(std::string const& path, Way const& alone, Way const& shared) {
  std::ofstream to{path};
  to << "<svg xmlns='http://www.w3.org/2000/svg' width='520' height='190' font-family='sans-serif' font-size='13'>\n"
     << "<rect width='100%' height='100%' fill='white'/>\n";
  int y = 20;
  auto const bars = [&](std::string const& title, double Way::*what, std::string const& unit) {
    to << "<text x='10' y='" << y << "'>" << title << "</text>\n";
    auto const most = std::max({alone.*what, shared.*what, 1e-9});
    for (auto const* way : {&alone, &shared}) {
      to << "<text x='10' y='" << y + 24 << "'>" << way->name << "</text><rect x='150' y='" << y + 10
         << "' height='18' width='" << 1 + 250 * (way->*what) / most << "' fill='"
         << (way == &alone ? "#b0b0b0" : "#4477aa") << "'/><text x='" << 158 + 250 * (way->*what) / most << "' y='"
         << y + 24 << "'>" << way->*what << ' ' << unit << "</text>\n";
      y += 26;
    }
    y += 36;
  };
  bars("Time until four workers have their results", &Way::seconds, "s");
  bars("Memory that the workers hold for themselves", &Way::mebibytes, "MiB");
  to << "</svg>\n";
}
