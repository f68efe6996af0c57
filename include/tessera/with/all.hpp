// Every codec that tessera has, for programs that read whatever comes. Needs libdeflate, libzstd and c-blosc.
#pragma once
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/with/blosc.hpp>
#include <tessera/with/deflate.hpp>
#include <tessera/with/zstd.hpp>

namespace tessera { inline namespace v0 {

using AllCodecs = Codecs<codec::Transpose, codec::Bytes, codec::Blosc, codec::Crc32c, codec::Gzip, codec::Zstd>;

}}  // namespace tessera::v0
