// MpiExchange: messages under way between ranks of MPI, as the concept MessageExchange.
#pragma once
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/mpi/mpi_duplicate.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Requests of one direction, each with the rank at its other end.
class MpiRequests {
 public:
  explicit MpiRequests(char const* end) : end_{end} {}

  void reserve(std::size_t count) {
    requests_.reserve(count);
    ranks_.reserve(count);
    statuses_.reserve(count);
  }
  /// Of a message that is about to start.
  MPI_Request* add(int rank) {
    ranks_.push_back(rank);
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }
  /// What MPI says about the requests, when all have ended or one has failed; empty: no error.
  std::string wait() {
    [[maybe_unused]] MpiReturnsErrors const returned;
    statuses_.resize(requests_.size());
    auto const result = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data());
    if (result == MPI_SUCCESS) return clear(), std::string{};
    int kind = result;
    MPI_Error_class(result, &kind);
    auto text = to_text({"MPI_Waitall: ", mpi_text(result)});
    for (std::size_t i = 0; kind == MPI_ERR_IN_STATUS && i < statuses_.size(); ++i) {
      auto const error = statuses_[i].MPI_ERROR;
      if (error != MPI_SUCCESS && error != MPI_ERR_PENDING)
        text += to_text({"; the message ", end_, " rank ", ranks_[i], ": ", mpi_text(error)});
    }
    return text;
  }
  /// Whether some are under way, as far as is known.
  bool are_under_way() const {
    return std::ranges::any_of(requests_, [](MPI_Request request) { return request != MPI_REQUEST_NULL; });
  }
  /// Those under way, which this no longer has.
  std::vector<MPI_Request> release() noexcept {
    ranks_.clear();
    return std::exchange(requests_, {});
  }
  /// Ends receives that are under way: MPI no longer writes to their memory.
  void withdraw() {
    [[maybe_unused]] MpiReturnsErrors const returned;
    for (auto& request : requests_)
      if (request != MPI_REQUEST_NULL) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    clear();
  }

 private:
  void clear() {
    requests_.clear();
    ranks_.clear();
  }

  char const* end_;
  std::vector<MPI_Request> requests_{};
  std::vector<int> ranks_{};
  std::vector<MPI_Status> statuses_{};
};

/// Errors of MPI are thrown by the rank that MPI tells of them. Its receives are then withdrawn. Its sends are not: MPI
/// libraries need not cancel them, and would then wait for the other rank.
class MpiExchange {
 public:
  explicit MpiExchange(std::shared_ptr<MpiDuplicate> ranks) : ranks_{std::move(ranks)} {}

  void prepare(std::size_t messages, std::uint64_t bytes) {
    auto const most = messages + static_cast<std::size_t>(bytes / most_of_mpi_piece);
    receives_.reserve(most);
    sends_.reserve(most);
    kept_.resize(1);
  }
  void receive(std::span<std::byte> to, int from) {
    auto const all = ranks_->ranks();
    for_each_mpi_piece(to, [&](std::byte* data, int count) {
      expect(MPI_Irecv(data, count, MPI_BYTE, from, 0, all, receives_.add(from)), "MPI_Irecv: a message from rank ",
             from);
    });
  }
  void send(std::span<std::byte const> bytes, int to) {
    auto const all = ranks_->ranks();
    for_each_mpi_piece(bytes, [&](std::byte const* data, int count) {
      expect(MPI_Isend(data, count, MPI_BYTE, to, 0, all, sends_.add(to)), "MPI_Isend: a message to rank ", to);
    });
  }
  void wait_for_sends() { wait_for(sends_); }
  void wait_for_receives() { wait_for(receives_); }
  void wait() { wait_for(receives_), wait_for(sends_); }
  /// Of sends that are under way after an error. The communicator keeps it until MPI has ended them.
  void keep(std::shared_ptr<void const> memory) noexcept {
    if (!sends_.are_under_way() || kept_.empty()) return;
    kept_.front() = {sends_.release(), std::move(memory)};
    ranks_->keep(kept_);
  }

 private:
  void expect(int result, char const* call, int rank) {
    if (result != MPI_SUCCESS) fail(to_text({call, rank, ": ", mpi_text(result)}));
  }
  void wait_for(MpiRequests& requests) {
    auto error = requests.wait();
    if (!error.empty()) fail(std::move(error));
  }
  [[noreturn]] void fail(std::string problem) {
    receives_.withdraw();
    throw Error{std::move(problem)};
  }

  std::shared_ptr<MpiDuplicate> ranks_;
  MpiRequests sends_{"to"}, receives_{"from"};
  std::list<MpiSends> kept_{};  // one, for `keep`, which may not allocate
};

}}}  // namespace tessera::v0::detail
