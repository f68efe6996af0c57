// Fletcher32: numcodecs' fletcher32, bytes followed by their Fletcher-32 as HDF5 computes it.
#pragma once
#include <cstdint>
#include <string_view>

#include <tessera/codec/bytes_to_bytes/detail/checksum32.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Of big-endian 16-bit words; an odd last byte is the high half of one.
TESSERA_DECL std::uint32_t fletcher32_of(ByteView<space::Host> bytes);

}  // namespace detail

namespace codec {

/// No configuration, or `location` of the checksum, by default "end".
struct Fletcher32 : detail::Checksum32<Fletcher32, detail::ChecksumPlace::end> {
  static constexpr std::string_view name = "numcodecs.fletcher32";
  static Fletcher32 from(ObjectReader& configuration);
  std::uint32_t checksum(ByteView<space::Host> bytes) const { return detail::fletcher32_of(bytes); }
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/fletcher32.ipp>
#endif
