// The codecs that a program lists, of which several may have one name: which of them a document's codecs are run by,
// and on which side of the pipeline.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/pipeline/any_stage.hpp>
#include <tessera/pipeline/codec_headers.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Where a codec runs: in the space of the elements, or of the stored bytes. Where these are one, it is the bytes'.
enum class Side { elements, bytes };
constexpr Side other(Side side) { return side == Side::bytes ? Side::elements : Side::bytes; }

/// One type of codec.
struct Implementation {
  using Make = std::unique_ptr<AnyStage const> (*)(Specification const&);  ///< Throws: MetadataError
  std::string_view name;
  bool is_view, reads_array, writes_array, needs_checked_bytes, checks_bytes;
  Make among_elements, among_bytes;  ///< null: it does not run there
  std::string (*how_to_run)();       ///< if it runs on neither side

  Make on(Side side) const { return side == Side::bytes ? among_bytes : among_elements; }
};

template <Codec C, MemorySpace S, bool IsSide>
constexpr Implementation::Make maker() {
  if constexpr (IsSide && RunsIn<C, S>)
    return [](Specification const& given) -> std::unique_ptr<AnyStage const> {
      return std::make_unique<StageOf<C, S>>(make_codec<C>(given));
    };
  else
    return nullptr;
}

// Not where the two are one space, and not of a codec that is read through: it is in no memory, and one maker will do.
template <Codec C, MemorySpace ArraySpace, MemorySpace BytesSpace>
inline constexpr bool needs_elements_side = !std::same_as<ArraySpace, BytesSpace> &&
                                            !(is_view<C> && RunsIn<C, BytesSpace>);

/// In the order of the list.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, Codec... Cs>
std::array<Implementation, sizeof...(Cs)> implementations() {
  return {Implementation{.name = Cs::name,
                         .is_view = is_view<Cs>,
                         .reads_array = Cs::kind::reads_array,
                         .writes_array = Cs::kind::writes_array,
                         .needs_checked_bytes = needs_checked_bytes<Cs>,
                         .checks_bytes = checks_bytes<Cs>,
                         .among_elements = maker<Cs, ArraySpace, needs_elements_side<Cs, ArraySpace, BytesSpace>>(),
                         .among_bytes = maker<Cs, BytesSpace, true>(),
                         .how_to_run = &how_to_run<Cs, ArraySpace, BytesSpace>}...};
}

/// The first one of that name; null: there is none.
inline Implementation const* implementation_of(std::span<Implementation const> known, std::string_view name) {
  auto const found = std::ranges::find(known, name, &Implementation::name);
  return found == known.end() ? nullptr : &*found;
}

/// What runs the codecs of a document. Chunks are decoded from the bytes' side to `end`; no codec runs elsewhere if
/// that is the bytes' too. Of all ways those are taken that cross least. Among these the codec nearest to the stored
/// bytes is run by the first listed implementation that can be, and on the `preferred` side, if it can be on both; then
/// the one before it, and so on. Bytes that nothing checked reach no implementation that needs it: it is passed over.
class Choice {
 public:
  struct Taken {
    Implementation const* by;
    Side side;
  };

  /// Each codec is known, and runs on a side. Throws: MetadataError, if nothing checks the bytes of one.
  Choice(std::span<Implementation const> known, std::span<Specification const> codecs, Side end, Side preferred)
      : known_{known}, codecs_{codecs}, end_{end}, preferred_{preferred} {
    least_.resize(codecs.size() + 1);
    for (auto const at : states) least_[0][at.number()] = at.side != end;
    for (std::size_t i = 0; i < codecs.size(); ++i)
      for (auto const at : states) {
        auto& least = least_[i + 1][at.number()] = impossible;
        for_each_way(i, at, [&](Taken const&, int crossings) { least = std::min(least, crossings); });
      }
    State at{Side::bytes, false};
    if (least_.back()[at.number()] >= impossible) refuse();
    taken_.resize(codecs.size());
    for (auto i = codecs.size(); i-- > 0;) {
      taken_[i].by = nullptr;
      for_each_way(i, at, [&](Taken const& way, int crossings) {
        if (!taken_[i].by && crossings == least_[i + 1][at.number()]) taken_[i] = way;
      });
      at = {taken_[i].side, taken_[i].by->checks_bytes};
    }
  }

  /// One for each codec. One that is read through says the side that chunks are on there.
  std::vector<Taken> const& taken() const { return taken_; }

 private:
  // Chunks on the way to a codec, as they are decoded.
  struct State {
    Side side;
    bool is_checked;
    std::size_t number() const { return (side == Side::bytes ? 2u : 0u) + (is_checked ? 1u : 0u); }
  };
  static constexpr State states[]{
      {Side::elements, false}, {Side::elements, true}, {Side::bytes, false}, {Side::bytes, true}};
  static constexpr int impossible = 1 << 30;

  // Calls f for what can take codec i and where, best first, with the crossings from there to the end.
  template <class F>
  void for_each_way(std::size_t i, State const& at, F&& f) const {
    auto const try_one = [&](Implementation const& by, Side side) {
      auto const rest = least_[i][State{side, by.checks_bytes}.number()];
      if (rest < impossible) f(Taken{&by, side}, rest + (side != at.side));
    };
    for (auto const& by : known_) {
      if (by.name != codecs_[i].name || (by.needs_checked_bytes && !at.is_checked)) continue;
      if (by.is_view) {
        try_one(by, at.side);
        continue;
      }
      for (auto const side : {preferred_, other(preferred_)})
        if (by.on(side) && (side == Side::bytes || end_ != Side::bytes)) try_one(by, side);
    }
  }

  // There is no way: a codec needs bytes that are checked, and the one behind it checks none.
  [[noreturn]] void refuse() const {
    auto const is_any = [&](std::size_t i, bool Implementation::*what, bool value) {
      return i < codecs_.size() && std::ranges::any_of(known_, [&](Implementation const& by) {
               return by.name == codecs_[i].name && by.*what == value;
             });
    };
    std::size_t i = 0;
    while (i + 1 < codecs_.size() && (is_any(i, &Implementation::needs_checked_bytes, false) ||
                                      is_any(i + 1, &Implementation::checks_bytes, true)))
      ++i;
    throw MetadataError{text({"member codecs: the behaviour of this program's ", codecs_[i].name,
                              " is undefined where its bytes are damaged, and no crc32c right behind it checks them; "
                              "list it as nvcomp::Trusted<...> to take the bytes on trust"})};
  }

  std::span<Implementation const> known_;
  std::span<Specification const> codecs_;
  Side end_, preferred_;
  std::vector<std::array<int, 4>> least_{};  // crossings of the first codecs, by the state that comes to them
  std::vector<Taken> taken_{};
};

}}}  // namespace tessera::v0::detail
