// tessera view: a plane of an array as a picture.
#include <algorithm>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>

#include "address.hpp"
#include "commands.hpp"
#include "conventions.hpp"
#include "picture.hpp"
#include "png.hpp"
#include "progress.hpp"
#include "region.hpp"
#include "source.hpp"
#include "terminal.hpp"

namespace cli {
namespace {

struct Plane {
  tessera::Region region;
  std::size_t rows, columns;
  std::string text;  ///< "z 94", if the array has more than the plane
};

// The selection of --axis and --index, in the named form of --index.
std::string index_of(View const& command, tessera::ArrayMetadata const& array) {
  auto const rank = array.shape.rank();
  bool const is_number = !command.index.empty() && command.index.find('=') == command.index.npos;
  if (!is_number && command.axis.empty()) return command.index;
  if (!is_number && !command.index.empty())
    throw UsageError{"--index names its dimensions: --axis is for a number alone"};
  if (command.axis.empty() && rank != 3)
    throw UsageError{"--index " + command.index +
                     ": which dimension is not said; expected NAME=N or --axis; the shape is " +
                     tessera::to_string(array.shape)};
  auto const axis = command.axis.empty() ? 2 : dimension_named(command.axis, array, "--axis");
  return tessera::to_text({axis, "="}) + (is_number ? command.index : std::to_string(array.shape[axis] / 2));
}

// Of the unspecified dimensions, the last are the picture's, and the others are cut in the middle.
Plane choose_plane(View const& command, tessera::ArrayMetadata const& array) {
  auto const& shape = array.shape;
  auto const rank = shape.rank();
  auto const described = "; the shape is " + tessera::to_string(shape);
  auto parts = parse_parts(command.region, index_of(command, array), array);
  auto const asked = fit(parts, shape);
  if (tessera::count_or_most(asked.count) == 0) throw UsageError{"there is nothing to see" + described};
  std::vector<std::size_t> plane;
  for (std::size_t d = 0; d < rank; ++d)
    if (parts[d] && asked.count[d] > 1) plane.push_back(d);
  if (plane.size() > 2)
    throw UsageError{
        tessera::to_text({"--region: found ", plane.size(), " dimensions of several indices, expected 2", described})};
  if (rank == 3 && plane.empty() && !parts[0] && !parts[1] && !parts[2]) plane = {0, 1};
  for (auto d = rank; d-- > 0 && plane.size() < 2;)
    if (!parts[d]) plane.push_back(d);
  std::sort(plane.begin(), plane.end());
  std::string text;
  for (std::size_t d = 0; d < rank; ++d) {
    if (std::find(plane.begin(), plane.end(), d) != plane.end()) continue;
    if (!parts[d]) parts[d] = tessera::Slice{shape[d] / 2};
    auto const named = !array.dimension_names.empty() && array.dimension_names[d];
    text += (text.empty() ? "" : ", ") + (named ? *array.dimension_names[d] : "axis " + std::to_string(d)) + ' ' +
            std::to_string(parts[d]->first);
  }
  auto const region = fit(parts, shape);
  auto const length = [&](std::size_t i) { return i < plane.size() ? region.count[plane[i]] : 1; };
  return plane.size() < 2 ? Plane{region, 1, length(0), text} : Plane{region, length(0), length(1), text};
}

Greys read_greys(Array const& array, tessera::Region const& region) {
  auto const type = array.type();
  auto const greys = [](auto numbers) { return greys_of(numbers); };
  if (type.varies()) return with_numbers({}, type, greys);  // which reports that they have none
  auto buffer = about(array, [&] { return tessera::HostBuffer{size_in_bytes(region.count, type)}; });
  auto const [data, size] = buffer.span();
  tessera::Traffic traffic;
  Progress const progress{"reading", traffic.chunks, chunks_touched(region, array.chunk_shape())};
  read_elements(array, region, {data, size}, traffic);
  return with_numbers({data, size}, type, greys);
}

// The coarsest level of an OME group: levels are listed from the finest, so the last.
std::optional<std::string> coarsest_level(Node const& node) {
  auto const attributes = tessera::read_document(node.store, node.path,
                                                 [](tessera::ObjectReader& reader) -> std::optional<tessera::Members> {
                                                   if (reader.at("node_type").one_of({"array", "group"}) == "array")
                                                     return std::nullopt;
                                                   return tessera::read_group_metadata(reader).attributes;
                                                 });
  if (!attributes || !*attributes) return std::nullopt;
  tessera::Value const all{**attributes};
  auto const* const levels = detail::levels_of(all);
  if (!levels || levels->empty()) return std::nullopt;
  return detail::words_of(detail::member_of(&levels->back(), "path"));
}

}  // namespace

Status run(View const& command) {
  if (!command.output.empty() && !command.output.ends_with(".png"))
    throw UsageError{"--output " + command.output + ": a name that ends in .png is expected"};
  auto node = find_source(command.path, command);
  auto const level = coarsest_level(node);
  if (level) node.path += (node.path.empty() ? "" : "/") + *level;
  auto const array = open_array(std::move(node.store), std::move(node.path), Queue{command.threads});
  auto const plane = choose_plane(command, array.metadata());
  auto greys = read_greys(array, plane.region);
  Picture const picture{plane.rows, plane.columns, std::move(greys.grey), std::move(greys.is_nan)};
  if (command.output.empty())
    draw(std::cout, picture);
  else
    write_png(command.output, picture, command.sync);
  auto const what = (command.output.empty() ? "" : command.output + ": ") + shown_path(command.path) +
                    (level ? ", level " + *level : "");
  std::cout << printable(what + (plane.text.empty() ? "" : ", " + plane.text)) << ", " << plane.rows << " x "
            << plane.columns << ", min " << greys.least << ", max " << greys.most
            << (greys.nans > 0 ? tessera::to_text({", ", greys.nans, " NaN"}) : "") << '\n';
  return done;
}

}  // namespace cli
