// PcoBits: the bits of a pcodec file, from the lowest bit of each byte on, with a check before each read.
#pragma once
#include <cstdint>
#include <string_view>

#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 { namespace detail {

class PcoBits {
 public:
  explicit PcoBits(ByteView<space::Host> from) : from_{from} {}

  std::uint64_t left() const;

  /// Throws: CodecError, if fewer bits are left.
  void expect(std::uint64_t count, std::string_view what) const;
  /// The next bits, 64 at most. Throws: CodecError, if fewer are left.
  std::uint64_t take(unsigned count);
  /// Moves to the end of a byte. Throws: CodecError, if the skipped bits are not zero.
  void align(std::string_view what);

 private:
  ByteView<space::Host> from_;
  std::uint64_t at_ = 0;  // bits
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_bytes/detail/pco_bits.ipp>
#endif
