// tessera attrs: prints the attributes of an array or a group as JSON; sets and deletes some.
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/json.hpp>

#include "address.hpp"
#include "commands.hpp"
#include "consolidated.hpp"
#include "node.hpp"
#include "quantities.hpp"

namespace cli {
namespace {

using tessera::Members;

auto named(std::string const& name) {
  return [&name](tessera::Member const& member) { return member.name == name; };
}

// "NAME=JSON". Throws: UsageError.
Members parse_settings(std::vector<std::string> const& settings) {
  Members parsed;
  for (auto const& setting : settings) {
    auto const equals = setting.find('=');
    if (equals == setting.npos || equals == 0) throw UsageError{"--set " + setting + ": expected NAME=JSON"};
    auto name = setting.substr(0, equals);
    if (std::any_of(parsed.begin(), parsed.end(), named(name)))
      throw UsageError{"--set: \"" + name + "\" is there twice"};
    try {
      parsed.push_back({std::move(name), tessera::parse_json(setting.substr(equals + 1))});
    } catch (tessera::MetadataError const& error) {
      throw UsageError{"--set " + setting + ": " + error.what() + "; a text is in quotes: '" +
                       setting.substr(0, equals) + "=\"...\"'"};
    }
  }
  return parsed;
}

tessera::MetadataError no_attribute(std::string const& name, Node const& node) {
  auto error = tessera::MetadataError{"there is no attribute " + tessera::describe(name)};
  auto const key = tessera::detail::node_key(node.store, node.path);
  return error.in_key(key.value_or(tessera::document_key(node.path)).path).in_store(node.store.name());
}

// Deletes and sets attributes in one write of the document.
void change(Attrs const& command, Node const& node, Members const& settings) {
  tessera::change_attributes(node.store, node.path, [&](Members& all) {
    for (auto const& name : command.deletions)
      if (std::erase_if(all, named(name)) == 0) throw no_attribute(name, node);
    for (auto const& [name, value] : settings) {
      auto const there = std::find_if(all.begin(), all.end(), named(name));
      there == all.end() ? all.push_back({name, value}) : void(there->value = value);
    }
  });
}

void print(Attrs const& command, Node const& node) {
  auto const all = tessera::get_attributes(node.store, node.path);
  if (command.name.empty()) {
    std::cout << tessera::to_json(all) << '\n';
    return;
  }
  auto const found = std::find_if(all.begin(), all.end(), named(command.name));
  if (found == all.end()) throw no_attribute(command.name, node);
  std::cout << tessera::to_json(found->value) << '\n';
}

}  // namespace

Status run(Attrs const& command) {
  auto const settings = parse_settings(command.settings);
  if (settings.empty() && command.deletions.empty()) return print(command, find_source(command.path, command)), done;
  if (!tessera::detail::scheme_of(command.path).empty())
    throw UsageError{shown_path(command.path) + ": an address can only be read: --set and --delete are for folders"};
  auto const node = find_node(command.path, command);
  if (!command.name.empty()) throw UsageError{"NAME is for showing one attribute, without --set and --delete"};
  saying_what_goes(node.store, {node.path}, [&] { change(command, node, settings); });
  std::cout << printable(command.path) << ": " << count(settings.size(), "attribute") << " set, "
            << command.deletions.size() << " deleted\n";
  return done;
}

}  // namespace cli
