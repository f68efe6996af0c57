// AllCodecs: every codec that tessera has on the host, for programs that read any array. Needs libdeflate, libzstd,
// c-blosc, liblz4, libbz2 and liblzma.
#pragma once
#include <tessera/codec/array_to_array/cast_value.hpp>
#include <tessera/codec/array_to_array/delta.hpp>
#include <tessera/codec/array_to_array/packed_booleans.hpp>
#include <tessera/codec/array_to_array/reshape.hpp>
#include <tessera/codec/array_to_array/rounding.hpp>
#include <tessera/codec/array_to_array/scale_offset.hpp>
#include <tessera/codec/array_to_bytes/pack_bits.hpp>
#include <tessera/codec/array_to_bytes/pcodec.hpp>
#include <tessera/codec/bytes_to_bytes/hdf5_checksums.hpp>
#include <tessera/codec/bytes_to_bytes/shuffle.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/with/blosc.hpp>
#include <tessera/with/bz2.hpp>
#include <tessera/with/deflate.hpp>
#include <tessera/with/lz4.hpp>
#include <tessera/with/lzma.hpp>
#include <tessera/with/zstd.hpp>

namespace tessera { inline namespace v0 {

/// Every codec that tessera has on the host. The codecs of rare libraries, such as Zfp, have lists of their own.
using AllCodecs = Codecs<codec::Transpose, codec::Bytes, codec::Blosc, codec::Crc32c, codec::Gzip, codec::Zstd,
                         codec::Adler32, codec::Bz2, codec::Crc32, codec::Delta, codec::Fletcher32, codec::Lz4,
                         codec::Lzma, codec::Shuffle, codec::Zlib, codec::AsType, codec::FixedScaleOffset,
                         codec::JenkinsLookup3, codec::PackedBooleans, codec::Quantize, codec::BitRound,
                         codec::CastValue, codec::PackBits, codec::Reshape, codec::ScaleOffset,
                         codec::Pcodec, codec::Squeeze>;

}}  // namespace tessera::v0
