// tessera write: the elements of a .npy file as an array, of any size: the file is not read into memory. And those of a
// .json file, of any type.
#include <atomic>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <tessera/buffer/scratch.hpp>
#include <tessera/place/copy.hpp>

#include "arguments.hpp"
#include "boxes.hpp"
#include "commands.hpp"
#include "interruption.hpp"
#include "json_block.hpp"
#include "npy_file.hpp"
#include "output_node.hpp"
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

// The parts lie in the file as closely as they can: what is shortest apart there is taken first.
tessera::Extents box_shape(tessera::ArrayMetadata const& array, bool fortran_order) {
  constexpr std::uint64_t budget = std::uint64_t{64} << 20;  // of elements that must be changed before they are written
  BoxShape box{array.shape, array.chunk_shape, array.type.size, budget};
  for (std::size_t d = 0; d < array.shape.rank(); ++d) box.grow(fortran_order ? d : array.shape.rank() - 1 - d);
  return box.shape();
}

class Elements {
 public:
  explicit Elements(NpyFile const& file) : file_{file}, strides_{file.strides()} {}

  void write(tessera::Region const& region, Array const& array) {
    auto const type = file_.header().type;
    auto const* from = file_.elements();
    for (std::size_t d = 0; d < region.first.rank(); ++d)
      from += static_cast<std::int64_t>(region.first[d]) * strides_[d];
    if (!file_.is_swapped() && type.kind != tessera::DataKind::boolean)
      return write_elements(array, region, from, strides_);
    auto const layout = tessera::Layout::c_order(region.count, type.size);
    auto const room = about(array, [&] { return room_.take(size_in_bytes(region.count, type), array.queue()); });
    file_.place(from, region.count, room.data, array.queue());
    if (type.kind == tessera::DataKind::boolean) expect_booleans({room.data, room.size});
    write_elements(array, region, room.data, layout.strides);
  }

 private:
  static void expect_booleans(std::span<std::byte const> elements) {
    for (auto element : elements)
      if (element > std::byte{1})
        throw tessera::StoreError{
            tessera::text({"found an element ", std::to_integer<int>(element), ", expected 0 or 1 for a bool"})};
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
  OutputNode output{command.path, command.overwrite, command, metadata.format};
  auto const array = make_array(output.store(), "", metadata, Queue{command.threads});
  auto const whole = tessera::Box{tessera::all}.resolve(metadata.shape);
  if (of.type.varies())
    write_texts(array, whole, std::move(block.texts));
  else if (!block.elements.empty())
    write_elements(array, whole, block.elements.data(), tessera::Layout::c_order(metadata.shape, of.type.size).strides);
  output.commit();
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
  OutputNode output{command.path, command.overwrite, command, metadata.format};
  {
    auto const array = make_array(output.store(), "", metadata, Queue{command.threads});
    Elements elements{file};
    std::atomic<std::uint64_t> done{0};
    Progress const progress{"writing", done, tessera::element_count(metadata.shape, "shape")};
    each_box(metadata.shape, box_shape(metadata, file.header().fortran_order), [&](tessera::Region const& region) {
      file.with_elements([&] { elements.write(region, array); });
      file.let_go();
      done += tessera::element_count(region.count, "the region");
    });
  }
  output.commit();
  return done_with(command, metadata, watch);
}

}  // namespace cli
