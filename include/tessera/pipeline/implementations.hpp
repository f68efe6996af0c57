// The codecs that a program lists, of which several may have one name: which of them a document's codecs are run by,
// and on which side of the pipeline.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/configuration.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/first_of.hpp>
#include <tessera/core/text.hpp>
#include <tessera/pipeline/any_stage.hpp>
#include <tessera/pipeline/bus_traffic.hpp>
#include <tessera/pipeline/cheapest_way.hpp>
#include <tessera/pipeline/codec_headers.hpp>
#include <tessera/pipeline/stage_of.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Where a codec runs: in the space of the elements, or of the stored bytes. Where these are one, it is the bytes'.
enum class Side { elements, bytes };
constexpr Side other(Side side) { return side == Side::bytes ? Side::elements : Side::bytes; }

/// One type of codec.
struct Implementation {
  using Make = std::unique_ptr<AnyStage const> (*)(Specification const&);  ///< Throws: MetadataError
  std::string_view name;
  bool is_view, reads_array, writes_array, needs_checked_bytes, checks_bytes, encodes;
  std::uint64_t (*encoded)(std::uint64_t bytes);  ///< how many it makes of so many, for a choice among ways
  Make among_elements, among_bytes;               ///< null: it does not run there
  void (*expect_taken)(Specification const&);     ///< throws: MetadataError, if it does not run such a configuration
  std::string (*how_to_run)(std::string_view codec);  ///< if it runs on neither side

  Make on(Side side) const { return side == Side::bytes ? among_bytes : among_elements; }
};

template <Codec C, MemorySpace S, bool IsSide>
constexpr Implementation::Make maker() {
  if constexpr (IsSide && RunsIn<C, S>)
    return [](Specification const& given) -> std::unique_ptr<AnyStage const> {
      return std::unique_ptr<AnyStage const>{new StageOf<C, S>{make_codec<C>(given)}};
    };
  else
    return nullptr;
}

// Not where the two are one space, and not of a codec that is read through: it is in no memory, and one maker will do.
template <Codec C, MemorySpace ArraySpace, MemorySpace BytesSpace>
inline constexpr bool needs_elements_side =
    !std::same_as<ArraySpace, BytesSpace> && !(is_view<C> && RunsIn<C, BytesSpace>);

/// In the order of the list.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, Codec... Cs>
inline constexpr std::array<Implementation, sizeof...(Cs)> known_codecs{
    Implementation{.name = Cs::name,
                   .is_view = is_view<Cs>,
                   .reads_array = Cs::kind::reads_array,
                   .writes_array = Cs::kind::writes_array,
                   .needs_checked_bytes = needs_checked_bytes<Cs>,
                   .checks_bytes = checks_bytes<Cs>,
                   .encodes = is_view<Cs> || NamesEncode<Cs>,
                   .encoded = &BusTraffic::encoded<Cs>,
                   .among_elements = maker<Cs, ArraySpace, needs_elements_side<Cs, ArraySpace, BytesSpace>>(),
                   .among_bytes = maker<Cs, BytesSpace, true>(),
                   .expect_taken = [](Specification const& given) { (void)make_codec<Cs>(given); },
                   .how_to_run = &how_to_run<RunsIn<Cs, space::Host>, ArraySpace, BytesSpace>}...};

/// Whether one of that name encodes.
inline bool is_encoded_by_any(std::span<Implementation const> known, std::string_view name) {
  return first_of(known, [&](Implementation const& by) { return by.name == name && by.encodes; }) != nullptr;
}

/// The first one of that name; null: there is none.
inline Implementation const* implementation_of(std::span<Implementation const> known, std::string_view name) {
  return first_of(known, [&](Implementation const& by) { return by.name == name; });
}

/// What runs the codecs of a document: the cheapest way, as a Route's, of chunks that are decoded from the bytes' side
/// to `end`. No codec runs elsewhere if that is the bytes' too.
class Choice {
 public:
  struct Taken {
    Implementation const* by;
    Side side;
  };
  using Traffic = std::uint64_t (*)(std::uint64_t bytes);  ///< what it costs that so many cross

  /// Each codec is known, and runs on a side. Where several have its name, one that does not take its configuration is
  /// passed over. Throws: MetadataError, if none takes it, or nothing checks the bytes of one.
  Choice(std::span<Implementation const> known, std::span<Specification const> codecs, Side end, Traffic crossing) {
    std::uint64_t size = 1 << 20;  // of a chunk, before the codec at hand
    auto const cross = [&] {
      auto const cost = crossing(size);
      choices_.crossing.push_back({{{0, cost}, {cost, 0}}});
    };
    for (auto const& by : known) {
      choices_.needs_checked_bytes.push_back(by.needs_checked_bytes);
      choices_.checks_bytes.push_back(by.checks_bytes);
    }
    for (auto const& codec : codecs) {
      cross();
      auto& running = choices_.running.emplace_back();
      std::size_t of_that_name = 0;
      for (auto const& by : known) of_that_name += by.name == codec.name;
      bool is_taken = false;
      std::exception_ptr refused;
      for (auto const& by : known) {
        auto const runs_on = [&](Side side) {
          bool const runs = by.is_view ? by.on(side) || by.on(other(side)) : by.on(side) != nullptr;
          return runs && (side == Side::bytes || end != Side::bytes);
        };
        bool takes = by.name == codec.name && (runs_on(Side::elements) || runs_on(Side::bytes));
        if (takes && of_that_name > 1) try {
            by.expect_taken(codec);
          } catch (MetadataError const&) {
            takes = false;
            refused = std::current_exception();
          }
        auto const cost = [&](Side side) { return takes && runs_on(side) ? std::uint64_t{0} : choices_.impossible; };
        running.push_back({cost(Side::elements), cost(Side::bytes)});
        is_taken = is_taken || takes;
      }
      if (!is_taken && refused) std::rethrow_exception(refused);
      size = implementation_of(known, codec.name)->encoded(size);
    }
    cross();
    auto const way = cheapest_way(choices_, number(end), number(Side::bytes));
    if (!way.is_there) refuse(codecs);
    for (std::size_t k = 0; k < codecs.size(); ++k)
      taken_.push_back({&known[way.implementation[k]], way.space[k] == number(Side::bytes) ? Side::bytes : end});
  }

  /// One for each codec. One that is read through says the side that chunks are on there.
  std::vector<Taken> const& taken() const { return taken_; }

 private:
  static constexpr std::size_t number(Side side) { return side == Side::bytes; }

  // There is no way: a codec needs bytes that are checked, and the one behind it checks none.
  [[noreturn]] void refuse(std::span<Specification const> codecs) const {
    auto const is_any = [&](std::size_t k, std::vector<Flag> const& what, bool value) {
      for (std::size_t i = 0; k < codecs.size() && i < what.size(); ++i) {
        auto const& [elements, bytes] = choices_.running[k][i];
        if (std::min(elements, bytes) != choices_.impossible && what[i] == value) return true;
      }
      return false;
    };
    std::size_t k = 0;
    while (k + 1 < codecs.size() &&
           (is_any(k, choices_.needs_checked_bytes, false) || is_any(k + 1, choices_.checks_bytes, true)))
      ++k;
    throw MetadataError{text({"member codecs: the behaviour of this program's ", codecs[k].name,
                              " is undefined where its bytes are damaged, and no crc32c right behind it checks them; "
                              "list it as nvcomp::Trusted<...> to take the bytes on trust"})};
  }

  Choices<any_number, any_number, 2> choices_{};
  std::vector<Taken> taken_{};
};

}}}  // namespace tessera::v0::detail
