// tessera write: writes the elements of a .npy file of any size as an array, without reading the file into memory; and
// those of a .json file, of any type.
#include <atomic>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/metadata/detail/element_type.hpp>
#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/place/detail/placer.hpp>

#include "arguments.hpp"
#include "boxes.hpp"
#include "commands.hpp"
#include "interruption.hpp"
#include "json_block.hpp"
#include "needs.hpp"
#include "npy_file.hpp"
#include "output_place.hpp"
#include "part_shape.hpp"
#include "progress.hpp"
#include "source.hpp"
#include "stopwatch.hpp"

namespace cli {
namespace {

tessera::ArrayMetadata asked_for(Write const& command, NpyHeader const& file) {
  tessera::ArrayMetadata metadata;
  metadata.format = format_named(command.zarr_format, metadata.format);
  metadata.shape = file.shape;
  metadata.type = file.type;
  metadata.fields = file.fields;
  metadata.chunk_shape = command.chunks ? parse_chunks(*command.chunks) : default_chunks(file.shape, file.type);
  metadata.codecs = command.codecs.empty() ? default_codecs(file.type) : parse_codecs(command.codecs, file.type);
  metadata.fill = command.fill ? parse_fill(*command.fill, file.type, file.fields)
                               : std::vector<std::byte>(file.type.varies() ? 0 : file.type.size, std::byte{0});
  metadata.dimension_names = parse_names(command.names, file.shape.rank());
  if (command.shards) put_into_shards(metadata, parse_shards(*command.shards));
  complete_as_asked(metadata, command.file == "-" ? SpooledInput::name : command.file, complete_codecs);
  return metadata;
}

// The parts are as contiguous in the file as possible: dimensions with the smallest stride first.
tessera::Extents box_shape(tessera::ArrayMetadata const& array, bool fortran_order) {
  constexpr std::uint64_t budget = std::uint64_t{64} << 20;  // of elements to convert before they are written
  BoxShape box{array.shape, array.chunk_shape, array.type.size, budget};
  for (std::size_t d = 0; d < array.shape.rank(); ++d) box.grow(fortran_order ? d : array.shape.rank() - 1 - d);
  return box.shape();
}

class Elements {
 public:
  explicit Elements(NpyFile const& file) : file_{file}, strides_{file.strides()} {}

  void write(tessera::Region const& region, Array const& array) {
    auto const type = file_.header().type;
    if (!file_.is_swapped() && type.kind != tessera::DataKind::boolean)
      return write_elements(array, region, begin_of(region), strides_);
    write_elements(array, region, placed(region, array), tessera::Layout::c_order(region.count, type.size).strides);
  }

  /// A shard, part by part.
  void write_in_parts(tessera::Region const& shard, Array const& array) {
    auto const metadata = array.metadata();
    auto place = shard.first;
    for (std::size_t d = 0; d < place.rank(); ++d) place[d] /= metadata.chunk_shape[d];
    write_shard(array, place, [&](WritePart write) {
      each_box(shard.count, part_shape(metadata, shard.count, part), [&](tessera::Region region) {
        for (std::size_t d = 0; d < place.rank(); ++d) region.first[d] += shard.first[d];
        write(region, placed(region, array));
        file_.let_go();
      });
    });
  }
  /// Whether shards are large enough for that, and support it.
  static bool is_written_in_parts(Array const& array) {
    return bytes_of_shape(array.chunk_shape(), array.type()) > part && takes_parts(array);
  }

 private:
  static constexpr std::uint64_t part = std::uint64_t{64} << 20;  // bytes

  std::byte const* begin_of(tessera::Region const& region) const {
    auto const* from = file_.elements();
    for (std::size_t d = 0; d < region.first.rank(); ++d)
      from += static_cast<std::int64_t>(region.first[d]) * strides_[d];
    return from;
  }
  // In C order and in the machine's byte order.
  std::byte const* placed(tessera::Region const& region, Array const& array) {
    auto const type = file_.header().type;
    auto const room = about(array, [&] { return room_.take(size_in_bytes(region.count, type), array.queue()); });
    file_.place(begin_of(region), region.count, room.data, array.queue());
    if (type.kind == tessera::DataKind::boolean) expect_booleans({room.data, room.size});
    return room.data;
  }
  static void expect_booleans(std::span<std::byte const> elements) {
    for (auto element : elements)
      if (element > std::byte{1})
        throw tessera::StoreError{
            tessera::to_text({"found an element ", std::to_integer<int>(element), ", expected 0 or 1 for a bool"})};
  }

  NpyFile const& file_;
  tessera::Strides strides_;
  tessera::Scratch<tessera::space::Host> room_;
};

Status done_with(Write const& command, tessera::ArrayMetadata const& metadata, Stopwatch const& watch) {
  auto chunks = metadata;
  take_out_of_shards(chunks);
  std::cout << printable(command.path) << ": " << metadata.type.name() << ' ' << tessera::to_string(metadata.shape)
            << ", chunks " << tessera::to_string(chunks.chunk_shape);
  if (chunks.chunk_shape != metadata.chunk_shape)
    std::cout << " in shards " << tessera::to_string(metadata.chunk_shape);
  std::cout << ", " << watch.took(size_in_bytes(metadata.shape, metadata.type)) << '\n';
  return done;
}

Status write_json(Write const& command) {
  auto const of = parse_data_type(command.data_type.value_or("string"));
  auto block = read_json_block(command.file, of.type, of.fields);
  NpyHeader like;
  like.type = of.type, like.fields = of.fields, like.shape = block.shape;
  auto const metadata = asked_for(command, like);
  Interruption const interruption;
  Stopwatch const watch;
  auto const output = make_output(command.path, command.overwrite, command, metadata.format);
  auto const array = make_array(output->store(), "", metadata, Queue{command.threads});
  auto const whole = tessera::Box{tessera::all}.resolve(metadata.shape);
  if (of.type.varies())
    write_texts(array, whole, std::move(block.texts));
  else if (!block.elements.empty())
    write_elements(array, whole, block.elements.data(), tessera::Layout::c_order(metadata.shape, of.type.size).strides);
  output->commit();
  return done_with(command, metadata, watch);
}

}  // namespace

Status run(Write const& command) {
  if (command.file.ends_with(".json")) return write_json(command);
  if (command.data_type) throw UsageError{"--data-type is of a .json file: a .npy file says what its elements are"};
  NpyFile const file{command.file};
  auto const metadata = asked_for(command, file.header());
  Interruption const interruption;
  Stopwatch const watch;
  auto const output = make_output(command.path, command.overwrite, command, metadata.format);
  {
    auto const array = make_array(output->store(), "", metadata, Queue{command.threads});
    Elements elements{file};
    std::atomic<std::uint64_t> done{0};
    Progress const progress{"writing", done, tessera::element_count(metadata.shape, "shape")};
    bool const in_parts = Elements::is_written_in_parts(array);
    auto const box = in_parts ? metadata.chunk_shape : box_shape(metadata, file.header().fortran_order);
    each_box(metadata.shape, box, [&](tessera::Region const& region) {
      file.with_elements([&] { in_parts ? elements.write_in_parts(region, array) : elements.write(region, array); });
      file.let_go();
      done += tessera::element_count(region.count, "the region");
    });
  }
  output->commit();
  return done_with(command, metadata, watch);
}

}  // namespace cli
