// Advice from figures: which part of a read limits it, and what would help. A pure function of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "figures.hpp"

namespace cli {

/// Thresholds of the advice. --help shows them.
namespace threshold {
inline constexpr std::uint64_t small_chunk = 64 << 10;       ///< bytes, decoded, of a chunk that is a file
inline constexpr std::uint64_t small_inner_chunk = 8 << 10;  ///< bytes, decoded, of one in a shard
inline constexpr std::uint64_t many_chunks = 16;             ///< fewer small ones do not matter
inline constexpr std::uint64_t large_chunk = 16 << 20;       ///< bytes, decoded, of one that may be cut for threads
inline constexpr double little_used = 0.25;                  ///< of the decoded bytes
inline constexpr double much_besides = 0.2;                  ///< of the bytes that are read, those outside chunks
inline constexpr double hardly_smaller = 0.9;                ///< stored bytes, of decoded ones
inline constexpr double limits = 0.5;                        ///< of a read's time
inline constexpr double at_roof = 0.8;                       ///< the roof's time, of the read's
inline constexpr std::uint64_t good_chunk = 1 << 20;         ///< advised size, in decoded bytes
inline constexpr std::uint64_t short_row = 256;              ///< bytes
}  // namespace threshold

struct Advice {
  std::string name;  ///< for programs
  std::string text;
};

/// "fetch", "decode", "placement" or "rest": the longest.
std::string limit_of(Figures const& figures);

/// The most telling first. Never empty.
std::vector<Advice> advise(Figures const& figures);

/// The threshold values, for people.
std::string advice_help();

}  // namespace cli
