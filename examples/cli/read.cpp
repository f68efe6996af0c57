// tessera read: elements of an array, to a file, in bounded memory.
#include <algorithm>
#include <bit>
#include <iostream>
#include <string>

#include <tessera/buffer/scratch.hpp>

#include "commands.hpp"
#include "interruption.hpp"
#include "npy.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "region.hpp"
#include "source.hpp"

namespace cli {
namespace {

// How many of a region's indices along dimension 0, from the done-th on, make the next slab: as many whole rows of
// chunks as fit into `budget` bytes, so that no chunk is decoded twice, but at least one row.
std::uint64_t slab_rows(tessera::Region const& region, std::uint64_t done, std::uint64_t chunk_length,
                        std::uint64_t row_bytes, std::uint64_t budget) {
  auto const first = region.first[0], step = region.step[0], left = region.count[0] - done;
  auto const fitting = std::max<std::uint64_t>(budget / row_bytes, 1);
  if (fitting >= left) return left;
  // The indices below the first element of the row of chunks that `index` is in.
  auto const below = [&](std::uint64_t index) {
    auto const start = index / chunk_length * chunk_length;
    return start <= first ? 0 : (start - first - 1) / step + 1;
  };
  auto const cut = below(first + (done + fitting) * step);
  if (cut > done) return cut - done;
  return std::min(left, below(first + done * step + chunk_length) - done);
}

// Calls f with one part of a region after the other, in C order.
template <class F>
void each_slab(tessera::Region const& region, tessera::Extents const& chunk_shape, std::size_t item_size,
               std::uint64_t budget, F&& f) {
  auto const elements = tessera::element_count(region.count, "the region");
  if (elements == 0) return;
  if (region.count.rank() == 0) return f(region);
  auto const row_bytes = elements / region.count[0] * item_size;
  for (std::uint64_t done = 0; done < region.count[0];) {
    auto slab = region;
    slab.first[0] += done * region.step[0];
    slab.count[0] = slab_rows(region, done, chunk_shape[0], row_bytes, budget);
    f(slab);
    done += slab.count[0];
  }
}

void make_little_endian(std::span<std::byte> elements, std::size_t component) {
  if constexpr (std::endian::native == std::endian::big)
    for (std::size_t i = 0; i < elements.size(); i += component)
      std::reverse(elements.begin() + static_cast<std::ptrdiff_t>(i),
                   elements.begin() + static_cast<std::ptrdiff_t>(i + component));
}

}  // namespace

Status run(Read const& command) {
  bool const npy = command.output.ends_with(".npy");
  if (!npy && !command.output.ends_with(".bin"))
    throw UsageError{"--output " + command.output + ": a name that ends in .npy or .bin is expected"};
  auto const box = parse_region(command.region);
  auto const array = open_array(command.path, command.threads, command);
  auto const region = fit(box, array.shape());
  auto const type = array.type();

  Interruption const interruption;
  OutputFile file{command.output, command.sync};
  if (npy) file.write(npy_header(region.count, type));
  tessera::Traffic traffic;
  {
    Progress const progress{traffic.chunks, chunks_touched(region, array.chunk_shape())};
    tessera::Scratch<tessera::space::Host> room;
    each_slab(region, array.chunk_shape(), type.size, command.memory << 20, [&](tessera::Region const& slab) {
      auto const bytes = about(array, [&] { return room.take(size_in_bytes(slab.count, type), array.queue()); });
      std::span const elements{bytes.data, bytes.size};
      read_elements(array, slab, elements, traffic);
      make_little_endian(elements, type.component());
      file.write(elements.data(), elements.size());
    });
  }
  file.commit();
  std::cout << printable(command.output) << ": " << type.name() << ' ' << tessera::to_string(region.count) << '\n';
  return done;
}

}  // namespace cli
