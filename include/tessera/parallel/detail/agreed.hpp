// agreed: work of which all ranks learn whether it succeeded, and the error if not.
#pragma once
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/parallel/detail/erased_communicator.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Called by all ranks, with the error of each, or null. Throws on all of them, if one has an error: that of the lowest
/// such rank, which it names. Its type, if it is tessera's, its store, key, codec and chunk are those of the original.
inline void agree(ErasedCommunicator& ranks, std::exception_ptr const& error);
/// As above. Without an error: the greatest of the ranks' numbers, of which those beyond 2^63 count as 2^63.
inline std::uint64_t agreed_most(ErasedCommunicator& ranks, std::uint64_t number, std::exception_ptr const& error);

/// The error of f(), or null.
template <class F>
std::exception_ptr error_of(F&& f) noexcept {
  try {
    f();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// Runs f on each rank. Throws as agree.
template <class F>
void agreed(ErasedCommunicator& ranks, F&& f) {
  agree(ranks, error_of(f));
}

/// Called by all ranks: gives the text of one rank to the others, in one broadcast if it is short. A rank without
/// memory for it takes part all the same, and gets the error, or null; the text is then of no use.
[[nodiscard]] inline std::exception_ptr broadcast_text(ErasedCommunicator& ranks, std::string& text, int root);

}}}  // namespace tessera::v0::detail

#include <tessera/parallel/detail/agreed.ipp>
