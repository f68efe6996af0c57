// How a command ends: its exit status, and one line on stderr if it failed.
#pragma once
#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/detail/printable.hpp>
#include <tessera/store/detail/scheme.hpp>

namespace cli {

enum Status : int {
  done = 0,
  wrong_data = 1,   ///< the data, its metadata, or reading and writing files
  wrong_usage = 2,  ///< the request is impossible, whatever the data
};

/// Ends the command with wrong_usage. Data that is wrong is a tessera::Error.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using tessera::printable;  // names and texts come from files: none may break a line or control the terminal

/// The library's message, without cures that only a C++ program can apply, and with the options of the command.
inline std::string in_own_words(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"LocalOptions{.links = Links::follow}", "--follow-links"},
      {"is not among this program's codecs", "is not among the command's codecs"},
      {"; if tessera has it, name it in the Codecs<...> that the array is opened with", ""},
      {"the store's folder is missing", "the folder is missing"},
      {R"(member node_type: found "group", expected "array")",
       "this is a group, an array is expected; tessera info shows which arrays are in it"},
  };
  for (auto const& [of_library, of_command] : words)
    if (auto const at = text.find(of_library); at != text.npos) text.replace(at, of_library.size(), of_command);
  return text;
}

inline void report(std::string_view problem) {
  std::cerr << "tessera: " + printable(in_own_words(tessera::detail::without_secrets(problem))) + '\n';
}

/// The request as it is shown: an address without possible secrets.
inline std::string shown_path(std::string const& path) {
  return tessera::detail::scheme_of(path).empty() ? path : tessera::detail::without_secrets(path);
}

}  // namespace cli
