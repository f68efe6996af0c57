// Figures formatted for people.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace cli {

/// "2.1 MiB"
inline std::string human(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  auto size = static_cast<double>(bytes);
  char const* unit = "";
  for (auto* larger : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
    if (size < 1024) break;
    size /= 1024;
    unit = larger;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", size, unit);
  return text;
}

/// Three significant digits: "1.23", "0.0012".
inline std::string three_digits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, number >= 100 ? "%.0f" : "%.3g", number);
  return text;
}

inline std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", share * 100);
  return text;
}

inline std::string microseconds(double seconds) { return three_digits(seconds * 1e6) + " us"; }

/// "1 chunk", "2 chunks"
inline std::string count(std::uint64_t n, std::string const& what) {
  return tessera::to_text({n, " ", what, n == 1 ? "" : "s"});
}

/// "64,64,32", as options take it.
inline std::string comma_list(tessera::Extents const& lengths) {
  std::string text;
  for (auto n : lengths) text += tessera::to_text({text.empty() ? "" : ",", n});
  return text;
}

}  // namespace cli
