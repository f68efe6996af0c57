// The man page: the --help text of each subcommand.
#include <ostream>
#include <string>
#include <string_view>

#include "app_options.hpp"

namespace cli {
namespace {

// Verbatim, protected from roff.
std::string plain(std::string_view text) {
  std::string result;
  bool is_start = true;
  for (char const c : text) {
    if (is_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else
      result += c;
    is_start = c == '\n';
  }
  return result;
}

void write_option(std::ostream& to, AppOption const& option) {
  to << ".TP\n";
  std::string names;
  for (auto const& name : option.names) names += (names.empty() ? "" : ", ") + ("\\fB" + plain(name) + "\\fR");
  to << (option.is_argument ? "\\fI" + plain(option.names.front()) + "\\fR" : names);
  if (!option.is_argument && !option.choices.empty()) {
    std::string choices;
    for (auto const& choice : option.choices) choices += (choices.empty() ? "" : "|") + choice;
    to << ' ' << plain(choices);
  } else if (!option.is_argument && !option.value.empty()) {
    to << " \\fI" << plain(option.value) << "\\fR";
  }
  to << '\n' << plain(option.help) << ".\n";
}

}  // namespace

void write_man_page(std::ostream& to, CLI::App const& app, std::string_view version) {
  to << ".TH TESSERA 1 \"\" \"tessera " << version << "\" \"User Commands\"\n.SH NAME\ntessera \\- "
     << plain(app.get_description().substr(0, app.get_description().find_last_not_of('.') + 1))
     << "\n.SH SYNOPSIS\n\\fBtessera\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] \\fIPATH\\fR ...\n.SH COMMANDS\n";
  for (auto const* command : subcommands_of(app)) {
    to << ".SS tessera " << plain(command->get_name());
    auto const options = options_of(*command);
    for (auto const& option : options)
      if (option.is_argument) to << ' ' << (option.is_required ? option.value : '[' + option.value + ']');
    to << '\n' << plain(command->get_description()) << ".\n";
    for (auto const& option : options)
      if (option.names.back() != "--help") write_option(to, option);
    if (auto const& footer = command->get_footer(); !footer.empty() && footer != app.get_footer())
      to << ".PP\n.nf\n" << plain(footer) << "\n.fi\n";
  }
  to << ".SH OPTIONS\n";
  for (auto const& option : options_of(app)) write_option(to, option);
  to << ".SH EXIT STATUS\n" << plain(app.get_footer()) << '\n';
}

}  // namespace cli
