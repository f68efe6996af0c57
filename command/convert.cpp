// tessera convert: replaces a node's documents by those of the other Zarr format. Chunks stay unchanged.
#include <cstddef>
#include <iostream>

#include <tessera/node/convert_node.hpp>

#include "commands.hpp"
#include "consolidated.hpp"
#include "node.hpp"
#include "progress.hpp"

namespace cli {

Status run(Convert const& command) {
  auto const [store, path] = find_node(command.path, command);
  auto const to = command.to == "v2" ? tessera::ZarrFormat::v2 : tessera::ZarrFormat::v3;
  auto const inside = path.empty() ? "x" : path + "/x";  // of the node's contents: its own copies are removed, too
  std::size_t converted = 0;
  saying_what_goes(store, {inside}, [&, &store = store, &path = path] {
    Progress const progress{"converting"};
    converted = tessera::convert_node(store, path, to);
  });
  std::cout << printable(command.path) << ": "
            << (converted == 0   ? "all of it is Zarr " + command.to
                : converted == 1 ? "1 node is Zarr " + command.to + " now"
                                 : std::to_string(converted) + " nodes are Zarr " + command.to + " now")
            << '\n';
  return done;
}

}  // namespace cli
