// check_declared: whether a listed codec is defined. Codecs of tessera/with/ are declared here, so that an error can
// name the missing header.
#pragma once
#include <concepts>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {

namespace codec {
struct Adler32;
struct Blosc;
struct Bz2;
struct Crc32;
struct Gzip;
struct Lz4;
struct Lzma;
struct Zfp;
struct Zfpy;
struct Zlib;
struct Zstd;
}  // namespace codec

namespace detail {

template <class C, class... Others>
inline constexpr bool is_one_of = (std::same_as<C, Others> || ...);
template <class C>
inline constexpr bool is_included = requires { sizeof(C); };

/// Whether the codec's header is included, and its kind and name are valid.
template <class C>
consteval bool check_declared() {
  constexpr bool is_known = is_included<C>;
  static_assert(is_known || !std::same_as<C, codec::Blosc>,
                "tessera: codec::Blosc needs its header: include tessera/with/blosc.hpp and link tessera::blosc");
  static_assert(is_known || !std::same_as<C, codec::Bz2>,
                "tessera: codec::Bz2 needs its header: include tessera/with/bz2.hpp and link tessera::bz2");
  static_assert(is_known || !std::same_as<C, codec::Gzip>,
                "tessera: codec::Gzip needs its header: include tessera/with/deflate.hpp and link tessera::deflate");
  static_assert(is_known || !is_one_of<C, codec::Adler32, codec::Crc32, codec::Zlib>,
                "tessera: codec::Zlib, Crc32 and Adler32 need their header: include tessera/with/deflate.hpp and link "
                "tessera::deflate");
  static_assert(is_known || !std::same_as<C, codec::Lz4>,
                "tessera: codec::Lz4 needs its header: include tessera/with/lz4.hpp and link tessera::lz4");
  static_assert(is_known || !std::same_as<C, codec::Lzma>,
                "tessera: codec::Lzma needs its header: include tessera/with/lzma.hpp and link tessera::lzma");
  static_assert(is_known || !is_one_of<C, codec::Zfp, codec::Zfpy>,
                "tessera: codec::Zfp and Zfpy need their header: include tessera/with/zfp.hpp and link tessera::zfp");
  static_assert(is_known || !std::same_as<C, codec::Zstd>,
                "tessera: codec::Zstd needs its header: include tessera/with/zstd.hpp and link tessera::zstd");
  if constexpr (is_known && SaysKind<C>) {
    static_assert(is_codec_kind<typename C::kind>,
                  "tessera: a codec's kind is one of three: 'using kind = tessera::array_to_array', 'array_to_bytes' or "
                  "'bytes_to_bytes'");
    static_assert(!is_codec_kind<typename C::kind> || !HasOwnName<C>,
                  "tessera: a codec's name must be a static member: 'static constexpr std::string_view name = ...'");
    return is_codec_kind<typename C::kind> && !HasOwnName<C>;
  } else {
    return is_known || !is_one_of<C, codec::Adler32, codec::Blosc, codec::Bz2, codec::Crc32, codec::Gzip, codec::Lz4,
                                  codec::Lzma, codec::Zfp, codec::Zfpy, codec::Zlib, codec::Zstd>;
  }
}

}  // namespace detail
}}  // namespace tessera::v0
