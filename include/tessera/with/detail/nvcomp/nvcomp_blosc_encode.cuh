// BloscEncodedByNvcomp: encodes blosc in device memory. nvCOMP encodes the inner streams, tessera's kernels do the
// rest. Included by nvcomp_blosc.cuh.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include <tessera/codec/bytes_to_bytes/detail/blosc_encode_batch.cuh>
#include <tessera/codec/encoded_sizes.hpp>
#include <tessera/with/detail/nvcomp/nvcomp_encode.cuh>

namespace tessera { inline namespace v0 { namespace detail {

// For streams in blosc, with nvCOMP's only options.
struct NvcompLz4InBlosc : NvcompLz4Encoding {
  static constexpr auto inside = BloscInside::lz4;
  static constexpr char const* cname = "lz4";
  static constexpr std::size_t header = 0;
  static constexpr nvcompBatchedLZ4CompressOpts_t options{NVCOMP_TYPE_CHAR, NVCOMP_BITSHUFFLE_NONE, {}};
};
struct NvcompZstdInBlosc : NvcompZstdEncoding {
  static constexpr auto inside = BloscInside::zstd;
  static constexpr char const* cname = "zstd";
  static constexpr nvcompBatchedZstdCompressOpts_t options{};
};

/// Costs two copies of lists and four launches, one of them nvCOMP's. Throws: CodecError, with the number of the chunk;
/// DeviceError.
template <class Encoding>
void encode_blosc(std::span<CodecTask<space::Device> const> batch, BloscForm const& form, EncodedSizes const& sizes,
                  Queue<space::Device>& on) {
  auto lent = on.template lease<BloscEncodeBatch>();
  lent->begin(batch, form);
  if (lent->largest() > Encoding::most)
    refuse_member("blocksize", form.block, to_text({"at most ", Encoding::most, " bytes per stream"}).c_str());
  std::size_t room = 0;
  check_encoding<Encoding>(Encoding::bound(lent->largest(), Encoding::options, &room), "CompressGetMaxOutputChunkSize");
  auto const streams = lent->shuffle(room, on);
  auto encoding = on.template lease<EncodeBatch>();
  auto const lists = compress_by_nvcomp<Encoding>(streams, Encoding::options, lent->answers(), *encoding, on);
  lent->join(lists, sizes, on);
}

/// The base of a codec C with streams of these encodings; `C::writes` names them.
template <class C, class... Encodings>
struct BloscEncodedByNvcomp {
  /// Levels 1 to 9 are degrees of effort, of which nvCOMP has one; level 0 stores bytes uncompressed.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void encode(std::span<CodecTask<space::Device> const> batch, EncodedSizes const& sizes, DeviceQueue& on) const {
    if constexpr (check_kernels<DeviceQueue>()) {
      expect_encodes();
      auto const& codec = static_cast<C const&>(*this);
      (void)((codec.cname == Encodings::cname && (encode_as<Encodings>(codec, batch, sizes, on), true)) || ...);
    }
  }
  void expect_encodes() const {
    auto const& codec = static_cast<C const&>(*this);
    if (codec.typesize > 255) refuse_member("typesize", codec.typesize, "1 to 255");
    if (!((codec.cname == Encodings::cname) || ...)) refuse_member("cname", codec.cname, C::writes);
  }
  void expect_encoded(CodecTask<space::Device> const& task, std::size_t size, std::int32_t status) const {
    expect_nvcomp_encoded(task, size, status);
  }

  /// The same codec for a new array of such elements.
  C fitted(DataType type) const {
    auto result = static_cast<C const&>(*this);
    if (result.typesize == 0) result.typesize = type.size;
    return result;
  }

 private:
  template <class Encoding>
  static void encode_as(C const& codec, std::span<CodecTask<space::Device> const> batch, EncodedSizes const& sizes,
                        Queue<space::Device>& on) {
    auto const filter = codec.shuffle == "shuffle"      ? BloscFilter::bytes
                        : codec.shuffle == "bitshuffle" ? BloscFilter::bits
                                                        : BloscFilter::none;
    BloscForm const form{Encoding::inside, filter, static_cast<std::uint32_t>(std::max<std::size_t>(codec.typesize, 1)),
                         codec.blocksize};
    if (codec.clevel > 0) return encode_blosc<Encoding>(batch, form, sizes, on);
    auto lent = on.template lease<BloscEncodeBatch>();
    lent->begin(batch, form);
    lent->store(sizes, on);
  }
};

}}}  // namespace tessera::v0::detail
