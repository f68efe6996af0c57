// The layout of the memory for a selection.
#include "module.hpp"

#include <optional>

namespace python {
namespace {

using tessera::SelectionError, tessera::Strides, tessera::to_text;

// Dimensions of the memory, from `first` on, as one: from one element to the next.
std::int64_t joint_stride(tessera::Layout const& memory, std::size_t first, std::size_t count) {
  auto stride = static_cast<std::int64_t>(memory.item_size);
  std::optional<std::int64_t> expected;  // of the dimension before
  for (auto d = first + count; d-- > first;) {
    if (memory.shape[d] == 1) continue;
    if (!expected) stride = memory.strides[d];
    if (expected.value_or(stride) != memory.strides[d])
      throw SelectionError{"the memory for a list has strides that no list has"};
    expected = memory.strides[d] * static_cast<std::int64_t>(memory.shape[d]);
  }
  return stride;
}

}  // namespace

Strides strides_of(Selection const& selection, tessera::Layout const& memory) {
  if (memory.shape != selection.shape)
    throw SelectionError{to_text({"the memory's shape is ", tessera::to_string(memory.shape), ", expected ",
                                  tessera::to_string(selection.shape)})};
  Strides strides;
  std::size_t at = 0;
  for (auto rank : selection.ranks) {
    strides.push_back(rank == 0 ? 0 : rank == 1 ? memory.strides[at] : joint_stride(memory, at, rank));
    at += rank;
  }
  return strides;
}

}  // namespace python
