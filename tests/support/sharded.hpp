// Documents of sharded arrays, drawn at random.
#pragma once
#include <string>

#include <support/chain.hpp>

namespace test {

/// sharding_indexed as a document writes it: the index has the usual codecs, unless others are given.
struct Sharding {
  std::string chunk_shape;
  std::string codecs = R"([{"name": "bytes"}])";
  std::string index_codecs = R"([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}])";
  std::string index_location = "end";

  std::string json() const {
    return R"({"name": "sharding_indexed", "configuration": {"chunk_shape": )" + chunk_shape + R"(, "codecs": )" +
           codecs + R"(, "index_codecs": )" + index_codecs + R"(, "index_location": ")" + index_location + "\"}}";
  }
  /// The only codecs of a document.
  std::string list() const { return '[' + json() + ']'; }
};

/// The document of an array of uint8 whose chunks are shards.
inline Document sharded_document(std::string const& shape, std::string const& shard, std::string const& codecs,
                                 std::string const& fill = "0") {
  Document document = array_document();
  document.set("shape", shape).set("chunk_grid", grid(shard)).set("codecs", codecs);
  return document.set("fill_value", fill);
}

/// A shape that divides another in each dimension.
inline Extents random_divisor(Random& random, Extents const& shape) {
  Extents divisor;
  for (auto n : shape) {
    auto d = random(1, n);
    while (n % d != 0) --d;
    divisor.push_back(d);
  }
  return divisor;
}

/// The codecs of a document whose chunks of that shape are shards, `depth` times over; the innermost chunks pass
/// `leaf`.
inline std::string random_sharding(Random& random, Extents shape, std::string const& leaf, int depth) {
  if (depth == 0) return leaf;
  std::string front;
  if (random.one_in(2)) {
    auto const order = random.permutation(shape.rank());
    front = json(tessera::codec::Transpose{order}) + ", ";
    auto const before = shape;
    for (std::size_t d = 0; d < order.rank(); ++d) shape[d] = before[order[d]];
  }
  auto const inner = random_divisor(random, shape);
  auto index = std::string{R"({"name": "bytes", "configuration": {"endian": ")"} +
               (random.one_in(2) ? "little" : "big") + "\"}}";
  if (random.one_in(3)) index = json(tessera::codec::Transpose{random.permutation(shape.rank() + 1)}) + ", " + index;
  for (auto checksums = random(0, 2); checksums-- > 0;) index += R"(, {"name": "crc32c"})";
  return '[' + front + R"({"name": "sharding_indexed", "configuration": {"chunk_shape": )" + to_string(inner) +
         R"(, "codecs": )" + random_sharding(random, inner, leaf, depth - 1) + R"(, "index_codecs": [)" + index + ']' +
         (random.one_in(3)   ? ""
          : random.one_in(2) ? R"(, "index_location": "start")"
                             : R"(, "index_location": "end")") +
         "}}]";
}

}  // namespace test
