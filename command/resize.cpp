// tessera resize: changes the shape of an array. It may be ended at any moment: the array has the old shape or the new
// one.
#include <iostream>

#include "arguments.hpp"
#include "commands.hpp"
#include "consolidated.hpp"
#include "progress.hpp"
#include "source.hpp"

namespace cli {
namespace {

tessera::Extents shape_for(Resize const& command, Array const& array) {
  auto const shape = parse_lengths("SHAPE", command.shape, 0);
  auto const before = array.shape();
  if (shape.rank() != before.rank())
    throw UsageError{tessera::to_text({"SHAPE ", command.shape, ": found ", shape.rank(), " lengths, expected ",
                                       before.rank(), "; the shape is ", tessera::to_string(before)})};
  return shape;
}

}  // namespace

Status run(Resize const& command) {
  auto const array = open_array(command.path, command.threads, command);
  auto const before = array.shape(), shape = shape_for(command, array);
  saying_what_goes(array.store(), {array.path()}, [&] {
    Progress const progress{"erasing what lies beyond the new shape"};
    resize_array(array, shape);
  });
  std::cout << printable(command.path) << ": " << array.type().name() << ' ' << tessera::to_string(shape) << ", was "
            << tessera::to_string(before) << '\n';
  return done;
}

}  // namespace cli
