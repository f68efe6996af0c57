// Shared declarations of the module's sources: the types in Python's objects, and which source adds which of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tessera/all.hpp>
#include <tessera/with/dlpack.hpp>

#include "interpreter.hpp"

namespace python {

using tessera::space::Host;
using Store = tessera::AnyStore<tessera::HostBuffer>;
using AllCodecs = tessera::WithStrings<tessera::AllCodecs>;
using Array = decltype(tessera::open_any<AllCodecs>(std::declval<Store const&>(), std::string{}));
using Tensor = tessera::dlpack::Shared<Host>;

/// The module's queue: one thread for each processor, for all arrays. Never destroyed: a thread that remains after the
/// interpreter may use it while the process ends.
tessera::Queue<Host>& queue();

/// The selection, and the shape of its memory in Python.
struct Selection {
  tessera::ResolvedSelection what;
  /// How many dimensions of Python's memory each dimension of `what` has: none for a single index, several for a list
  /// that has several.
  std::vector<std::size_t> ranks;
  tessera::Extents shape;  ///< of Python's memory
};

/// Another library's memory, as long as this lives.
struct Borrowed {
  tessera::dlpack::Elements elements;
  bool read_only;
  tessera::dlpack::Tensor tensor;
  nb::object owner;
};
/// From an object with `__dlpack__` or `__array_interface__`. Throws: ExchangeError, if it is not host memory, or
/// cannot be shown without a copy.
Borrowed borrow(nb::handle object);
/// In any memory. `stream` is the stream on which the producer's work must be done before.
Borrowed borrow_by_dlpack(nb::handle object, std::optional<std::intptr_t> stream);
Borrowed borrow_by_interface(nb::handle object, char const* attribute);

/// The strides, in bytes, of the dimensions of `what`. Throws: SelectionError, if the shape differs.
tessera::Strides strides_of(Selection const& selection, tessera::Layout const& memory);

using Shape = nb::typed<nb::tuple, std::uint64_t, nb::ellipsis>;
inline Shape tuple_of(tessera::Extents const& extents) {
  nb::list items;
  for (auto n : extents) items.append(n);
  return nb::borrow<Shape>(nb::tuple(items));
}
inline tessera::Extents extents_of(std::vector<std::uint64_t> const& numbers) { return tessera::Extents(numbers); }

void add_errors(nb::module_& module);
void add_tensor(nb::module_& module);
void add_selection(nb::module_& module);
void add_array(nb::module_& module);
void add_strings(nb::module_& module);
void add_nodes(nb::module_& module);
void add_groups(nb::module_& module);
void add_references(nb::module_& module);
void add_transfers(nb::module_& module);
void add_chunks(nb::module_& module);
void add_sharing(nb::module_& module);
void add_arrow(nb::module_& module);
void add_padding(nb::module_& module);
void add_conversion(nb::module_& module);
void add_boxes(nb::module_& module);

}  // namespace python
