// Nodes of a hierarchy in a folder: opened, listed, created. Documents and attributes are JSON text on both sides.
#include "opening.hpp"

#include <optional>

namespace python {
namespace {

std::string json_of(tessera::Members const& members) { return tessera::to_json(tessera::Value{members}); }
tessera::Members members_of(std::string const& json) {
  auto const value = tessera::parse_json(json);
  if (auto const* members = value.get_if<tessera::Members>()) return *members;
  throw tessera::MetadataError{"attributes that are no object"};
}

// "array", "group", or nothing.
std::optional<std::string> node_type(Store const& store, std::string const& path) {
  Unlocked const unlocked;
  return tessera::detail::node_type(store, path);
}

// How many values there are below a path, except documents, and their bytes.
std::pair<std::uint64_t, std::uint64_t> stored(Store const& store, std::string const& path) {
  Unlocked const unlocked;
  std::pair<std::uint64_t, std::uint64_t> found{0, 0};
  store.list(path, [&](tessera::Listed const& entry) {
    if (tessera::detail::is_document(entry.path)) return;
    ++found.first, found.second += entry.size;
  });
  return found;
}

}  // namespace

void add_nodes(nb::module_& module) {
  nb::class_<Store>(module, "Store", "A folder; of `_http` and `_zip`, what is below an address or in a zip file.")
      .def(
          "__init__",
          [](Store* store, std::string folder, bool follow_links) {
            auto const links = follow_links ? tessera::Links::follow : tessera::Links::refuse;
            new (store) Store{tessera::LocalStore<tessera::HostBuffer>{std::move(folder), {.links = links}}};
          },
          nb::arg("folder"), nb::arg("follow_links") = false)
      .def_prop_ro("folder", [](Store const& store) { return store.name(); })
      .def("node_type", &node_type, nb::arg("path"))
      .def("stored", &stored, nb::arg("path"))
      .def(
          "consolidate",
          [](Store const& store, std::string const& path) {
            Unlocked const unlocked;
            tessera::consolidate(store, path);
          },
          nb::arg("path"))
      .def(
          "open_array",
          [](Store const& store, std::string const& path) {
            Unlocked const unlocked;
            return open_array(store, path);
          },
          nb::arg("path"))
      .def(
          "create_array",
          [](Store const& store, std::string const& path, std::string const& document, bool overwrite) {
            Unlocked const unlocked;
            return create_array(store, path, document, overwrite);
          },
          nb::arg("path"), nb::arg("document"), nb::arg("overwrite"))
      .def(
          "create_group",
          [](Store const& store, std::string const& path, std::string const& attributes, bool overwrite) {
            Unlocked const unlocked;
            tessera::create_group(store, path, members_of(attributes), {overwrite});
          },
          nb::arg("path"), nb::arg("attributes"), nb::arg("overwrite"))
      .def(
          "erase",
          [](Store const& store, std::string const& path) {
            Unlocked const unlocked;
            return tessera::erase_node(store, path);
          },
          nb::arg("path"))
      .def(
          "attributes",
          [](Store const& store, std::string const& path) {
            Unlocked const unlocked;
            return json_of(tessera::get_attributes(store, path));
          },
          nb::arg("path"))
      .def(
          "set_attributes",
          [](Store const& store, std::string const& path, std::string const& attributes) {
            Unlocked const unlocked;
            tessera::set_attributes(store, path, members_of(attributes));
          },
          nb::arg("path"), nb::arg("attributes"))
      .def(
          "merge_attributes",
          [](Store const& store, std::string const& path, std::string const& attributes) {
            Unlocked const unlocked;
            tessera::merge_attributes(store, path, members_of(attributes));
          },
          nb::arg("path"), nb::arg("attributes"))
      .def(
          "erase_attribute",
          [](Store const& store, std::string const& path, std::string const& name) {
            Unlocked const unlocked;
            std::size_t erased = 0;
            tessera::change_attributes(store, path, [&](tessera::Members& all) {
              erased = std::erase_if(all, [&](auto const& member) { return member.name == name; });
            });
            return erased > 0;
          },
          nb::arg("path"), nb::arg("name"));
}

}  // namespace python
