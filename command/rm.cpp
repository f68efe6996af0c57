// tessera rm: removes an array or a group, with all below it, documents first. It may be ended at any moment: nodes
// that still open are whole. A link is removed itself, not its target.
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

#include <unistd.h>

#include <tessera/node/nodes.hpp>

#include "commands.hpp"
#include "consolidated.hpp"
#include "node.hpp"
#include "progress.hpp"
#include "quantities.hpp"
#include "sync.hpp"
#include "tree.hpp"

namespace cli {
namespace {

// One that is a member of a hierarchy, or leads to one.
Status remove_link(Remove const& command, std::filesystem::path const& link) {
  auto const [store, path] = find_place(command.path, command);
  if (std::filesystem::is_symlink(folder_of(command.path)) && !path.empty())
    saying_what_goes(store, {path}, [&store = store, &path = path] { tessera::erase_node(store, path); });
  else
    std::filesystem::remove(link);
  if (command.sync) sync_folder(link.parent_path());
  std::cout << printable(command.path) << ": the link is erased; what it leads to stays\n";
  return done;
}

// A whole hierarchy is seldom meant: the path may have been cut short.
bool is_confirmed(Store const& store, std::string const& shown) {
  std::size_t arrays = 0, groups = 0;
  auto const tree = read_tree(store, "");
  each_node(tree, [&](Tree const& node) {
    ++(std::holds_alternative<tessera::GroupMetadata>(node.document) ? groups : arrays);
  });
  std::cerr << printable(shown) << " is a whole hierarchy: " << count(arrays, "array") << ", " << count(groups, "group")
            << ". Erase it? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

Status run(Remove const& command) {
  auto const folder = folder_of(command.path), asked = named(command.path);
  if (std::filesystem::is_symlink(asked)) return remove_link(command, asked);
  auto const [store, path] = find_node(command.path, command);
  if (path.empty() && !command.yes && ::isatty(STDIN_FILENO) && !is_confirmed(store, command.path)) {
    std::cout << "nothing is erased\n";
    return wrong_data;
  }
  saying_what_goes(store, {path}, [&store = store, &path = path] {
    Progress const progress{"erasing"};
    tessera::erase_node(store, path);
  });
  std::error_code ignored;
  bool const gone = std::filesystem::remove(folder, ignored);  // the root's own, if it is empty
  if (gone && command.sync) sync_folder(folder.parent_path());
  std::cout << printable(command.path) << ": erased\n";
  return done;
}

}  // namespace cli
