// HDF5's checksums, by numcodecs' names, behind the bytes. Fletcher32. JenkinsLookup3: the lookup3 hash (Bob Jenkins,
// lookup3.c, hashlittle, public domain).
#pragma once
#include <cstdint>
#include <string_view>

#include <tessera/codec/bytes_to_bytes/detail/checksum32.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Of big-endian 16-bit words; an odd last byte is the high half of one.
TESSERA_DECL std::uint32_t fletcher32_of(ByteView<space::Host> bytes);
TESSERA_DECL std::uint32_t lookup3(ByteView<space::Host> bytes, std::uint32_t seed);

}  // namespace detail

namespace codec {

/// No configuration, or `location` of the checksum, by default "end".
struct Fletcher32 : detail::Checksum32<Fletcher32, detail::ChecksumPlace::end> {
  static constexpr std::string_view name = "numcodecs.fletcher32";
  static Fletcher32 from(ObjectReader& configuration);
  std::uint32_t checksum(ByteView<space::Host> bytes) const { return detail::fletcher32_of(bytes); }
};

/// Configuration: `initval`, the hash's initial value, by default 0. `prefix`, bytes that are hashed and not stored, is
/// null: documents cannot express others.
struct JenkinsLookup3 : detail::Checksum32<JenkinsLookup3, detail::ChecksumPlace::end> {
  static constexpr std::string_view name = "numcodecs.jenkins_lookup3";

  std::uint32_t initval = 0;

  static JenkinsLookup3 from(ObjectReader& configuration);
  Value configuration() const;

  std::uint32_t checksum(ByteView<space::Host> bytes) const { return detail::lookup3(bytes, initval); }
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/hdf5_checksums.ipp>
#endif
