// codec::Zfp, whose mode sets how exact numbers are stored (zarr-extensions, codecs/zfp), and codec::Zfpy, numcodecs'
// zfpy, whose chunks begin with zfp's header. Needs libzfp 1 (BSD-3-Clause): link tessera::zfp.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tessera/core/object_reader.hpp>
#include <tessera/core/value.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/with/detail/zfp/zfp_chunk.hpp>
#include <tessera/with/detail/zfp/zfp_codec.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `mode` and its members: "reversible" has none; "fixed_accuracy" `tolerance`, "fixed_rate" `rate` in
/// bits per element, "fixed_precision" `precision` in bit planes, "expert" `minbits`, `maxbits`, `maxprec` and
/// `minexp`. For integers, float32 and float64, in at most four dimensions.
struct Zfp : detail::ZfpCodec<false> {
  static constexpr std::string_view name = "zfp";

  static Zfp from(ObjectReader& configuration) {
    using Mode = detail::ZfpMode;
    auto const said = configuration.at("mode").one_of({names[0], names[1], names[2], names[3], names[4]});
    if (said == "fixed_accuracy") return {{Mode::of_accuracy(configuration.at("tolerance"))}};
    if (said == "fixed_rate") return {{Mode::of_rate(configuration.at("rate"))}};
    if (said == "fixed_precision") return {{Mode::of_precision(configuration.at("precision"))}};
    if (said == "reversible") return {};
    Zfp codec{{{Mode::Kind::expert}}};
    codec.mode.minbits = configuration.at("minbits").integer<std::uint32_t>(0, ZFP_MAX_BITS);
    codec.mode.maxbits = configuration.at("maxbits").integer<std::uint32_t>(std::max(1u, codec.mode.minbits));
    codec.mode.maxprec = configuration.at("maxprec").integer<std::uint32_t>(1, ZFP_MAX_PREC);
    codec.mode.minexp = configuration.at("minexp").integer<std::int32_t>(-32768, 32767);
    return codec;
  }
  Value configuration() const {
    using Kind = detail::ZfpMode::Kind;
    Members members{{"mode", names[static_cast<std::size_t>(mode.kind)]}};
    if (mode.kind == Kind::fixed_accuracy) members.push_back({"tolerance", mode.number.given});
    if (mode.kind == Kind::fixed_rate) members.push_back({"rate", mode.number.given});
    if (mode.kind == Kind::fixed_precision) members.push_back({"precision", Value::integer(mode.precision)});
    if (mode.kind == Kind::expert)
      for (auto const& [member, value] :
           {std::pair{"minbits", mode.minbits}, std::pair{"maxbits", mode.maxbits}, std::pair{"maxprec", mode.maxprec}})
        members.push_back({member, Value::integer(value)});
    if (mode.kind == Kind::expert) members.push_back({"minexp", Value::integer(mode.minexp)});
    return members;
  }

 private:
  static constexpr char const* names[]{"reversible", "expert", "fixed_accuracy", "fixed_rate", "fixed_precision"};
};

/// Configuration: `mode`, 2 to 5, by default 4, and its member: `rate` for 2, `precision` for 3, `tolerance` for 4. If
/// that is missing or negative, and with 5, it is reversible. For int32, int64, float32 and float64 in one to four
/// dimensions. Decoding follows the mode in a chunk's header.
struct Zfpy : detail::ZfpCodec<true> {
  static constexpr std::string_view name = "numcodecs.zfpy";

  int number = 4;  ///< the mode's

  static Zfpy from(ObjectReader& configuration) {
    Zfpy codec;
    if (auto const found = configuration.find("mode")) codec.number = found->integer<int>(2, 5);
    (void)configuration.find("compression_kwargs");  // numcodecs writes everything twice
    for (auto const& [member, number] : {std::pair{"rate", 2}, std::pair{"precision", 3}, std::pair{"tolerance", 4}}) {
      auto const found = configuration.find(member);
      if (!found || detail::JsonNumber::from(*found).number < 0 || number != codec.number) continue;
      codec.mode = number == 2   ? detail::ZfpMode::of_rate(*found)
                   : number == 3 ? detail::ZfpMode::of_precision(*found)
                                 : detail::ZfpMode::of_accuracy(*found);
    }
    return codec;
  }
  Value configuration() const {
    using Kind = detail::ZfpMode::Kind;
    auto const none = Value::integer(-1);
    return Members{{"mode", Value::integer(number)},
                   {"tolerance", mode.kind == Kind::fixed_accuracy ? mode.number.given : none},
                   {"rate", mode.kind == Kind::fixed_rate ? mode.number.given : none},
                   {"precision", mode.kind == Kind::fixed_precision ? Value::integer(mode.precision) : none}};
  }
};

}  // namespace codec

namespace detail {

template <class List>
struct with_zfp;
template <class... Cs>
struct with_zfp<Codecs<Cs...>> {
  using type = Codecs<Cs..., codec::Zfp, codec::Zfpy>;
};

}  // namespace detail

/// A list of codecs with these two added: `open_any<WithZfp<AllCodecs>>(store, "a")`.
template <class List>
using WithZfp = typename detail::with_zfp<List>::type;

}}  // namespace tessera::v0
