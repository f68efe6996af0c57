// tessera consolidate: copies all documents below a group into its own, or into .zmetadata.
#include <iostream>

#include <tessera/node/consolidate.hpp>

#include "commands.hpp"
#include "node.hpp"
#include "progress.hpp"

namespace cli {

Status run(Consolidate const& command) {
  auto const [store, path] = find_node(command.path, command);
  {
    Progress const progress{"consolidating"};
    tessera::consolidate(store, path);
  }
  std::cout << printable(command.path) << ": consolidated\n";
  return done;
}

}  // namespace cli
