// JenkinsLookup3: numcodecs' jenkins_lookup3, bytes followed by their lookup3 hash as HDF5 computes it (Bob Jenkins,
// lookup3.c, hashlittle, public domain).
#pragma once
#include <cstdint>
#include <string_view>

#include <tessera/codec/bytes_to_bytes/detail/checksum32.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL std::uint32_t lookup3(ByteView<space::Host> bytes, std::uint32_t seed);

}  // namespace detail

namespace codec {

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
#include <tessera/codec/bytes_to_bytes/detail/jenkins_lookup3.ipp>
#endif
