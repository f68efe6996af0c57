// Publications: a producer's allocations and their leases; a withdrawn allocation stays until these are given back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/ipc/detail/error.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

/// An allocation that other processes can open, as the producer holds it.
struct Exported {
  std::string kind{};                      ///< "shared-memory", "cuda-ipc", "cuda-pool"
  std::string device{};                    ///< UUID; empty for the host
  std::uint64_t size = 0;                  ///< bytes, from the allocation's beginning
  std::byte* data = nullptr;               ///< its beginning
  std::vector<std::byte> handle{};         ///< for descriptors
  std::vector<std::byte> event{};          ///< handle of the event after which the bytes are ready; empty: now
  std::function<int(bool writes)> open{};  ///< makes a file descriptor to send with a lease; may be empty
  std::shared_ptr<void const> owner{};
  std::uint64_t pool = 0;        ///< the number of its pool
  void* own_event = nullptr;     ///< the event, for this process
  bool outlasts_leases = false;  ///< must not be freed while another process has it open
};

/// Thread-safe.
class Publications {
 public:
  std::uint64_t add(Exported allocation) {
    std::lock_guard lock{mutex_};
    entries_.emplace(++last_, Entry{std::make_shared<Exported const>(std::move(allocation))});
    return last_;
  }

  /// Grants no more leases; the allocation is released when the last lease is given back.
  void withdraw(std::uint64_t number) noexcept {
    std::shared_ptr<Exported const> freed;
    std::lock_guard lock{mutex_};  // unlocks before `freed` runs its owner's code
    auto const found = entries_.find(number);
    if (found == entries_.end()) return;
    found->second.withdrawn = true;
    freed = erase_if_unheld(found);
  }

  /// The same, if no lease is held. False: one is held.
  bool withdraw_unheld(std::uint64_t number) noexcept {
    std::shared_ptr<Exported const> freed;
    std::lock_guard lock{mutex_};
    auto const found = entries_.find(number);
    if (found == entries_.end()) return true;
    if (found->second.leases != 0) return false;
    found->second.withdrawn = true;
    freed = erase_if_unheld(found);
    return true;
  }

  struct Granted {
    std::shared_ptr<Exported const> allocation;  ///< null: refused
    bool is_known;
    std::string why;
  };
  /// `is_own`: the request comes from this process.
  Granted take(std::uint64_t number, bool writes, bool is_own) {
    std::lock_guard lock{mutex_};
    auto const found = entries_.find(number);
    if (found == entries_.end() || found->second.withdrawn)
      return {nullptr, false, to_text({"allocation ", number, " is not or no longer published"})};
    auto& entry = found->second;
    if (entry.writes) return {nullptr, true, "another lease to write is held"};
    if (writes && entry.leases != 0)
      return {nullptr, true, to_text({entry.leases, entry.leases == 1 ? " lease" : " leases", " to read are held"})};
    ++entry.leases;
    entry.others += !is_own;
    entry.writes = writes;
    return {entry.allocation, true, {}};
  }
  void give_back(std::uint64_t number, bool is_own) noexcept {
    std::shared_ptr<Exported const> freed;
    std::lock_guard lock{mutex_};
    auto const found = entries_.find(number);
    if (found == entries_.end() || found->second.leases == 0) return;
    --found->second.leases;
    found->second.others -= !is_own;
    found->second.writes = false;
    freed = erase_if_unheld(found);
  }

  /// How many leases of it are held.
  std::size_t holders(std::uint64_t number) const {
    std::lock_guard lock{mutex_};
    auto const found = entries_.find(number);
    return found == entries_.end() ? 0 : found->second.leases;
  }
  /// The number of allocations, including withdrawn ones with leases, and the number of leases.
  std::size_t count() const {
    std::lock_guard lock{mutex_};
    return entries_.size();
  }
  std::size_t leases() const {
    std::lock_guard lock{mutex_};
    std::size_t sum = 0;
    for (auto const& entry : entries_) sum += entry.second.leases;
    return sum;
  }
  /// Keeps until this process ends the memory that other processes have open and that must not be freed meanwhile.
  void never_free() {
    std::lock_guard lock{mutex_};
    for (auto const& entry : entries_)
      if (entry.second.others != 0 && entry.second.allocation->outlasts_leases)
        new std::shared_ptr<Exported const>{entry.second.allocation};
  }
  /// Whether another process has memory open that must not be freed meanwhile.
  bool must_wait() const {
    std::lock_guard lock{mutex_};
    for (auto const& entry : entries_)
      if (entry.second.others != 0 && entry.second.allocation->outlasts_leases) return true;
    return false;
  }

 private:
  struct Entry {
    std::shared_ptr<Exported const> allocation;
    std::size_t leases = 0;
    std::size_t others = 0;  // leases of other processes
    bool writes = false;     // the only lease is to write
    bool withdrawn = false;
  };
  using Entries = std::map<std::uint64_t, Entry>;

  std::shared_ptr<Exported const> erase_if_unheld(Entries::iterator at) noexcept {
    if (!at->second.withdrawn || at->second.leases != 0) return nullptr;
    auto freed = std::move(at->second.allocation);
    entries_.erase(at);
    return freed;
  }

  std::mutex mutable mutex_;
  Entries entries_;
  std::uint64_t last_ = 0;
};

}}}}  // namespace tessera::v0::ipc::detail
