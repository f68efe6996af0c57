// Every codec that tessera has, for programs that read whatever comes. Needs libdeflate, libzstd, c-blosc, liblz4, libbz2
// and liblzma.
#pragma once
#include <tessera/codec/array_to_array/delta.hpp>
#include <tessera/codec/bytes_to_bytes/fletcher32.hpp>
#include <tessera/codec/bytes_to_bytes/shuffle.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/with/blosc.hpp>
#include <tessera/with/bz2.hpp>
#include <tessera/with/deflate.hpp>
#include <tessera/with/lz4.hpp>
#include <tessera/with/lzma.hpp>
#include <tessera/with/zstd.hpp>

namespace tessera { inline namespace v0 {

using AllCodecs = Codecs<codec::Transpose, codec::Bytes, codec::Blosc, codec::Crc32c, codec::Gzip, codec::Zstd,
                         codec::Adler32, codec::Bz2, codec::Crc32, codec::Delta, codec::Fletcher32, codec::Lz4,
                         codec::Lzma, codec::Shuffle, codec::Zlib>;

}}  // namespace tessera::v0
