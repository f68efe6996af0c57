// Squeeze: a chunk without its dimensions of length 1 (zarrs, https://codec.zarrs.dev/array_to_array/squeeze).
#pragma once
#include <string_view>

#include <tessera/codec/detail/elementwise.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// No configuration. If all dimensions have length 1, one of them stays.
struct Squeeze : detail::Elementwise<Squeeze> {
  static constexpr std::string_view name = "squeeze";

  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::CopyElements decoder(ChunkSpecification const& chunk) const;
  detail::CopyElements encoder(ChunkSpecification const& chunk) const;
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/squeeze.ipp>
#endif
