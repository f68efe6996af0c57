// An LZ4 block as a device's threads walk it: phase by phase, on the host.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/codec/bytes_to_bytes/detail/lz4_windows.hpp>

namespace test {

struct OneLz4Block {
  std::byte const* from;
  std::uint64_t size;
  tessera::detail::FoundFrame* answer;

  tessera::detail::Lz4Block::Walk listed(std::uint64_t) const {
    return tessera::detail::Lz4Block::Walk::of(from, size);
  }
  void found(std::uint64_t, tessera::detail::FoundFrame const& frame) const { *answer = frame; }
};

/// In `rounds`, if given, the number of windows.
inline tessera::detail::FoundFrame walked_in_windows(std::byte const* from, std::uint64_t size,
                                                     std::uint64_t* rounds = nullptr) {
  using Kernel = tessera::detail::WalkLz4Windows<OneLz4Block>;
  tessera::detail::FoundFrame answer;
  Kernel const kernel{{from, size, &answer}};
  typename Kernel::Shared shared;
  std::memset(static_cast<void*>(&shared), 0xa5, sizeof shared);
  auto const all = [&]<unsigned Phase>(std::integral_constant<unsigned, Phase>) {
    for (unsigned thread = 0; thread < Kernel::threads; ++thread) kernel.template phase<Phase>(0, thread, shared);
  };
  all(std::integral_constant<unsigned, 0>{});
  do {
    all(std::integral_constant<unsigned, 1>{});
    all(std::integral_constant<unsigned, 2>{});
    all(std::integral_constant<unsigned, 3>{});
    if (rounds) ++*rounds;
  } while (kernel.goes_on(0, shared));
  return answer;
}

}  // namespace test
