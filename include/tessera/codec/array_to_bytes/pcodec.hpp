// Pcodec: numcodecs.pcodec, numbers as the library pcodec stores them (github.com/pcodec/pcodec, docs/format.md: the
// standalone format, up to version 4.1). tessera only decodes it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The number type that a byte of the format stands for; of size 0, if none.
TESSERA_DECL DataType pco_type(std::uint64_t said);

}  // namespace detail

namespace codec {

/// Configuration: `level`, `mode_spec`, `delta_spec`, `paging_spec`, `delta_encoding_order` and `equal_pages_up_to`,
/// for encoding only. Elements are integers, float16, float32, float64, complex numbers of these, or times.
struct Pcodec {
  using kind = array_to_bytes;
  static constexpr std::string_view name = "numcodecs.pcodec";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  Members given{};  ///< the configuration
  std::uint64_t page = 262144;

  static Pcodec from(ObjectReader& configuration);
  Value configuration() const { return given; }
  /// Throws: CodecError, always, because new arrays cannot be written with this codec.
  Pcodec fitted(ChunkSpecification const&) const { refuse(); }

  /// Throws: MetadataError, if the codec does not accept the elements.
  Layout layout(ChunkSpecification const& chunk) const;
  /// For the library's output: incompressible pages, each with its metadata.
  std::size_t encoded_bound(ChunkSpecification const& chunk) const;

  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>& on) const;
  /// Throws: CodecError, always.
  std::size_t encode(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) const { refuse(); }

 private:
  [[noreturn]] static void refuse();
  static DataType number_type(DataType type);
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_bytes/detail/pcodec.ipp>
#endif
