// Checksum32: numcodecs' checksums: four bytes, little-endian, before or after the bytes that they cover.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

enum class ChecksumPlace { start, end };

/// Base of such a codec: Self has a name and `std::uint32_t checksum(ByteView<space::Host>) const`. `usual`: the
/// default place of the checksum.
template <class Self, ChecksumPlace usual>
struct Checksum32 {
  using kind = bytes_to_bytes;
  template <class S>
  static constexpr bool runs_in = S::host_accessible;
  static constexpr std::size_t checksum_size = 4;  ///< bytes

  ChecksumPlace location = usual;

  static Checksum32 placed(ObjectReader& configuration) {
    Checksum32 codec;
    if (auto const found = configuration.find("location"))
      codec.location = found->one_of({"start", "end"}) == "start" ? ChecksumPlace::start : ChecksumPlace::end;
    return codec;
  }
  Value configuration() const {
    return location == usual ? Members{} : Members{{"location", location == ChecksumPlace::start ? "start" : "end"}};
  }

  std::size_t encoded_bound(std::size_t decoded) const { return decoded + checksum_size; }
  std::size_t decoded_bound(ByteView<space::Host> from) const { return from.size; }

  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    if (from.size < checksum_size)
      throw CodecError{to_text({"found ", from.size, " bytes, expected at least a checksum of 4"})};
    auto const size = from.size - checksum_size;
    if (size > to.size) throw CodecError{to_text({"found ", size, " bytes without the checksum, expected ", to.size})};
    bool const is_first = location == ChecksumPlace::start;
    auto const bytes = from.sub(is_first ? checksum_size : 0, size);
    auto const* const stored = from.data + (is_first ? 0 : size);
    std::uint32_t expected = 0;
    for (auto i = checksum_size; i-- > 0;) expected = expected << 8 | std::to_integer<std::uint32_t>(stored[i]);
    if (auto const found = checksum_of(bytes); found != expected)
      throw CodecError{to_text({"the checksum of the bytes is ", found, ", expected ", expected, " as stored"})};
    if (size > 0) std::memcpy(to.data, bytes.data, size);
    return size;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    bool const is_first = location == ChecksumPlace::start;
    auto const checksum = checksum_of(from);
    auto* const place = to.data + (is_first ? 0 : from.size);
    for (std::size_t i = 0; i < checksum_size; ++i) place[i] = static_cast<std::byte>(checksum >> (8 * i));
    if (from.size > 0) std::memcpy(to.data + (is_first ? checksum_size : 0), from.data, from.size);
    return from.size + checksum_size;
  }

 private:
  std::uint32_t checksum_of(ByteView<space::Host> bytes) const {
    return static_cast<Self const&>(*this).checksum(bytes);
  }
};

}}}  // namespace tessera::v0::detail
