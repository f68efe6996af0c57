// Conventions for the attributes of a node: pyramids of OME-Zarr; packed numbers, times and coordinates of CF, as
// xarray writes them. Nothing is checked: attributes may be anything.
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tessera/core/value.hpp>
#include <tessera/metadata/detail/missing_numbers.hpp>

#include "tree.hpp"

namespace cli {

struct Convention {
  std::string name, text;
};

namespace detail {

inline tessera::Value const* member_of(tessera::Value const* value, std::string_view name) {
  auto const* const members = value ? value->get_if<tessera::Members>() : nullptr;
  return members ? members->find(name) : nullptr;
}

inline tessera::List const* list_of(tessera::Value const* value, std::string_view name) {
  auto const* const member = member_of(value, name);
  return member ? member->get_if<tessera::List>() : nullptr;
}

inline std::string words_of(tessera::Value const* value) {
  if (!value) return "";
  auto const* const word = value->get_if<std::string>();
  return word ? *word : tessera::describe(*value);
}

inline std::string joined(tessera::List const& list, auto&& text_of) {
  std::string text;
  for (auto const& one : list) text += (text.empty() ? "" : ", ") + text_of(one);
  return text;
}

// "z (micrometer)"; before OME-Zarr 0.4 an axis was a name alone.
inline std::string axis_text(tessera::Value const& axis) {
  if (axis.get_if<std::string>()) return words_of(&axis);
  auto const unit = words_of(member_of(&axis, "unit"));
  return words_of(member_of(&axis, "name")) + (unit.empty() ? "" : " (" + unit + ')');
}

// "0 (scale 1, 0.5, 0.5)"
inline std::string level_text(tessera::Value const& level) {
  auto text = words_of(member_of(&level, "path"));
  if (auto const* transformations = list_of(&level, "coordinateTransformations"))
    for (auto const& one : *transformations)
      if (auto const* scale = list_of(&one, "scale"))
        text += " (scale " + joined(*scale, [](tessera::Value const& n) { return words_of(&n); }) + ')';
  return text;
}

// Where a group has OME-Zarr's attributes: from 0.5 on in a member of their own.
inline tessera::Value const* ome_of(tessera::Value const& attributes) {
  auto const* const ome = member_of(&attributes, "ome");
  return ome ? ome : &attributes;
}

// Of the first image of a group, from the finest to the coarsest; null if the group is not an image.
inline tessera::List const* levels_of(tessera::Value const& attributes) {
  auto const* const multiscales = list_of(ome_of(attributes), "multiscales");
  return multiscales && !multiscales->empty() ? list_of(&multiscales->front(), "datasets") : nullptr;
}

inline void add_multiscales(tessera::Members const& attributes, std::vector<Convention>& found) {
  tessera::Value const all{attributes};
  auto const* const ome = member_of(&all, "ome");
  auto const* const multiscales = list_of(ome_of(all), "multiscales");
  if (!multiscales) return;
  for (auto const& image : *multiscales) {
    auto const version = words_of(member_of(ome ? ome : &image, "version"));
    auto const name = words_of(member_of(&image, "name"));
    auto text = version + (version.empty() ? "" : " ") + "multiscale image" + (name.empty() ? "" : " " + name);
    if (auto const* axes = list_of(&image, "axes")) text += ", axes " + joined(*axes, axis_text);
    if (auto const* levels = list_of(&image, "datasets")) text += ", levels " + joined(*levels, level_text);
    found.push_back({"OME-Zarr", text});
  }
}

inline void add_cf(Tree const& node, tessera::ArrayMetadata const& array, std::vector<Convention>& found) {
  std::string text;
  auto const add = [&](std::string const& more) { text += (text.empty() ? "" : ", ") + more; };
  auto const name = node.path.substr(node.path.rfind('/') + 1);
  if (array.dimension_names.size() == 1 && array.dimension_names[0] == name) add("coordinate of dimension " + name);
  tessera::Value const all{array.attributes};
  auto const units = words_of(member_of(&all, "units"));
  auto const calendar = words_of(member_of(&all, "calendar"));
  if (units.find(" since ") != units.npos)
    add("times in " + units + (calendar.empty() ? "" : ", calendar " + calendar));
  auto const *factor = member_of(&all, "scale_factor"), *offset = member_of(&all, "add_offset");
  if (factor || offset)
    add("packed: stored" + (factor ? " * " + words_of(factor) : "") + (offset ? " + " + words_of(offset) : ""));
  if (auto const missing = tessera::detail::missing_number(array); !missing.is_null())
    add("missing " + words_of(&missing));
  if (auto const* coordinates = member_of(&all, "coordinates")) add("coordinates " + words_of(coordinates));
  if (!text.empty()) found.push_back({"CF", text});
}

}  // namespace detail

inline std::vector<Convention> conventions(Tree const& node) {
  std::vector<Convention> found;
  if (auto const* array = std::get_if<tessera::ArrayMetadata>(&node.document)) detail::add_cf(node, *array, found);
  if (auto const* group = std::get_if<tessera::GroupMetadata>(&node.document))
    detail::add_multiscales(group->attributes, found);
  return found;
}

}  // namespace cli
