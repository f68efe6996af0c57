// how_to_list and how_to_run: hints for a codec that a program does not list, or lists where it cannot run.
#pragma once
#include <concepts>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// For a message: "; include <tessera/with/zstd.hpp> and list codec::Zstd"; empty, if tessera has no such codec.
TESSERA_DECL std::string how_to_list(std::string_view codec);

/// A memory space in a message.
enum class SpaceName { host, pinned, managed, device, another };
template <MemorySpace S>
constexpr SpaceName space_name() {
  if (std::same_as<S, space::Host>) return SpaceName::host;
  if (std::same_as<S, space::Pinned>) return SpaceName::pinned;
  if (std::same_as<S, space::Managed>) return SpaceName::managed;
  return std::same_as<S, space::Device> ? SpaceName::device : SpaceName::another;
}

constexpr std::string_view word_of(SpaceName space) {
  switch (space) {
    case SpaceName::host: return "host";
    case SpaceName::pinned: return "pinned";
    case SpaceName::managed: return "managed";
    case SpaceName::device: return "device";
    default: return "another";
  }
}

/// For a listed codec that runs on the host, or else on the device, but in neither space of a pipeline; names the
/// pipeline that can run it.
TESSERA_DECL std::string how_to_run(std::string_view codec, bool runs_on_host, SpaceName array, SpaceName bytes);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/codec_headers.ipp>
#endif
