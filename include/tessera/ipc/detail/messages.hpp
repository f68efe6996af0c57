// Request and Reply: messages of fixed size between consumers and a producer, on the producer's socket.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

inline constexpr std::uint32_t protocol = 1;
inline constexpr std::size_t most_octets = 256;  // of a handle; CUDA handles have 64

/// take: requests a lease of an allocation; the answer is a Reply. give_back: ends the lease that the take request of
/// that number got, if it was granted; it has no answer.
enum class What : std::uint32_t { take = 1, give_back = 2 };

struct Request {
  std::uint32_t version = protocol;
  What what = What::take;
  std::uint64_t allocation = 0;
  std::uint64_t writes = 0;  ///< 1: a lease to write
  std::uint64_t number = 0;  ///< of the take request, in this connection
};

enum class Answer : std::uint32_t { granted = 0, unknown = 1, held = 2, failed = 3 };

/// If the lease is granted, an open file may accompany the reply. `address` and `event` are valid in the producer's
/// process only; `handle` is the handle in descriptors of the allocation.
struct Reply {
  std::uint32_t version = protocol;
  Answer answer = Answer::failed;
  std::uint64_t number = 0;  ///< of the request
  std::uint64_t size = 0;
  std::uint64_t address = 0;
  std::uint64_t event = 0;
  std::uint64_t handle_size = 0;
  std::byte handle[most_octets]{};
  char why[160]{};  ///< zero-terminated text

  bool has_handle(std::span<std::byte const> octets) const {
    return std::equal(octets.begin(), octets.end(), handle, handle + std::min<std::size_t>(handle_size, most_octets));
  }
  void set_handle(std::span<std::byte const> octets) {
    handle_size = std::min(octets.size(), most_octets);
    std::copy_n(octets.begin(), handle_size, handle);
  }
  std::string_view reason() const {
    return {why, static_cast<std::size_t>(std::find(why, why + sizeof why, '\0') - why)};
  }
  void set_reason(std::string_view text) {
    auto const count = std::min(text.size(), sizeof why - 1);
    std::copy_n(text.data(), count, why);
    why[count] = '\0';
  }
};

}}}}  // namespace tessera::v0::ipc::detail
