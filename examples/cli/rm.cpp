// tessera rm: an array or a group goes, with all below it, documents first. It may be ended at any moment: what opens
// then is whole.
#include <filesystem>
#include <iostream>
#include <system_error>

#include <tessera/array/erase.hpp>

#include "commands.hpp"
#include "node.hpp"
#include "sync.hpp"

namespace cli {

Status run(Remove const& command) {
  auto const folder = folder_of(command.path);
  auto const [store, path] = find_node(command.path, command.sync);
  tessera::erase_node(store, path);
  std::error_code ignored;
  bool const gone = std::filesystem::remove(folder, ignored);  // the root's own, if it is empty
  if (gone && command.sync) sync_folder(folder.parent_path());
  std::cout << printable(command.path) << ": erased\n";
  return done;
}

}  // namespace cli
