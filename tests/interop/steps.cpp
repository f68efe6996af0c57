// tessera's side of steps.py: operations on the arrays of one folder, a line of JSON each on standard input, and a line
// each in return: "ok", elements read as "ok HEX", or "error: why". Elements are hexadecimal digits of their bytes in C
// order. An array stays open until it is opened again, because another program may have given it another shape.
//
//   steps FOLDER
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <support/bytes.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace {

using Store = LocalStore<HostBuffer>;
using Array = decltype(open_any<AllCodecs>(std::declval<Store const&>(), ""));

Slice slice_of(MemberValue const& found) {
  auto const numbers = found.extents();
  return {numbers[0], numbers[1], numbers[2]};
}

std::vector<Slice> slices_of(MemberValue const& found) {
  std::vector<Slice> slices;
  for (std::size_t d = 0; d < found.list().size(); ++d) slices.push_back(slice_of(found.item(d)));
  return slices;
}

// A list as a dimension's indices; a slice is an object that has it as its member.
Indices indices_of(MemberValue const& found) {
  if (found.value().get_if<Members>()) return slice_of(ObjectReader{found}.at("slice"));
  std::vector<std::uint64_t> list;
  for (std::size_t i = 0; i < found.list().size(); ++i) list.push_back(found.item(i).integer<std::uint64_t>());
  return list;
}

ResolvedSelection selected_by(ObjectReader& command, Array const& array) {
  auto const kind = command.at("kind").string();
  auto const what = command.at("selection");
  if (kind == "box") return Box{slices_of(what)}.resolve(array.shape());
  if (kind == "blocks") return Blocks{slices_of(what)}.resolve(array.shape(), array.chunk_shape());
  if (kind == "orthogonal") {
    std::vector<Indices> indices;
    for (std::size_t d = 0; d < what.list().size(); ++d) indices.push_back(indices_of(what.item(d)));
    return Orthogonal{std::move(indices)}.resolve(array.shape());
  }
  if (kind == "points") {
    std::vector<Extents> places;
    for (std::size_t i = 0; i < what.list().size(); ++i) places.push_back(what.item(i).extents());
    return Points{places}.resolve(array.shape());
  }
  std::vector<std::uint8_t> mask;
  for (char c : what.string()) mask.push_back(c == '1');
  return Mask{mask}.resolve(array.shape());
}

Strides c_order(Extents const& shape, Array const& array) { return Layout::c_order(shape, array.type().size).strides; }

WriteOptions options_of(ObjectReader& command) {
  WriteOptions options;
  options.append_to_shards = command.at("append_to_shards").boolean();
  return options;
}

class StepRunner {
 public:
  explicit StepRunner(std::string const& folder) : store_{folder} {}

  std::string answer(std::string const& line) {
    auto const value = parse_json(line);
    ObjectReader command{value, ""};
    auto const what = command.at("do").string(), path = command.at("path").string();
    if (what == "create") {
      ObjectReader document{command.at("document")};
      (void)document.at("zarr_format");
      arrays_.insert_or_assign(path, create_any<AllCodecs>(store_, path, read_array_metadata(document), {true}));
    } else if (what == "open") {
      arrays_.insert_or_assign(path, open_any<AllCodecs>(store_, path));
    } else if (what == "erase") {
      arrays_.erase(path);
      if (!erase_node(store_, path)) throw Error{"there was nothing to erase"};
    } else {
      return done(what, command, arrays_.at(path));
    }
    return "ok";
  }

 private:
  static std::string done(std::string const& what, ObjectReader& command, Array const& array) {
    if (what == "resize") {
      array.resize(command.at("shape").extents());
    } else if (what == "append") {
      auto const block = command.at("block").extents();
      auto const elements = test::hex(command.at("elements").string());
      array.append(command.at("axis").integer<std::size_t>(), block, {elements.data(), c_order(block, array)},
                   options_of(command));
    } else if (what == "compact") {
      array.compact();
    } else {
      auto const selected = selected_by(command, array);
      auto const strides = c_order(selected.shape, array);
      if (what == "write") {
        auto const elements = test::hex(command.at("elements").string());
        array.write(selected, {elements.data(), strides}, options_of(command));
      } else {
        test::Bytes elements(element_count(selected.shape, "the selection") * array.type().size);
        array.read(selected, {elements.data(), strides});
        return "ok " + test::digits(test::view(elements));
      }
    }
    return "ok";
  }

  Store store_;
  std::map<std::string, Array> arrays_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: steps FOLDER\n", 2;
  StepRunner steps{argv[1]};
  for (std::string line; std::getline(std::cin, line);) try {
      std::cout << steps.answer(line) << std::endl;
    } catch (std::exception const& error) {
      std::cout << "error: " << error.what() << std::endl;
    }
}
