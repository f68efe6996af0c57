// tessera ls and tessera tree: the members of a group, from its documents; no chunk is read.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "address.hpp"
#include "commands.hpp"
#include "tree.hpp"

namespace cli {
namespace {

std::string name_of(Tree const& node) { return node.path.substr(node.path.rfind('/') + 1); }

// "uint8 [x 197, y 233]"
std::string kind_text(Tree const& node) {
  if (auto const* array = std::get_if<tessera::ArrayMetadata>(&node.document))
    return array->type.name() + ' ' + shape_text(*array) +
           (node.problem.empty() ? ""
            : node.wrong         ? " (broken)"
                                 : " (not supported)");
  if (std::holds_alternative<tessera::GroupMetadata>(node.document)) return "group";
  return node.wrong ? "(broken)" : "array (not supported)";
}

bool is_group(Tree const& node) { return std::holds_alternative<tessera::GroupMetadata>(node.document); }

// A group's members, or the array itself, as ls lists a file.
void print_list(Tree const& tree, std::string const& asked, bool is_long) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (is_group(tree) || !tree.children.empty())
    for (auto const& child : tree.children)
      lines.emplace_back(name_of(child) + (is_group(child) ? "/" : ""), kind_text(child));
  else
    lines.emplace_back(asked, kind_text(tree));
  std::size_t width = 0;
  for (auto& [name, kind] : lines) name = printable(name), width = std::max(width, name.size());
  for (auto& [name, kind] : lines) {
    if (is_long) name.resize(width + 2, ' '), name += printable(kind);
    std::cout << name << '\n';
  }
}

void print_tree(Tree const& node, std::string const& label, std::string const& first = "",
                std::string const& rest = "") {
  std::cout << first << printable(label + "  " + kind_text(node)) << '\n';
  for (auto const& child : node.children) {
    bool const last = &child == &node.children.back();
    print_tree(child, name_of(child), rest + (last ? "└── " : "├── "), rest + (last ? "    " : "│   "));
  }
}

}  // namespace

Status run(Listing const& command) {
  auto const [store, path] = find_source(command.path, command);
  auto const tree = read_tree(store, path, command.is_tree ? command.levels.value_or(~std::size_t{0}) : 1);
  if (command.is_tree)
    print_tree(tree, path.empty() ? store.name() : store.name() + '/' + path);
  else
    print_list(tree, shown_path(command.path), command.is_long);
  std::cout.flush();
  each_node(tree, [](Tree const& node) {
    if (node.wrong) report(node.problem);
  });
  return tree.any_wrong() ? wrong_data : done;
}

}  // namespace cli
