// Scripts with which shells complete the command line.
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/error.hpp>

#include "app_options.hpp"

namespace cli {
namespace {

std::string spaced(std::vector<std::string> const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// In single quotes of any shell; `escaped` get a backslash. A completion has room for a few words of help.
std::string quoted(std::string_view help, std::string_view escaped = "") {
  auto const end = std::min({help.find(';'), help.find('.'), help.find(", if"), help.find(", as"), help.size()});
  std::string text = "'";
  for (char const c : help.substr(0, end)) {
    if (c == '\'')
      text += "'\\''";
    else
      text += (escaped.find(c) == escaped.npos ? "" : "\\") + std::string{c};
  }
  return text + '\'';
}

void write_bash(std::ostream& to, CLI::App const& app) {
  std::string commands, options, values;
  for (auto const* command : subcommands_of(app)) {
    auto const& name = command->get_name();
    commands += name + ' ';
    std::vector<std::string> names;
    for (auto const& option : options_of(*command)) {
      if (option.is_argument) continue;
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (option.value.empty() || option.is_path()) continue;
      std::string pattern;
      for (auto const& one : option.names)
        pattern += tessera::to_text({pattern.empty() ? "" : "|", "\"", name, " ", one, "\""});
      values += "    " + pattern + ") files=no words=\"" + spaced(option.choices) + "\" ;;\n";
    }
    options += "    " + name + ") words=\"" + spaced(names) + "\" ;;\n";
  }
  std::vector<std::string> own;
  for (auto const& option : options_of(app)) own.insert(own.end(), option.names.begin(), option.names.end());
  to << "# Completion of tessera for bash: tessera completion bash\n_tessera() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words= "
        "files=yes\n"
        "  COMPREPLY=()\n  case \"$command $before\" in\n"
     << values << "  esac\n  if ((COMP_CWORD == 1)); then\n    files=no words=\"" << commands << spaced(own)
     << "\"\n  elif [[ $files == yes && $word == -* ]]; then\n    case $command in\n"
     << options
     << "    esac\n  fi\n"
        "  if [[ -n $words ]]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "  elif [[ $files == yes ]]; then\n    compopt -o filenames 2>/dev/null\n"
        "    local IFS=$'\\n'\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\ncomplete -F _tessera tessera\n";
}

void write_zsh(std::ostream& to, CLI::App const& app) {
  to << "#compdef tessera\n# Completion of tessera for zsh: tessera completion zsh\n_tessera() {\n"
        "  local -a commands=(\n";
  auto const commands = subcommands_of(app);
  for (auto const* command : commands)
    to << "    '" << command->get_name() << ":'" << quoted(command->get_description(), ":\\") << '\n';
  to << "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
        "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (auto const* command : commands) {
    to << "    " << command->get_name() << ") _arguments";
    std::size_t place = 0;
    for (auto const& option : options_of(*command)) {
      std::string const action = option.is_path()          ? ":" + option.value + ":_files"
                                 : !option.choices.empty() ? ":" + option.value + ":(" + spaced(option.choices) + ")"
                                 : !option.value.empty()   ? ":" + option.value + ": "
                                                           : "";
      to << " \\\n      ";
      if (option.is_argument)
        to << "'" << ++place << action << "'";
      else if (option.names.size() == 1)
        to << "'" << option.names[0] << "['" << quoted(option.help, "[]:\\") << "']" << action << "'";
      else
        to << "'(" << spaced(option.names) << ")'{" << option.names[0] << ',' << option.names[1] << "}'['"
           << quoted(option.help, "[]:\\") << "']" << action << "'";
    }
    to << " ;;\n";
  }
  to << "  esac\n}\nif [[ $funcstack[1] == _tessera ]]; then _tessera \"$@\"; else compdef _tessera tessera; fi\n";
}

void write_fish(std::ostream& to, CLI::App const& app) {
  to << "# Completion of tessera for fish: tessera completion fish\n";
  for (auto const* command : subcommands_of(app)) {
    auto const& name = command->get_name();
    to << "complete -c tessera -n __fish_use_subcommand -f -a " << name << " -d "
       << quoted(command->get_description(), "\\") << '\n';
    for (auto const& option : options_of(*command)) {
      if (option.is_argument) continue;
      to << "complete -c tessera -n '__fish_seen_subcommand_from " << name << "'";
      for (auto const& one : option.names)
        to << (one.starts_with("--") ? " -l " + one.substr(2) : " -s " + one.substr(1));
      if (!option.value.empty()) to << (option.is_path() ? " -r -F" : " -x");
      if (!option.choices.empty()) to << " -a '" << spaced(option.choices) << '\'';
      to << " -d " << quoted(option.help, "\\") << '\n';
    }
  }
}

}  // namespace

void write_completion(std::ostream& to, CLI::App const& app, std::string_view shell) {
  if (shell == "bash") return write_bash(to, app);
  if (shell == "zsh") return write_zsh(to, app);
  write_fish(to, app);
}

}  // namespace cli
