// A chunk's elements in other dimensions, in the same C order. Reshape (zarr-extensions, codecs/reshape). Squeeze:
// without the dimensions of length 1 (zarrs, https://codec.zarrs.dev/array_to_array/squeeze).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `shape`, for each dimension its length, a list of the chunk's dimensions that it joins, or -1, at
/// most once, for the rest.
struct Reshape : detail::Elementwise<Reshape> {
  static constexpr std::string_view name = "reshape";

  /// One dimension of the encoded chunk.
  struct Dimension {
    std::uint64_t length = 0;           ///< 0: the rest, or that of the joined dimensions
    std::vector<std::size_t> joined{};  ///< dimensions of the chunk
  };
  std::vector<Dimension> shape{};

  static Reshape from(ObjectReader& configuration);
  Value configuration() const;
  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::CopyElements decoder(ChunkSpecification const& chunk) const;
  detail::CopyElements encoder(ChunkSpecification const& chunk) const;

 private:
  static std::uint64_t product(Extents const& lengths, std::size_t first, std::size_t end);
};

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
#include <tessera/codec/array_to_array/detail/reshape.ipp>
#endif
