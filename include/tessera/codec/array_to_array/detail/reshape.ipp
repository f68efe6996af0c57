#pragma once
#include <tessera/codec/array_to_array/reshape.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL Reshape Reshape::from(ObjectReader& configuration) {
  Reshape codec;
  auto const found = configuration.at("shape");
  (void)found.list(max_rank, "dimensions");
  std::size_t next = 0, left = 0;
  for (std::size_t i = 0; i < found.list().size(); ++i) {
    auto const item = found.item(i);
    auto& dimension = codec.shape.emplace_back();
    if (auto const* const list = item.value().get_if<List>()) {
      for (std::size_t k = 0; k < list->size(); ++k) {
        dimension.joined.push_back(item.item(k).integer<std::size_t>(next, max_rank - 1));  // ascending
        next = dimension.joined.back() + 1;
      }
    } else if (item.value() == Value::integer(-1)) {
      if (++left > 1) item.refuse("-1 at most once");
    } else {
      dimension.length = item.integer<std::uint64_t>(1, std::uint64_t{1} << 62);
    }
  }
  return codec;
}

TESSERA_DECL Value Reshape::configuration() const {
  List list;
  for (auto const& dimension : shape) {
    List joined;
    for (auto const d : dimension.joined) joined.push_back(Value::integer(static_cast<long long>(d)));
    auto const length = dimension.length == 0 ? -1 : static_cast<long long>(dimension.length);
    list.push_back(dimension.joined.empty() ? Value::integer(length) : Value{std::move(joined)});
  }
  return Members{{"shape", std::move(list)}};
}

TESSERA_DECL ChunkSpecification Reshape::encoded(ChunkSpecification chunk) const {
  auto const count = element_count(chunk.shape, "the chunk shape");
  auto const refuse = [&](std::string_view why) {
    throw MetadataError{to_text({"member configuration.shape: found chunks of ", to_string(chunk.shape), ", ", why})};
  };
  Extents result;
  std::uint64_t known = 1;
  for (auto const& dimension : shape) {
    std::uint64_t length = dimension.length;
    if (!dimension.joined.empty()) length = 1;
    for (auto const d : dimension.joined) {
      if (d >= chunk.shape.rank()) refuse(to_text({"which has no dimension ", d}));
      length *= chunk.shape[d];
    }
    result.push_back(length);
    if (length != 0) known = checked_product(known, length, "the shape");
  }
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (result[i] == 0 && shape[i].joined.empty()) result[i] = known == 0 ? 0 : count / known;
  if (element_count(result, "the shape") != count)
    refuse(to_text({"which do not have the same number of elements as ", to_string(result)}));
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].joined.empty() &&
        (product(result, 0, i) != product(chunk.shape, 0, shape[i].joined.front()) ||
         product(result, i + 1, result.rank()) != product(chunk.shape, shape[i].joined.back() + 1, chunk.shape.rank())))
      refuse(to_text({"in which the dimensions that entry ", i, " joins are at another position"}));
  chunk.shape = result;
  return chunk;
}

TESSERA_DECL detail::CopyElements Reshape::decoder(ChunkSpecification const& chunk) const { return {chunk.type.size}; }

TESSERA_DECL detail::CopyElements Reshape::encoder(ChunkSpecification const& chunk) const { return {chunk.type.size}; }

TESSERA_DECL std::uint64_t Reshape::product(Extents const& lengths, std::size_t first, std::size_t end) {
  std::uint64_t product = 1;
  for (auto d = first; d < end; ++d) product *= lengths[d];
  return product;
}

TESSERA_DECL ChunkSpecification Squeeze::encoded(ChunkSpecification chunk) const {
  Extents kept;
  for (auto const length : chunk.shape)
    if (length != 1) kept.push_back(length);
  if (kept.rank() == 0) kept.push_back(1);
  chunk.shape = kept;
  return chunk;
}

TESSERA_DECL detail::CopyElements Squeeze::decoder(ChunkSpecification const& chunk) const { return {chunk.type.size}; }

TESSERA_DECL detail::CopyElements Squeeze::encoder(ChunkSpecification const& chunk) const { return {chunk.type.size}; }

}}}  // namespace tessera::v0::codec
