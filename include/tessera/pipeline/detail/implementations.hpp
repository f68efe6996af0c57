// Implementation: a codec in a program's list, as an entry of a table. Several may have one name.
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/codec_calls.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/core/config.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/bus_traffic.hpp>
#include <tessera/pipeline/detail/codec_headers.hpp>
#include <tessera/pipeline/detail/stage_of.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Where a codec runs: in the space of the elements, or of the stored bytes. If these are one, the side is `bytes`.
enum class Side { elements, bytes };
constexpr Side other(Side side) { return side == Side::bytes ? Side::elements : Side::bytes; }

struct Implementation {
  using Make = std::unique_ptr<AnyStage const> (*)(Specification const&);  ///< Throws: MetadataError
  std::string_view name;
  bool is_view, reads_array, writes_array, needs_checked_bytes, checks_bytes, encodes;
  std::uint64_t (*encoded)(std::uint64_t bytes);  ///< the encoded size, for choosing a way
  Make among_elements, among_bytes;               ///< null: it does not run there
  void (*expect_taken)(Specification const&);     ///< throws: MetadataError, if it refuses the configuration
  bool runs_on_host;                              ///< used if it runs on neither side
  SpaceName array, bytes;                         ///< the spaces of the two sides

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

// False if the two are one space, and for a codec that is read through: it uses no memory, so one maker is enough.
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
                   .runs_on_host = RunsIn<Cs, space::Host>,
                   .array = space_name<ArraySpace>(),
                   .bytes = space_name<BytesSpace>()}...};

/// An entry of a list that stands for codecs found when a pipeline is made: codec::AtRunTime.
template <class C>
concept FindsCodecs = requires {
  &C::rows;
};

/// The rows of a list: known_codecs, or a vector with those that an entry finds.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, Codec... Cs>
decltype(auto) rows_of_list() {
  constexpr auto& listed = known_codecs<ArraySpace, BytesSpace, Cs...>;
  if constexpr ((FindsCodecs<Cs> || ...)) {
    std::vector<Implementation> rows{listed.begin(), listed.end()};
    auto const find = [&]<class C>(std::type_identity<C>) {
      if constexpr (FindsCodecs<C>) rows = C::rows(rows, space_name<ArraySpace>(), space_name<BytesSpace>());
    };
    (find(std::type_identity<Cs>{}), ...);
    return rows;
  } else {
    return (listed);
  }
}

TESSERA_DECL bool is_encoded_by_any(std::span<Implementation const> known, std::string_view name);

/// The first one of that name; null: none.
TESSERA_DECL Implementation const* implementation_of(std::span<Implementation const> known, std::string_view name);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/implementations.ipp>
#endif
