// How a command ends: its exit status, and one line on stderr if it could not do what it was asked.
#pragma once
#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

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
inline std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return text;
}

inline void report(std::string_view problem) { std::cerr << "tessera: " + printable(std::string{problem}) + '\n'; }

}  // namespace cli
