// tessera view: a plane of an array as a picture.
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>

#include "commands.hpp"
#include "picture.hpp"
#include "png.hpp"
#include "progress.hpp"
#include "source.hpp"
#include "terminal.hpp"

namespace cli {
namespace {

struct Plane {
  tessera::Region region;
  std::size_t rows, columns;
  std::string text;  ///< "z 94", where the array has more than the plane
};

Plane choose_plane(View const& command, tessera::ArrayMetadata const& array) {
  auto const& shape = array.shape;
  auto const rank = shape.rank();
  auto const described = "; the shape is " + tessera::to_string(shape);
  if (rank != 2 && rank != 3)
    throw UsageError{"view shows arrays of 2 or 3 dimensions" + described + "; tessera read --region takes any part"};
  tessera::Box const everything = tessera::all;
  auto region = everything.resolve(shape);
  if (tessera::element_count(shape, "shape") == 0) throw UsageError{"there is nothing to see" + described};
  if (rank == 2) {
    if (command.axis || command.index)
      throw UsageError{"an array of 2 dimensions is a plane: --axis and --index are for arrays of 3"};
    return {region, shape[0], shape[1], ""};
  }
  auto const axis = command.axis.value_or(2);
  if (axis > 2) throw UsageError{"--axis " + std::to_string(axis) + ": 0, 1 or 2 is expected" + described};
  auto const index = command.index.value_or(shape[axis] / 2);
  if (index >= shape[axis])
    throw UsageError{"--index " + std::to_string(index) + ": less than " + std::to_string(shape[axis]) +
                     " is expected along dimension " + std::to_string(axis) + described};
  region.first[axis] = index;
  region.count[axis] = 1;
  auto const named = !array.dimension_names.empty() && array.dimension_names[axis];
  return {region, shape[axis == 0 ? 1 : 0], shape[axis == 2 ? 1 : 2],
          (named ? *array.dimension_names[axis] : "axis " + std::to_string(axis)) + ' ' + std::to_string(index)};
}

Greys read_greys(Array const& array, tessera::Region const& region) {
  auto const type = array.type();
  auto buffer = about(array, [&] { return tessera::HostBuffer{size_in_bytes(region.count, type)}; });
  auto const [data, size] = buffer.span();
  tessera::Traffic traffic;
  Progress const progress{traffic.chunks, chunks_touched(region, array.chunk_shape())};
  read_elements(array, region, {data, size}, traffic);
  return with_numbers({data, size}, type, [](auto numbers) { return greys_of(numbers); });
}

}  // namespace

Status run(View const& command) {
  if (!command.output.empty() && !command.output.ends_with(".png"))
    throw UsageError{"--output " + command.output + ": a name that ends in .png is expected"};
  auto const array = open_array(command.path, command.threads, command);
  auto const plane = choose_plane(command, array.metadata());
  auto greys = read_greys(array, plane.region);
  Picture const picture{plane.rows, plane.columns, std::move(greys.grey)};
  if (command.output.empty())
    draw(std::cout, picture);
  else
    write_png(command.output, picture, command.sync);
  auto const what = command.output.empty() ? command.path : command.output + ": " + command.path;
  std::cout << printable(what + (plane.text.empty() ? "" : ", " + plane.text)) << ", " << plane.rows << " x "
            << plane.columns << ", min " << greys.least << ", max " << greys.most << '\n';
  return done;
}

}  // namespace cli
