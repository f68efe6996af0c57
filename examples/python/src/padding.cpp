// Padding, as tessera/_padding.py makes it.
#include "padding.hpp"
#include "module.hpp"

#include <cstring>

namespace python {
namespace {

using Numbers = std::vector<std::uint64_t>;

tessera::PaddingMode mode_of(std::string const& name) {
  if (name == "edge") return tessera::PaddingMode::edge;
  return name == "reflect" ? tessera::PaddingMode::reflect : tessera::PaddingMode::constant;
}

}  // namespace

void add_padding(nb::module_& module) {
  using nb::arg;
  nb::class_<Padding>(module, "Padding", "Elements around an array of a known rank.")
      .def(
          "__init__",
          [](Padding* self, Numbers const& before, Numbers const& after, std::string const& mode,
             std::optional<nb::bytes> const& element) {
            Padding made{{.before = extents_of(before), .after = extents_of(after), .mode = mode_of(mode)}};
            made.element.resize(element ? element->size() : 0);
            if (element) std::memcpy(made.element.data(), element->data(), element->size());
            new (self) Padding{std::move(made)};
          },
          arg("before"), arg("after"), arg("mode"), arg("element").none())
      .def(
          "padded",
          [](Padding const& padding, Numbers const& shape) {
            return tuple_of(padding.native.padded(extents_of(shape)));
          },
          arg("shape"));
}

}  // namespace python
