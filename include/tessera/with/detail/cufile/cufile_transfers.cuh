// cufile::Transfers: the ways that a DirectStore's values took, and why.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

enum class TransferPath {
  direct,  ///< between the disk and the device, by cuFile; the host touches no byte
  pinned,  ///< through page-locked memory of the host
};

/// The values, or ranges of values, transferred one way for one reason.
struct Transferred {
  TransferPath path;
  std::string why;  ///< why not directly; empty for direct transfers
  std::uint64_t reads = 0, read_bytes = 0, writes = 0, written_bytes = 0;
};

namespace cufile {

/// Shared by the copies of a store. For any thread.
class Transfers {
 public:
  void read(std::string_view why_not, std::size_t count, std::uint64_t bytes) {
    std::lock_guard const lock{mutex_};
    auto& entry = find(why_not);
    entry.reads += count;
    entry.read_bytes += bytes;
  }
  void write(std::string_view why_not, std::uint64_t bytes) {
    std::lock_guard const lock{mutex_};
    auto& entry = find(why_not);
    ++entry.writes;
    entry.written_bytes += bytes;
  }
  std::vector<Transferred> all() const {
    std::lock_guard const lock{mutex_};
    return all_;
  }

 private:
  Transferred& find(std::string_view why_not) {
    auto const found = std::find_if(all_.begin(), all_.end(), [&](auto const& entry) { return entry.why == why_not; });
    if (found != all_.end()) return *found;
    auto const path = why_not.empty() ? TransferPath::direct : TransferPath::pinned;
    return all_.emplace_back(Transferred{path, std::string{why_not}});
  }

  mutable std::mutex mutex_;
  std::vector<Transferred> all_;
};

}  // namespace cufile
}}  // namespace tessera::v0
