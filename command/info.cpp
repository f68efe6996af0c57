// tessera info: the tree below a path, for people or as JSON.
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "address.hpp"
#include "attribute_lines.hpp"
#include "chunk_keys.hpp"
#include "commands.hpp"
#include "conventions.hpp"
#include "element_text.hpp"
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

constexpr auto uncounted = ~std::uint64_t{0};  // more than 64 bits count

// The stored part of an array.
struct Stored {
  bool is_listed = true;           // otherwise nothing is known of the stored data
  std::uint64_t chunks = 0;        // the number possible, or uncounted
  std::uint64_t stored = 0;        // the number present
  std::uint64_t bytes = 0;         // of all elements, uncompressed, or uncounted
  std::uint64_t stored_bytes = 0;  // of everything below the array except its documents
};

Stored stored_below(Store const& store, std::string const& path, tessera::ArrayMetadata const& array) {
  auto const grid = chunk_grid(array);
  auto const elements = tessera::count_or_most(array.shape);
  Stored result{store.can_list(), tessera::count_or_most(grid), 0, tessera::count_or_most({elements, array.type.size}),
                0};
  if (!result.is_listed) return result;
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

// Problems are reported in the tree.
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

// "3 x 64", or the document's text for a rectilinear grid.
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
      auto const of_them = stored.is_listed ? std::to_string(stored.stored) + " of " : std::string{};
      auto const chunks = stored.chunks == uncounted ? "more than 2^64" : std::to_string(stored.chunks);
      fact(sharded ? "shards" : "chunks",
           chunks_text(*array) + ", " + of_them + chunks + (stored.is_listed ? " stored" : ""));
      std::string codecs;
      for (auto const& codec : array->codecs) codecs += (codecs.empty() ? "" : ", ") + codec_text(codec);
      fact("codecs", codecs);
      char ratio[32] = "";
      bool const is_counted = stored.bytes != uncounted;
      if (stored.stored_bytes > 0 && !array->type.varies() && is_counted)
        std::snprintf(ratio, sizeof ratio, ", ratio %.2f",
                      static_cast<double>(stored.bytes) / static_cast<double>(stored.stored_bytes));
      auto const bytes = is_counted ? human(stored.bytes) : "more than 2^64 bytes";
      if (stored.is_listed)
        fact("stored", human(stored.stored_bytes) + (array->type.varies() ? "" : " of " + bytes) + ratio);
      else if (!array->type.varies())
        fact("elements", bytes);
      bool const is_time =
          array->type.kind == tessera::DataKind::datetime || array->type.kind == tessera::DataKind::timedelta;
      fact("fill value", is_time ? element_text(array->fill.data(), array->type)
                                 : summary(tessera::write_fill_value(array->fill, array->type, array->fields)));
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
    json.push_back({"chunks", stored.chunks == uncounted ? Value{} : number(stored.chunks)});
    json.push_back({"stored_chunks", stored.is_listed ? number(stored.stored) : Value{}});
    // The size of strings is not known.
    bool const has_ratio = !array->type.varies() && stored.bytes != uncounted;
    json.push_back({"bytes", has_ratio ? number(stored.bytes) : Value{}});
    json.push_back({"stored_bytes", stored.is_listed ? number(stored.stored_bytes) : Value{}});
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
  auto const problem = node.problem.empty() ? node.broken_attributes() : node.problem;
  json.push_back({"problem", problem.empty() ? Value{} : Value{valid_utf8(in_own_words(problem))}});
  return json;
}

// Node by node: there may be many.
void print_json(std::string const& store, Tree const& tree, Keys const& keys) {
  std::cout << "{\n  \"store\": " << tessera::to_json(valid_utf8(store)) << ",\n  \"nodes\": [";
  char const* before = "\n";
  each_node(tree, [&](Tree const& node) {
    std::string lines = "    ";
    for (auto const c : tessera::to_json(json_of(node, keys))) {
      lines += c;
      if (c == '\n') lines += "    ";  // strings have no line breaks
    }
    std::cout << std::exchange(before, ",\n") << lines;
  });
  std::cout << "\n  ]\n}\n";
}

}  // namespace

Status run(Info const& command) {
  auto const [store, path] = find_source(command.path, command);
  std::optional<Progress> progress{"listing"};
  auto tree = read_tree(store, path);
  auto const keys = count_keys(store, tree);
  progress.reset();
  if (command.json) {
    print_json(store.name(), tree, keys);
  } else {
    TextTree{keys}.print(tree, path.empty() ? store.name() : store.name() + '/' + path);
  }
  std::cout.flush();
  each_node(tree, [](Tree const& node) {
    if (node.wrong) report(node.problem);
    if (auto const broken = node.broken_attributes(); !broken.empty()) report(broken);
  });
  return tree.any_wrong() ? wrong_data : done;
}

}  // namespace cli
