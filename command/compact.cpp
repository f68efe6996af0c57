// tessera compact: removes unused bytes from shards. Each shard is replaced at once, so the command may be ended at any
// moment.
#include <iostream>

#include "commands.hpp"
#include "progress.hpp"
#include "region.hpp"
#include "source.hpp"

namespace cli {

Status run(Compact const& command) {
  tessera::CompactOptions options;
  if (command.recover)
    options.recovered = [](std::string const& key) {
      std::cout << "key " << printable(key) << ": its last append was cut off, it is as it was before\n";
    };
  auto const array = open_array(command.path, command.threads, command);
  auto const region = region_of(command.region, array.metadata());
  auto const won = [&] {
    Progress const progress{"compacting"};
    return compact_array(array, command.region.empty() ? nullptr : &region, options);
  }();
  std::cout << printable(command.path) << ": " << won << " bytes fewer\n";
  return done;
}

}  // namespace cli
