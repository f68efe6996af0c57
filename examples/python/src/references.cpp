// Snapshots of Icechunk repositories, and references files, as stores. Python opens the stores that these refer to.
#include "module.hpp"

#include <utility>

#include <tessera/with/icechunk.hpp>
#include <tessera/with/references.hpp>

namespace python {
namespace {

using Open = nb::typed<nb::callable, Store(nb::str, bool)>;

/// For any thread: `open(folder, is_trusted)` of Python's, whose errors become a StoreError; an interrupt passes through.
tessera::detail::OpenTrusting opened_by(Open open) {
  return [call = kept(std::move(open))](std::string const& folder, bool is_trusted) {
    Locked const held{};
    if (!held) throw tessera::Cancelled{"the interpreter is ending"};
    return in_python([&] {
      try {
        return tessera::StoreAt{nb::cast<Store>((*call)(folder, is_trusted))};
      } catch (nb::python_error const& raised) {
        if (!raised.matches(PyExc_Exception)) throw;  // KeyboardInterrupt, SystemExit
        throw tessera::StoreError{nb::str(raised.value()).c_str()};
      }
    });
  };
}

std::optional<std::pair<Store, std::string>> references_at(std::string const& address, Open open) {
  auto const by_python = opened_by(std::move(open));
  Unlocked const unlocked;
  auto found = tessera::detail::icechunk_at(address, by_python);
  if (!found) found = tessera::detail::references_at(address, by_python);
  if (!found) return std::nullopt;
  return std::pair{std::move(found->store), std::move(found->path)};
}

}  // namespace

void add_references(nb::module_& module) {
  module.def("references_at", &references_at, nb::arg("address"), nb::arg("open"));
}

}  // namespace python
