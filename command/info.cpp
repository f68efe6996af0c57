// tessera info: the tree below a path, for people or as JSON.
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attribute_lines.hpp"
#include "chunk_keys.hpp"
#include "commands.hpp"
#include "conventions.hpp"
#include "element.hpp"
#include "progress.hpp"
#include "quantities.hpp"
#include "tree.hpp"
#include "utf8.hpp"

namespace cli {
namespace {

using tessera::List;
using tessera::Members;
using tessera::Number;
using tessera::Value;

// What of an array is in the store.
struct Stored {
  std::uint64_t chunks = 0;        // how many there can be
  std::uint64_t stored = 0;        // how many there are
  std::uint64_t bytes = 0;         // of all elements, uncompressed
  std::uint64_t stored_bytes = 0;  // of everything below the array but its documents
};

Stored stored_below(Store const& store, std::string const& path, tessera::ArrayMetadata const& array) {
  auto const grid = chunk_grid(array);
  Stored result{tessera::element_count(grid, "the number of chunks"), 0,
                tessera::element_count(array.shape, "shape") * array.type.size, 0};
  auto const prefix = path.empty() ? 0 : path.size() + 1;
  store.list(path, [&](tessera::Listed const& entry) {
    if (tessera::detail::is_document(entry.path)) return;
    result.stored_bytes += entry.size;
    bool const is_chunk = chunk_of(entry.path.substr(prefix), array.key_encoding, grid).has_value();
    result.stored += is_chunk;
    if (entry.link == tessera::Link::to_keys || (is_chunk && entry.link == tessera::Link::to_value))
      throw tessera::StoreError{tessera::detail::links_are_refused}.in_key(entry.path).in_store(store.name());
  });
  return result;
}

using Keys = std::map<std::string, Stored>;  // by the array's path

// Problems are said in the tree.
Keys count_keys(Store const& store, Tree& tree) {
  Keys keys;
  each_node(tree, [&](Tree& node) {
    if (auto const* array = std::get_if<tessera::ArrayMetadata>(&node.document)) try {
        auto& stored = keys[node.path];
        stored = stored_below(store, node.path, *array);
      } catch (tessera::Error const& error) {
        node.problem = error.what();
        node.wrong = true;
      }
  });
  return keys;
}

std::string joined(tessera::Extents const& numbers, char const* separator) {
  std::string text;
  for (auto n : numbers) text += (text.empty() ? "" : separator) + std::to_string(n);
  return text;
}

// "level 19, checksum false"; codecs within are called by their names.
std::string summary(Value const& value) {
  std::string text;
  if (auto* members = value.get_if<Members>()) {
    for (auto const& [name, member] : *members) {
      if (name == "name") return summary(member);
      text += (text.empty() ? "" : ", ") + name + ' ' + summary(member);
    }
    return text;
  }
  if (auto* list = value.get_if<List>(); list && list->size() <= tessera::max_rank) {
    for (auto const& item : *list) text += (text.empty() ? "" : ", ") + summary(item);
    return '[' + text + ']';
  }
  auto* word = value.get_if<std::string>();
  return word ? *word : tessera::describe(value);
}

std::string codec_text(tessera::Specification const& codec) {
  auto const configuration = summary(codec.configuration);
  return codec.name + (configuration.empty() ? "" : " (" + configuration + ')');
}

std::string shape_text(tessera::ArrayMetadata const& array) {
  std::string text;
  for (std::size_t d = 0; d < array.shape.rank(); ++d) {
    text += d == 0 ? "" : ", ";
    if (!array.dimension_names.empty() && array.dimension_names[d]) text += *array.dimension_names[d] + ' ';
    text += std::to_string(array.shape[d]);
  }
  return '[' + text + ']';
}

// "3 x 64", or what the document says of a rectilinear grid.
std::string chunks_text(tessera::ArrayMetadata const& array) {
  if (array.edges.empty()) return array.chunk_shape.rank() == 0 ? "one" : joined(array.chunk_shape, " x ");
  auto const grid = tessera::detail::write_rectilinear(array.edges);
  return "rectilinear " + summary(grid.at("configuration").at("chunk_shapes"));
}

class TextTree {
 public:
  explicit TextTree(Keys const& keys) : keys_{keys} {}

  void print(Tree const& node, std::string const& label, std::string const& first = "", std::string const& rest = "") {
    auto const beside = rest + (node.children.empty() ? "    " : "│   ");
    auto const fact = [&](std::string name, std::string const& text) {
      if (text.empty()) return;
      name.resize(12, ' ');
      line(beside, name + text);
    };
    auto const attributes = [&](Value const& value) {
      AttributeLines const lines{value};
      for (auto const& one : lines.lines()) fact(&one == &lines.lines().front() ? "attributes" : "", one);
      if (lines.is_cut()) fact("", "... (tessera attrs has the rest)");
    };
    if (auto const* array = std::get_if<tessera::ArrayMetadata>(&node.document)) {
      auto const& stored = keys_.at(node.path);
      line(first, label + "  " + array->type.name() + ' ' + shape_text(*array) + of_format(node));
      bool const sharded = !array->codecs.empty() && array->codecs.front().name == "sharding_indexed";
      fact(sharded ? "shards" : "chunks", chunks_text(*array) + ", " + std::to_string(stored.stored) + " of " +
                                              std::to_string(stored.chunks) + " stored");
      std::string codecs;
      for (auto const& codec : array->codecs) codecs += (codecs.empty() ? "" : ", ") + codec_text(codec);
      fact("codecs", codecs);
      char ratio[32] = "";
      if (stored.stored_bytes > 0 && !array->type.varies())
        std::snprintf(ratio, sizeof ratio, ", ratio %.2f",
                      static_cast<double>(stored.bytes) / static_cast<double>(stored.stored_bytes));
      auto const all = array->type.varies() ? std::string{} : " of " + human(stored.bytes);
      fact("stored", human(stored.stored_bytes) + all + ratio);
      fact("fill value", summary(tessera::write_fill_value(array->fill, array->type, array->fields)));
      for (auto const& [name, text] : conventions(node)) fact(name, text);
      attributes(array->attributes);
    } else if (auto const* group = std::get_if<tessera::GroupMetadata>(&node.document)) {
      line(first, label + "  group" + of_format(node));
      for (auto const& [name, text] : conventions(node)) fact(name, text);
      attributes(group->attributes);
    } else {
      line(first, label + (node.wrong ? "  (broken)" : "  array (not supported)"));
    }
    if (!node.problem.empty() && !node.wrong) line(beside, "cannot be read: " + in_own_words(node.problem));
    for (auto const& child : node.children) {
      bool const last = &child == &node.children.back();
      print(child, child.path.substr(child.path.rfind('/') + 1), rest + (last ? "└── " : "├── "),
            rest + (last ? "    " : "│   "));
    }
  }

 private:
  static char const* of_format(Tree const& node) {
    return node.format() == tessera::ZarrFormat::v2 ? "  (Zarr v2)" : "";
  }
  static void line(std::string const& before, std::string const& text) {
    std::cout << before << printable(text) << '\n';
  }

  Keys const& keys_;
};

Value number(std::uint64_t n) { return Number{std::to_string(n)}; }

Value numbers(tessera::Extents const& extents) {
  List list;
  for (auto n : extents) list.push_back(number(n));
  return list;
}

Members json_of(Tree const& node, Keys const& keys) {
  Members json{{"path", valid_utf8(node.path)}};
  auto const format = Value::integer(static_cast<int>(node.format()));
  if (auto const* array = std::get_if<tessera::ArrayMetadata>(&node.document)) {
    auto const& stored = keys.at(node.path);
    List names, codecs;
    for (auto const& name : array->dimension_names) names.push_back(name ? Value{*name} : Value{});
    for (auto const& codec : array->codecs)
      codecs.push_back(Members{{"name", codec.name}, {"configuration", codec.configuration}});
    json.push_back({"node_type", "array"});
    json.push_back({"zarr_format", format});
    json.push_back({"shape", numbers(array->shape)});
    json.push_back({"dimension_names", array->dimension_names.empty() ? Value{} : Value{names}});
    json.push_back({"data_type", array->type.name()});
    json.push_back({"chunk_shape", numbers(array->chunk_shape)});
    if (!array->edges.empty()) json.push_back({"chunk_grid", tessera::detail::write_rectilinear(array->edges)});
    json.push_back({"codecs", codecs});
    json.push_back({"fill_value", tessera::write_fill_value(array->fill, array->type, array->fields)});
    json.push_back({"attributes", array->attributes});
    json.push_back({"chunks", number(stored.chunks)});
    json.push_back({"stored_chunks", number(stored.stored)});
    bool const has_ratio = !array->type.varies();  // nobody knows how many bytes strings have
    json.push_back({"bytes", has_ratio ? number(stored.bytes) : Value{}});
    json.push_back({"stored_bytes", number(stored.stored_bytes)});
    json.push_back({"ratio", stored.stored_bytes == 0 || !has_ratio
                                 ? Value{}
                                 : Number{number_text(static_cast<double>(stored.bytes) /
                                                      static_cast<double>(stored.stored_bytes))}});
  } else if (auto const* group = std::get_if<tessera::GroupMetadata>(&node.document)) {
    json.push_back({"node_type", "group"});
    json.push_back({"zarr_format", format});
    json.push_back({"attributes", group->attributes});
  } else {
    json.push_back({"node_type", node.wrong ? Value{} : "array"});
  }
  json.push_back({"problem", node.problem.empty() ? Value{} : Value{valid_utf8(in_own_words(node.problem))}});
  return json;
}

}  // namespace

Status run(Info const& command) {
  auto const [store, path] = find_node(command.path, command);
  std::optional<Progress> progress{"listing"};
  auto tree = read_tree(store, path);
  auto const keys = count_keys(store, tree);
  progress.reset();
  if (command.json) {
    List nodes;
    each_node(tree, [&](Tree const& node) { nodes.push_back(json_of(node, keys)); });
    std::cout << tessera::to_json(Members{{"store", valid_utf8(store.name())}, {"nodes", std::move(nodes)}}) << '\n';
  } else {
    TextTree{keys}.print(tree, path.empty() ? store.name() : store.name() + '/' + path);
  }
  std::cout.flush();
  each_node(tree, [](Tree const& node) {
    if (node.wrong) report(node.problem);
  });
  return tree.any_wrong() ? wrong_data : done;
}

}  // namespace cli
