// tessera append: the elements of a .npy file at the end of an array. Who reads sees all of them or none.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <span>

#include <tessera/buffer/scratch.hpp>
#include <tessera/place/copy.hpp>

#include "commands.hpp"
#include "consolidated.hpp"
#include "interruption.hpp"
#include "npy_file.hpp"
#include "progress.hpp"
#include "source.hpp"
#include "stopwatch.hpp"

namespace cli {
namespace {

void expect_fitting(Append const& command, NpyHeader const& file, Array const& array) {
  auto const shape = array.shape();
  auto const refuse = [&](std::string_view problem) {
    throw UsageError{tessera::text(
        {command.file, ": ", problem, "; the array is ", array.type().name(), " ", tessera::to_string(shape)})};
  };
  if (command.axis >= shape.rank())
    throw UsageError{tessera::text({"--axis ", command.axis, ": the array has ", shape.rank(), " dimensions"})};
  if (file.type != array.type() || file.fields != array.metadata().fields)
    refuse(tessera::text({"the elements are ", file.type.name()}));
  auto expected = shape;
  if (file.shape.rank() == shape.rank()) expected[command.axis] = file.shape[command.axis];
  if (file.shape != expected) refuse(tessera::text({"the shape is ", tessera::to_string(file.shape)}));
}

void expect_booleans(NpyFile const& file) {
  auto const* end = file.elements() + tessera::element_count(file.header().shape, "the shape");
  auto const* wrong = std::find_if(file.elements(), end, [](std::byte element) { return element > std::byte{1}; });
  if (wrong != end)
    throw tessera::StoreError{
        tessera::text({"found an element ", std::to_integer<int>(*wrong), ", expected 0 or 1 for a bool"})};
}

void append(NpyFile const& file, Array const& array, std::size_t axis) {
  auto const type = file.header().type;
  auto const& block = file.header().shape;
  std::atomic<std::uint64_t> done{0};
  tessera::Region end{tessera::Extents::filled(block.rank(), 0), block, tessera::Extents::filled(block.rank(), 1)};
  end.first[axis] = array.shape()[axis];
  Progress const progress{"appending", done, chunks_touched(end, array.chunk_shape())};
  if (type.kind == tessera::DataKind::boolean) expect_booleans(file);
  if (!file.is_swapped()) return append_elements(array, axis, block, file.elements(), file.strides(), done);
  tessera::Scratch<tessera::space::Host> room;
  auto const layout = tessera::Layout::c_order(block, type.size);
  auto const native = room.take(size_in_bytes(block, type), array.queue());
  file.place(file.elements(), block, native.data, array.queue());
  append_elements(array, axis, block, native.data, layout.strides, done);
}

}  // namespace

Status run(Append const& command) {
  NpyFile const file{command.file};
  auto const array = open_array(command.path, command.threads, command);
  expect_fitting(command, file.header(), array);
  Interruption const interruption;
  Stopwatch const watch;
  saying_what_goes(array.store(), {array.path()},
                   [&] { file.with_elements([&] { append(file, array, command.axis); }); });
  std::cout << printable(command.path) << ": " << array.type().name() << ' ' << tessera::to_string(array.shape())
            << ", " << file.header().shape[command.axis] << " of dimension " << command.axis << " are new, "
            << watch.took(size_in_bytes(file.header().shape, array.type())) << '\n';
  return done;
}

}  // namespace cli
