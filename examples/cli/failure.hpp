// How a command ends: its exit status, and one line on stderr if it could not do what it was asked.
#pragma once
#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "utf8.hpp"

namespace cli {

enum Status : int {
  done = 0,
  wrong_data = 1,   ///< the data, its metadata, or reading and writing files
  wrong_usage = 2,  ///< what was asked for cannot be, whatever the data says
};

/// Ends the command with wrong_usage. Data that is wrong is a tessera::Error.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Names and texts come from files: none of them may break a line or steer the terminal.
inline std::string printable(std::string_view text) {
  auto result = valid_utf8(text);
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(result[at]); };
    if (byte(i) < ' ' || byte(i) == 0x7f) result[i] = '?';
    if (byte(i) == 0xc2 && byte(i + 1) < 0xa0) result.replace(i, 2, "?");  // U+0080 to U+009F
  }
  return result;
}

inline void report(std::string_view problem) { std::cerr << "tessera: " + printable(problem) + '\n'; }

}  // namespace cli
