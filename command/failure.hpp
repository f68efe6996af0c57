// How a command ends: its exit status, and one line on stderr if it could not do what it was asked.
#pragma once
#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

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

/// What the library says, without what only a program of C++ can do, and with the options of the command.
inline std::string in_own_words(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"LocalOptions{.links = Links::follow}", "--follow-links"},
      {"is not among this program's codecs", "is not among the command's codecs"},
      {"; if tessera has it, name it in the Codecs<...> that the array is opened with", ""},
      {"; what is no folder needs a store of its own", " of a folder or file on disk"},
      {"the store's folder is missing", "the folder is missing"},
      {R"(member node_type: found "group", expected "array")",
       "this is a group, an array is expected; tessera info shows which arrays are in it"},
  };
  for (auto const& [of_library, of_command] : words)
    if (auto const at = text.find(of_library); at != text.npos) text.replace(at, of_library.size(), of_command);
  return text;
}

inline void report(std::string_view problem) {
  std::cerr << "tessera: " + printable(in_own_words(std::string{problem})) + '\n';
}

}  // namespace cli
