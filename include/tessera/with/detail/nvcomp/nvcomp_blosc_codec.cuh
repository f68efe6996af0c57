// The common part of nvcomp::Blosc and BloscLz4: their configuration, and decoding, also straight to where the elements
// are placed.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <tessera/codec/bytes_to_bytes/detail/blosc_batch.cuh>
#include <tessera/codec/concept.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/placing.cuh>
#include <tessera/place/detail/placing_listed.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_blosc_streams.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Decoded blosc chunks that are not joined: the placer of their elements does that, so that bytes are touched once. A
/// template, because its functions launch kernels and some units only name the codec.
template <std::same_as<Queue<space::Device>> DeviceQueue>
class UnjoinedBlosc final : public AnyPlacer<space::Device> {
 public:
  BloscBatch& blocks() { return blocks_; }

  std::uint64_t place(std::span<Placement<space::Device> const> batch, PlacementForm const& form,
                      DeviceQueue& on) const override {
    return place_by_kernels(batch, form, on, most_words, blocks_.source());
  }
  std::uint64_t place_listed(ListedBatch<space::Device> const& batch, PlacementForm const& form,
                             DeviceQueue& on) const override {
    return place_listed_by_kernels(batch, form, on, most_words, blocks_.source());
  }

 private:
  BloscBatch blocks_;
};

/// The common part of both codecs: the configuration of codec::Blosc.
template <class... Streams>
struct BloscByNvcomp {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "blosc";
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Device>;

  std::string cname = "lz4";
  int clevel = 5;
  std::string shuffle = "shuffle";
  std::size_t typesize = 0;   ///< bytes shuffled together; 0: an element's, in a new array; otherwise 1
  std::size_t blocksize = 0;  ///< bytes; 0: automatic

  Value configuration() const {
    return Members{{"typesize", Value::integer(static_cast<long long>(typesize == 0 ? 1 : typesize))},
                   {"cname", cname},
                   {"clevel", Value::integer(clevel)},
                   {"shuffle", shuffle},
                   {"blocksize", Value::integer(static_cast<long long>(blocksize))}};
  }
  std::size_t encoded_bound(std::size_t decoded) const { return decoded + BloscFrame::header; }  // c-blosc's

  /// For streams as c-blosc makes them by default: the most that one of the formats needs, and the decoded size,
  /// because chunks may be joined, which a program cannot know.
  std::size_t decoding_memory(std::size_t decoded) const {
    constexpr std::size_t usual_stream = 16 << 10;
    auto const streams = decoded / usual_stream + 1;
    bool const is_copied = (is_given_copies<typename Streams::format> || ...);
    return std::max({most_temporary<typename Streams::format>(streams, decoded)...}) +
           (decoded + decoded / 8) * (is_copied ? 2 : 1) + streams * 2 * BloscLists::each_list;
  }

  /// Joins chunks at the tasks' addresses, which costs one more launch and the table of a placing.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void decode(std::span<CodecTask<space::Device>> batch, DeviceQueue& on) const {
    if constexpr (check_kernels<DeviceQueue>()) {
      if (batch.empty()) return;
      auto const blocks = on.template lease<BloscBatch>();
      decode_streams<Streams...>(batch, *blocks, true, on);
      blocks->join(batch, on);
    }
  }

  /// Elements are placed directly from the decoded streams.
  using unjoined = UnjoinedBlosc<Queue<space::Device>>;
  template <std::same_as<unjoined> Unjoined, std::same_as<Queue<space::Device>> DeviceQueue>
  void decode_to_place(std::span<CodecTask<space::Device>> batch, Unjoined& kept, DeviceQueue& on) const {
    if constexpr (check_kernels<DeviceQueue>())
      if (!batch.empty()) decode_streams<Streams...>(batch, kept.blocks(), false, on);
  }

 protected:
  void take(ObjectReader& configuration) {
    constexpr std::size_t most = 0x7fffffff - BloscFrame::header;
    clevel = configuration.at("clevel").integer<int>(0, 9);
    shuffle = configuration.at("shuffle").one_of({"noshuffle", "shuffle", "bitshuffle"});
    if (shuffle != "noshuffle" || configuration.find("typesize"))
      typesize = configuration.at("typesize").integer<std::size_t>(1, most);
    if (auto const found = configuration.find("blocksize")) blocksize = found->integer<std::size_t>(0, most);
  }
};

}  // namespace detail
}}  // namespace tessera::v0
