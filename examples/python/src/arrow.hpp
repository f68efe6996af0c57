// Exporting memory by the PyCapsules of Arrow's C data interfaces
// (https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html).
#pragma once
#include "module.hpp"

#include <memory>
#include <utility>

#include <tessera/with/arrow/c_data.hpp>

namespace python {

namespace arrow_c = tessera::arrow_c;

/// A capsule that owns the struct until a consumer moves it out. Its end releases what was not moved.
template <class Struct>
nb::object capsule_of(arrow_c::Owned<Struct> held, char const* name) {
  auto moved = std::make_unique<Struct>();
  held.move_to(moved.get());
  auto* const made = PyCapsule_New(moved.get(), name, [](PyObject* capsule) {
    auto* const owned = static_cast<Struct*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    arrow_c::Owned<Struct>{owned}.reset();
    delete owned;
  });
  if (!made) {
    arrow_c::Owned<Struct>{moved.get()}.reset();
    throw nb::python_error();
  }
  (void)moved.release();
  return nb::steal(made);
}

using Capsules = nb::typed<nb::tuple, nb::object, nb::object>;
inline Capsules capsules_of(arrow_c::Exported exported) {
  auto const schema = capsule_of(std::move(exported.schema), "arrow_schema");
  return nb::borrow<Capsules>(nb::make_tuple(schema, capsule_of(std::move(exported.array), "arrow_array")));
}

/// What a consumer requests is best effort, and it must compare what it gets: it gets the elements as they are. Raises
/// TypeError, if it passes something else than a schema.
inline void check_requested(nb::handle schema) {
  if (!schema.is_none() && !PyCapsule_IsValid(schema.ptr(), "arrow_schema"))
    throw nb::type_error("requested_schema is not a capsule named arrow_schema");
}

}  // namespace python
