// tessera rm: an array or a group goes, with all below it, documents first. It may be ended at any moment: what opens
// then is whole. A link goes itself, not what it leads to.
#include <filesystem>
#include <iostream>
#include <system_error>

#include <tessera/node/erase.hpp>

#include "commands.hpp"
#include "consolidated.hpp"
#include "node.hpp"
#include "progress.hpp"
#include "sync.hpp"

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

}  // namespace

Status run(Remove const& command) {
  auto const folder = folder_of(command.path), asked = named(command.path);
  if (std::filesystem::is_symlink(asked)) return remove_link(command, asked);
  auto const [store, path] = find_node(command.path, command);
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
