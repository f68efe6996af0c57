// ThreadRanks: a communicator whose ranks are threads of the test. As with MPI's rendezvous, a send is done when it has
// met its receive. Ranks that wait for each other, or for one that has ended, get an error: no test stays waiting.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <support/allocations.hpp>
#include <tessera/parallel/communicator.hpp>

namespace test {

/// How a message is copied, also from device memory.
using CopyMessage = std::function<void(std::byte* to, std::byte const* from, std::size_t size)>;

/// A wait of one rank that fails, counted from 0. The messages that the rank sent since its wait before are read when
/// the rank has ended, as MPI may do.
struct FailingWait {
  int rank;
  std::size_t number;
  std::size_t sends = 0;   ///< how many were under way
  bool were_kept = true;   ///< whether each still had its bytes then
};

class ThreadRanks {
  struct Transfer {
    std::byte const* from;
    std::byte* to;
    std::size_t size;
    bool is_done = false;
  };
  struct Shared {
    Shared(int n, int per_node, CopyMessage how)
        : size{n}, ranks_per_node{per_node}, copy{std::move(how)}, wake(static_cast<std::size_t>(n)) {}
    int const size, ranks_per_node;
    CopyMessage copy;
    std::mutex mutex;
    std::deque<std::condition_variable> wake;  // of each rank
    std::map<std::pair<int, int>, std::deque<std::shared_ptr<Transfer>>> sent, awaited;  // by sender and receiver
    // What each rank waits for; null: nothing. Ranks that have ended stay null.
    std::vector<std::function<bool()> const*> awaits = std::vector<std::function<bool()> const*>(wake.size());
    std::size_t ended = 0;
    bool is_stuck = false;
    // Of calls of all ranks.
    int arrived = 0;
    std::uint64_t call = 0;
    std::vector<std::vector<std::byte>> given;
    std::shared_ptr<std::vector<std::vector<std::byte>> const> taken;
    // Of a wait that fails.
    FailingWait* failing = nullptr;
    std::size_t waits = 0;
    std::vector<std::pair<std::span<std::byte const>, std::vector<std::byte>>> late;  // as they are, and as they were
    std::vector<std::shared_ptr<void const>> kept;

    bool fails(int rank) const { return failing && failing->rank == rank && failing->number == waits; }
    void read_late() {
      for (auto const& [now, before] : late)
        failing->were_kept = failing->were_kept && !kept.empty() && std::ranges::equal(now, before);
      kept.clear();
    }
    void wait(std::unique_lock<std::mutex>& lock, int rank, std::function<bool()> const& is_done) {
      auto const own = static_cast<std::size_t>(rank);
      awaits[own] = &is_done;
      look();
      wake[own].wait(lock, [&] { return is_stuck || is_done(); });
      awaits[own] = nullptr;
      if (!is_done()) throw std::logic_error{"ranks wait for each other, or for one that has ended"};
    }
    void end(int rank) {
      std::lock_guard lock{mutex};
      if (fails(rank)) read_late();
      ++ended;
      look();
    }
    // Whether all ranks wait for something that none of them does.
    void look() {
      std::size_t waiting = ended;
      for (auto const* one : awaits)
        if (one && !(*one)()) ++waiting;
      if (waiting < awaits.size() || ended == awaits.size()) return;
      is_stuck = true;
      for (auto& one : wake) one.notify_all();
    }
  };
  using NoFailures = AllocationsSucceed;  // in the ranks' own work: only tessera's allocations may fail

 public:
  ThreadRanks(std::shared_ptr<Shared> shared, int rank) : shared_{std::move(shared)}, rank_{rank} {}

  int rank() const { return rank_; }
  int size() const { return shared_->size; }
  bool reads_device_memory() const { return shared_->copy != nullptr; }
  int node_of(int rank) const { return rank / shared_->ranks_per_node; }
  /// How many calls of all ranks have ended: `least`, `broadcast` and `gather`.
  std::uint64_t calls() const {
    std::lock_guard lock{shared_->mutex};
    return shared_->call;
  }
  std::uint64_t least(std::uint64_t number) const {
    auto const all = together(std::as_bytes(std::span{&number, 1}));
    for (auto const& one : *all) {
      std::uint64_t other;
      std::memcpy(&other, one.data(), sizeof other);
      number = std::min(number, other);
    }
    return number;
  }
  void broadcast(std::span<std::byte> bytes, int root) const {
    auto const all = together(bytes);
    auto const& from = all->at(static_cast<std::size_t>(root));
    if (from.size() != bytes.size()) throw std::logic_error{"a broadcast of different sizes"};
    std::copy(from.begin(), from.end(), bytes.begin());
  }
  void gather(std::span<std::byte const> own, std::span<std::byte> all) const {
    auto to = all.begin();
    auto const given = together(own);
    for (auto const& one : *given) to = std::copy(one.begin(), one.end(), to);
  }

  class exchange_type {
   public:
    exchange_type(std::shared_ptr<Shared> shared, int rank) : shared_{std::move(shared)}, rank_{rank} {}
    void prepare(std::size_t messages, std::uint64_t) { most_ = messages; }
    void receive(std::span<std::byte> to, int from) {
      NoFailures const none;
      expect_room(receives_);
      std::lock_guard lock{shared_->mutex};
      auto transfer = std::make_shared<Transfer>(Transfer{nullptr, to.data(), to.size()});
      receives_.push_back(transfer);
      meet({from, rank_}, std::move(transfer), shared_->awaited, shared_->sent, from);
    }
    void send(std::span<std::byte const> bytes, int to) {
      NoFailures const none;
      expect_room(sends_);
      std::lock_guard lock{shared_->mutex};
      auto transfer = std::make_shared<Transfer>(Transfer{bytes.data(), nullptr, bytes.size()});
      sends_.push_back(transfer);
      if (shared_->fails(rank_)) return void(shared_->late.push_back({bytes, {bytes.begin(), bytes.end()}}));
      meet({rank_, to}, std::move(transfer), shared_->sent, shared_->awaited, to);
    }
    void wait_for_sends() { expect_success(), wait_for(sends_); }
    void wait_for_receives() { expect_success(), wait_for(receives_); }
    void wait() { expect_success(), wait_for(sends_), wait_for(receives_); }
    void keep(std::shared_ptr<void const> memory) noexcept {
      NoFailures const none;
      std::lock_guard lock{shared_->mutex};
      if (!sends_.empty()) shared_->kept.push_back(std::move(memory));
    }

   private:
    using Queues = std::map<std::pair<int, int>, std::deque<std::shared_ptr<Transfer>>>;

    void meet(std::pair<int, int> pair, std::shared_ptr<Transfer> own, Queues& same, Queues& others, int peer) {
      auto& waiting = others[pair];
      if (waiting.empty()) return same[pair].push_back(std::move(own));
      auto const other = waiting.front();
      waiting.pop_front();
      if (other->size != own->size) throw std::logic_error{"a message of another size than was expected"};
      auto const* from = own->from ? own->from : other->from;
      auto* to = own->to ? own->to : other->to;
      if (own->size != 0) shared_->copy ? shared_->copy(to, from, own->size) : void(std::memcpy(to, from, own->size));
      own->is_done = other->is_done = true;
      shared_->wake[static_cast<std::size_t>(peer)].notify_all();
    }
    void wait_for(std::vector<std::shared_ptr<Transfer>>& transfers) {
      NoFailures const none;
      std::unique_lock lock{shared_->mutex};
      for (auto const& one : transfers) shared_->wait(lock, rank_, [&] { return one->is_done; });
      transfers.clear();
    }
    void expect_success() {
      NoFailures const none;
      std::lock_guard lock{shared_->mutex};
      if (shared_->fails(rank_)) {
        for (auto& [pair, transfers] : shared_->awaited)
          if (pair.second == rank_) transfers.clear();
        shared_->failing->sends = shared_->late.size();
        throw std::runtime_error{"the network is down"};
      }
      if (shared_->failing && shared_->failing->rank == rank_) ++shared_->waits;
    }
    void expect_room(std::vector<std::shared_ptr<Transfer>> const& transfers) const {
      if (transfers.size() == most_) throw std::logic_error{"more messages than were prepared"};
    }

    std::shared_ptr<Shared> shared_;
    int rank_;
    std::size_t most_ = 0;
    std::vector<std::shared_ptr<Transfer>> sends_{}, receives_{};
  };
  exchange_type exchange() const { return {shared_, rank_}; }

  /// Calls f(ThreadRanks) in a thread for each rank, and returns the text of the error of each; empty: none. With
  /// `copy` the ranks read device memory.
  static std::vector<std::string> run(int size, std::function<void(ThreadRanks const&)> const& f,
                                      int ranks_per_node = 4, CopyMessage copy = nullptr,
                                      FailingWait* failing = nullptr) {
    auto const shared = std::make_shared<Shared>(size, ranks_per_node, std::move(copy));
    shared->failing = failing;
    std::vector<std::string> errors(static_cast<std::size_t>(size));
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] {
          try {
            f(ThreadRanks{shared, rank});
          } catch (std::exception const& error) {
            errors[static_cast<std::size_t>(rank)] = error.what();
          }
          shared->end(rank);
        });
    }
    return errors;
  }

 private:
  // The bytes of all ranks.
  std::shared_ptr<std::vector<std::vector<std::byte>> const> together(std::span<std::byte const> own) const {
    NoFailures const none;
    std::unique_lock lock{shared_->mutex};
    shared_->given.resize(static_cast<std::size_t>(size()));
    shared_->given[static_cast<std::size_t>(rank_)].assign(own.begin(), own.end());
    if (++shared_->arrived == size()) {
      shared_->arrived = 0;
      ++shared_->call;
      shared_->taken = std::make_shared<std::vector<std::vector<std::byte>>>(std::move(shared_->given));
      shared_->given = {};
      for (auto& one : shared_->wake) one.notify_all();
    } else {
      shared_->wait(lock, rank_, [&, call = shared_->call] { return shared_->call != call; });
    }
    return shared_->taken;  // the next call ends when all have left this one
  }

  std::shared_ptr<Shared> shared_;
  int rank_;
};

static_assert(tessera::Communicator<ThreadRanks>);

}  // namespace test
