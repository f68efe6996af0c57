// tessera append: appends the elements of a .npy or .json file to an array. Readers see all of them or none.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <span>
#include <utility>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/place/detail/placer.hpp>

#include "commands.hpp"
#include "consolidated.hpp"
#include "interruption.hpp"
#include "json_block.hpp"
#include "npy_file.hpp"
#include "progress.hpp"
#include "region.hpp"
#include "source.hpp"
#include "stopwatch.hpp"

namespace cli {
namespace {

void expect_fitting(Append const& command, NpyHeader const& file, Array const& array, std::size_t axis) {
  auto const shape = array.shape();
  auto const refuse = [&](std::string_view problem) {
    throw UsageError{tessera::to_text(
        {command.file, ": ", problem, "; the array is ", array.type().name(), " ", tessera::to_string(shape)})};
  };
  if (file.type != array.type() || file.fields != array.metadata().fields)
    refuse(tessera::to_text({"the elements are ", file.type.name()}));
  auto expected = shape;
  if (file.shape.rank() == shape.rank()) expected[axis] = file.shape[axis];
  if (file.shape != expected) refuse(tessera::to_text({"the shape is ", tessera::to_string(file.shape)}));
}

void expect_booleans(NpyFile const& file) {
  auto const* end = file.elements() + tessera::element_count(file.header().shape, "the shape");
  auto const* wrong = std::find_if(file.elements(), end, [](std::byte element) { return element > std::byte{1}; });
  if (wrong != end)
    throw tessera::StoreError{
        tessera::to_text({"found an element ", std::to_integer<int>(*wrong), ", expected 0 or 1 for a bool"})};
}

// How many chunks a block will touch.
std::uint64_t chunks_of(tessera::Extents const& block, Array const& array, std::size_t axis) {
  tessera::Region end{tessera::Extents::filled(block.rank(), 0), block, tessera::Extents::filled(block.rank(), 1)};
  end.first[axis] = array.shape()[axis];
  return chunks_touched(end, array.chunk_shape());
}

void append(NpyFile const& file, Array const& array, std::size_t axis) {
  auto const type = file.header().type;
  auto const& block = file.header().shape;
  std::atomic<std::uint64_t> done{0};
  Progress const progress{"appending", done, chunks_of(block, array, axis)};
  if (type.kind == tessera::DataKind::boolean) expect_booleans(file);
  if (!file.is_swapped()) return append_elements(array, axis, block, file.elements(), file.strides(), done);
  tessera::Scratch<tessera::space::Host> room;
  auto const layout = tessera::Layout::c_order(block, type.size);
  auto const native = room.take(size_in_bytes(block, type), array.queue());
  file.place(file.elements(), block, native.data, array.queue());
  append_elements(array, axis, block, native.data, layout.strides, done);
}

void append(JsonBlock block, Array const& array, std::size_t axis) {
  std::atomic<std::uint64_t> done{0};
  Progress const progress{"appending", done, chunks_of(block.shape, array, axis)};
  if (array.type().varies()) return append_texts(array, axis, block.shape, std::move(block.texts), done);
  auto const layout = tessera::Layout::c_order(block.shape, array.type().size);
  append_elements(array, axis, block.shape, block.elements.data(), layout.strides, done);
}

// The elements of the file as the header of a .npy file describes them; f appends them.
template <class F>
Status append_block(Append const& command, Array const& array, NpyHeader const& block, std::size_t axis, F&& f) {
  expect_fitting(command, block, array, axis);
  Interruption const interruption;
  Stopwatch const watch;
  saying_what_goes(array.store(), {array.path()}, f);
  std::cout << printable(command.path) << ": " << array.type().name() << ' ' << tessera::to_string(array.shape())
            << ", " << block.shape[axis] << " of dimension " << axis << " are new, "
            << watch.took(size_in_bytes(block.shape, array.type())) << '\n';
  return done;
}

}  // namespace

Status run(Append const& command) {
  if (command.file.ends_with(".json")) {
    auto const array = open_array(command.path, command.threads, command);
    auto block = read_json_block(command.file, array.type(), array.metadata().fields);
    NpyHeader like;
    like.type = array.type(), like.fields = array.metadata().fields, like.shape = block.shape;
    auto const axis = dimension_named(command.axis, array.metadata(), "--axis");
    return append_block(command, array, like, axis, [&] { append(std::move(block), array, axis); });
  }
  NpyFile const file{command.file};
  auto const array = open_array(command.path, command.threads, command);
  auto const axis = dimension_named(command.axis, array.metadata(), "--axis");
  return append_block(command, array, file.header(), axis,
                      [&] { file.with_elements([&] { append(file, array, axis); }); });
}

}  // namespace cli
