// register_at_run_time: codecs that are found when a program runs. Only lists with codec::AtRunTime look for them, so
// what a unit includes or registers changes the meaning of no other list.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/detail/implementations.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Adds a row for the host to the process's table, unless it is there already. `owner` lives as long as the process.
/// Throws: CodecError, if the name belongs to another codec.
TESSERA_DECL void add_at_run_time(Implementation const& row, std::shared_ptr<void const> owner);

/// The owner of that name's row; null: none.
TESSERA_DECL std::shared_ptr<void const> owner_at_run_time(std::string_view name);

}  // namespace detail

namespace codec {

/// In a list: the codecs that this process has registered when an array is opened, after those that the list names.
/// They run on the host: `Codecs<codec::Bytes, codec::Zstd, codec::AtRunTime>`.
struct AtRunTime {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name{"(registered at run time)"};  // of no codec
  /// Those of a list, with the registered codecs in place of this one.
  static std::vector<detail::Implementation> rows(std::span<detail::Implementation const> listed,
                                                  detail::SpaceName array, detail::SpaceName bytes);
  template <MemorySpace S>
  static constexpr bool runs_in = false;
  std::size_t encoded_bound(std::size_t) const { return 0; }
};

/// Lets lists with codec::AtRunTime run this codec, from now until the process ends: `register_at_run_time<Delta2>()`.
/// C is a codec for host memory, as in docs/own-codec.md. Thread-safe; open arrays keep the codecs they were opened
/// with. A second call does nothing. Throws: CodecError, if another codec is registered under the name.
template <Codec C>
void register_at_run_time() {
  static_assert(RunsIn<C, space::Host>, "tessera: a codec that is registered at run time runs in host memory");
  detail::add_at_run_time(detail::known_codecs<space::Host, space::Host, C>[0], nullptr);
}

}  // namespace codec

namespace detail {

template <class List>
struct with_run_time;
template <class... Cs>
struct with_run_time<Codecs<Cs...>> {
  using type = Codecs<Cs..., codec::AtRunTime>;
};

}  // namespace detail

/// A list of codecs with AtRunTime added: `open_any<WithRunTime<AllCodecs>>(store, "a")`.
template <class List>
using WithRunTime = typename detail::with_run_time<List>::type;

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/run_time_codecs.ipp>
#endif
