// tessera mv: moves an array or a group, and all below it, to another path in one step.
#include <filesystem>
#include <iostream>

#include <tessera/node/nodes.hpp>

#include "commands.hpp"
#include "consolidated.hpp"
#include "node.hpp"

namespace cli {

Status run(Move const& command) {
  auto const from = find_node(command.source, command), to = find_place(command.destination, command);
  if (from.path.empty()) throw UsageError{command.source + " is the root of its hierarchy: rename the folder"};
  if (folder_of(from.store.name()) != folder_of(to.store.name()))
    throw UsageError{command.destination + " is not in the hierarchy of " + command.source +
                     ": copy it there, then rm"};
  saying_what_goes(from.store, {from.path, to.path}, [&] { tessera::move_node(from.store, from.path, to.path); });
  std::cout << printable(command.source) << ": now " << printable(command.destination) << '\n';
  return done;
}

}  // namespace cli
