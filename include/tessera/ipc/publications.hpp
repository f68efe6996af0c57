// What a producer has published, who holds leases of it, and what stays until they are given back.
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

#include <tessera/core/text.hpp>
#include <tessera/ipc/error.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

/// An allocation that other processes can open, as the producer has it.
struct Exported {
  std::string kind{};                      ///< "shared-memory", "cuda-ipc", "cuda-pool"
  std::string device{};                    ///< its UUID; empty for the host
  std::uint64_t size = 0;                  ///< bytes, from the allocation's beginning
  std::byte* data = nullptr;               ///< its beginning
  std::vector<std::byte> handle{};         ///< octets for its descriptors
  std::vector<std::byte> event{};          ///< of an event that its bytes are ready behind; empty: they are
  std::function<int(bool writes)> open{};  ///< a descriptor to be sent with a lease; none, if empty
  std::shared_ptr<void const> owner{};
  std::uint64_t pool = 0;        ///< the number of the pool that it is of
  void* own_event = nullptr;     ///< that event, for this process itself
  bool outlasts_leases = false;  ///< it may not be freed while another process has it open
};

/// For any thread.
class Publications {
 public:
  std::uint64_t add(Exported allocation) {
    std::lock_guard lock{mutex_};
    entries_.emplace(++last_, Entry{std::make_shared<Exported const>(std::move(allocation))});
    return last_;
  }

  /// No more leases are granted; it goes when the last one is given back.
  void withdraw(std::uint64_t number) noexcept {
    std::shared_ptr<Exported const> freed;
    std::lock_guard lock{mutex_};  // ends before `freed`, whose owner may do anything
    auto const found = entries_.find(number);
    if (found == entries_.end()) return;
    found->second.withdrawn = true;
    freed = erase_if_unheld(found);
  }

  /// The same, if no lease is held. False: one is.
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
  /// `is_own`: this process asks.
  Granted take(std::uint64_t number, bool writes, bool is_own) {
    std::lock_guard lock{mutex_};
    auto const found = entries_.find(number);
    if (found == entries_.end() || found->second.withdrawn)
      return {nullptr, false, text({"allocation ", number, " is not published, or no more"})};
    auto& entry = found->second;
    if (entry.writes) return {nullptr, true, "another lease to write is held"};
    if (writes && entry.leases != 0)
      return {nullptr, true, text({entry.leases, entry.leases == 1 ? " lease" : " leases", " to read are held"})};
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

  /// How many processes hold a lease of it.
  std::size_t holders(std::uint64_t number) const {
    std::lock_guard lock{mutex_};
    auto const found = entries_.find(number);
    return found == entries_.end() ? 0 : found->second.leases;
  }
  /// How many allocations there are, withdrawn ones that are held too, and how many leases.
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
  /// Whether another process has memory open that may not be freed meanwhile.
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
    std::size_t others = 0;  // of these, other processes'
    bool writes = false;     // the one lease that there is
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
