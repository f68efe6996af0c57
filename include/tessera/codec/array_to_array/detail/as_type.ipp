#pragma once
#include <tessera/codec/array_to_array/as_type.hpp>

#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/number_type.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL AsType AsType::from(ObjectReader& configuration) {
  AsType codec;
  codec.encode_dtype = detail::read_number_type(configuration.at("encode_dtype"));
  codec.decode_dtype = detail::find_number_type(configuration, "decode_dtype");
  return codec;
}

TESSERA_DECL Value AsType::configuration() const {
  Members members{{"encode_dtype", detail::write_numpy_type(encode_dtype)}};
  if (decode_dtype) members.push_back({"decode_dtype", detail::write_numpy_type(*decode_dtype)});
  return members;
}

TESSERA_DECL AsType AsType::fitted(ChunkSpecification const& chunk) const {
  auto fitted = *this;
  if (!fitted.decode_dtype) fitted.decode_dtype = detail::NumpyType{chunk.type};
  return fitted;
}

TESSERA_DECL ChunkSpecification AsType::encoded(ChunkSpecification chunk) const {
  detail::expect_number_type("decode_dtype", decode_dtype, chunk.type);
  chunk.fill = detail::encoded_fill(*this, chunk, encode_dtype.type);
  chunk.type = encode_dtype.type;
  return chunk;
}

TESSERA_DECL detail::ConvertNumbers AsType::decoder(ChunkSpecification const& chunk) const {
  return {encode_dtype.type, chunk.type};
}

TESSERA_DECL detail::ConvertNumbers AsType::encoder(ChunkSpecification const& chunk) const {
  return {chunk.type, encode_dtype.type};
}

}}}  // namespace tessera::v0::codec
