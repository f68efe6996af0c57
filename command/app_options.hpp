// The command line as the parser has it, for shell completions and the man page, which therefore always agree with
// --help.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace cli {

/// An option, or an argument by its place.
struct AppOption {
  std::vector<std::string> names;    ///< "-o", "--output"; of an argument "PATH"
  std::string value;                 ///< its argument: "FILE", "REGION"; empty: none
  std::vector<std::string> choices;  ///< all values, if they are few
  std::string help;
  bool is_argument, is_required;

  bool is_path() const {
    return value == "FILE" || value == "PATH" || value == "SRC" || value == "DST" || value == "A" || value == "B";
  }
};

/// In their order; --help first.
inline std::vector<AppOption> options_of(CLI::App const& command) {
  std::vector<AppOption> found;
  for (auto const* option : command.get_options()) {
    AppOption one{{}, {}, {}, option->get_description(), !option->nonpositional(), option->get_required()};
    for (auto const& name : option->get_snames()) one.names.push_back('-' + name);
    for (auto const& name : option->get_lnames()) one.names.push_back("--" + name);
    if (one.is_argument) one.names.push_back(option->get_name(true));
    auto type = option->get_items_expected_max() == 0 ? std::string{} : option->get_type_name();
    if (auto const list = type.find('{'); list != type.npos && type.ends_with('}')) {
      auto const names = std::string_view{type}.substr(list + 1, type.size() - list - 2);
      for (std::size_t at = 0; at <= names.size();) {
        auto const end = std::min(names.find(',', at), names.size());
        one.choices.emplace_back(names.substr(at, end - at));
        at = end + 1;
      }
    }
    one.value = one.is_argument ? one.names.front() : type.substr(0, type.find(':'));
    found.push_back(std::move(one));
  }
  return found;
}

/// Those shown by --help.
inline std::vector<CLI::App const*> subcommands_of(CLI::App const& app) {
  return app.get_subcommands([](CLI::App const* one) { return !one->get_group().empty(); });
}

/// Of "bash", "zsh" or "fish".
void write_completion(std::ostream& to, CLI::App const& app, std::string_view shell);

/// In the language of man(7).
void write_man_page(std::ostream& to, CLI::App const& app, std::string_view version);

}  // namespace cli
