#pragma once
#include <tessera/metadata/detail/rectilinear.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// One length, repeated as needed, or a list of lengths and of runs [length, count].
[[gnu::cold]] TESSERA_DECL ChunkEdges read_chunk_edges(MemberValue const& found, std::uint64_t length) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (!found.value().get_if<List>()) return {{{found.integer<std::uint64_t>(1, most), 1}}, true};
  ChunkEdges edges;
  std::uint64_t sum = 0;
  auto const runs = found.list(bounds::chunk_runs, "lengths and runs of lengths").size();
  for (std::size_t i = 0; i < runs; ++i) {
    auto const item = found.item(i);
    EdgeRun run{0, 1};
    if (item.value().get_if<List>()) {
      if (item.list().size() != 2) item.refuse("a length and a count");
      run = {item.item(0).integer<std::uint64_t>(1, most), item.item(1).integer<std::uint64_t>(1, most)};
    } else {
      run.length = item.integer<std::uint64_t>(1, most);
    }
    auto const more = checked_product(run.length, run.count, found.where());
    if (more > most - sum) found.refuse(to_text({"lengths whose sum is at most ", most}));
    sum += more;
    edges.add(run);
  }
  if (sum < length) found.refuse(to_text({"lengths whose sum is at least ", length, ", as in shape"}));
  return edges;
}

TESSERA_DECL std::vector<ChunkEdges> read_rectilinear(Value const& given, Extents const& shape) {
  ObjectReader configuration{given, "chunk_grid.configuration"};
  configuration.at("kind").one_of({"inline"});
  auto const member = configuration.at("chunk_shapes");
  configuration.finish();
  if (member.list().size() != shape.rank()) member.refuse(to_text({shape.rank(), " items, as in shape"}));
  std::vector<ChunkEdges> edges;
  for (std::size_t d = 0; d < shape.rank(); ++d) edges.push_back(read_chunk_edges(member.item(d), shape[d]));
  return edges;
}

TESSERA_DECL Value write_rectilinear(std::vector<ChunkEdges> const& edges) {
  auto const number = [](std::uint64_t n) { return Value{Number{std::to_string(n)}}; };
  List shapes;
  for (auto const& axis : edges) {
    List list;
    for (auto const& [length, count] : axis.runs) {
      List pair;
      pair.push_back(number(length));
      pair.push_back(number(count));
      list.push_back(count == 1 ? number(length) : Value{std::move(pair)});
    }
    shapes.push_back(axis.repeats ? number(axis.runs.front().length) : Value{std::move(list)});
  }
  return Members{{"name", "rectilinear"},
                 {"configuration", Members{{"kind", "inline"}, {"chunk_shapes", std::move(shapes)}}}};
}

TESSERA_DECL std::vector<ChunkAxis> chunk_axes(std::vector<ChunkEdges> const& edges, Extents const& shape) {
  std::vector<ChunkAxis> axes;
  for (std::size_t d = 0; d < edges.size(); ++d) axes.emplace_back(edges[d], shape[d]);
  return axes;
}

}}}  // namespace tessera::v0::detail
