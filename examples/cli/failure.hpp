// How a command ends: its exit status, and one line on stderr if it could not do what it was asked.
#pragma once
#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <tessera/core/printable.hpp>

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

using tessera::printable;  // names and texts come from files: none of them may break a line or steer the terminal

/// What the library says, with the option of the command in the place of its own.
inline std::string in_own_words(std::string text) {
  constexpr std::string_view option = "LocalOptions{.links = Links::follow}";
  if (auto const at = text.find(option); at != text.npos) text.replace(at, option.size(), "--follow-links");
  return text;
}

inline void report(std::string_view problem) {
  std::cerr << "tessera: " + printable(in_own_words(std::string{problem})) + '\n';
}

}  // namespace cli
