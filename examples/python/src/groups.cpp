// Groups: what is below them, by their consolidated metadata if there is any.
#include "opening.hpp"

#include <optional>

namespace python {
namespace {

using Group = tessera::Group<Store>;

// `wanted`: as zarr-python's use_consolidated. None: if there is any.
Group open_group(Store const& store, std::string const& path, std::optional<bool> wanted) {
  Unlocked const unlocked;
  auto const how = !wanted   ? tessera::Consolidated::use
                   : *wanted ? tessera::Consolidated::require
                             : tessera::Consolidated::ignore;
  return tessera::open_group(store, path, {.consolidated = how});
}

// "array", "group", or nothing.
std::optional<std::string> type_below(Group const& group, std::string const& name) {
  Unlocked const unlocked;
  if (auto const& copies = group.consolidated())
    if (auto found = tessera::detail::node_type(*copies, group / name)) return found;
  return tessera::detail::node_type(group.store(), group / name);
}

std::vector<std::pair<std::string, std::string>> children(Group const& group) {
  Unlocked const unlocked;
  std::vector<std::pair<std::string, std::string>> found;
  for (auto const& node : group.children())
    found.emplace_back(node.name, node.type == tessera::NodeType::array ? "array" : "group");
  return found;
}

}  // namespace

void add_groups(nb::module_& module) {
  nb::class_<Group>(module, "Group", "An open group; with consolidated metadata, as that was when it was opened.")
      .def(
          "__init__",
          [](Group* group, Store const& store, std::string const& path, std::optional<bool> use_consolidated) {
            new (group) Group{open_group(store, path, use_consolidated)};
          },
          nb::arg("store"), nb::arg("path"), nb::arg("use_consolidated").none() = nb::none())
      .def_prop_ro("is_consolidated", [](Group const& group) { return group.consolidated() != nullptr; })
      .def_prop_ro("zarr_format", [](Group const& group) { return static_cast<int>(group.metadata().format); })
      .def("node_type", &type_below, nb::arg("name"))
      .def("children", &children)
      .def(
          "open_array",
          [](Group const& group, std::string const& name) {
            Unlocked const unlocked;
            return open_array(group, name);
          },
          nb::arg("name"))
      .def(
          "open_group",
          [](Group const& group, std::string const& name) {
            Unlocked const unlocked;
            return tessera::open_group(group, name);
          },
          nb::arg("name"));
}

}  // namespace python
