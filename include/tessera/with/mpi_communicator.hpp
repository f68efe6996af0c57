// MpiCommunicator: the ranks of an MPI communicator, for the functions of tessera/parallel. Needs an MPI library of
// version 3 or newer: link tessera::mpi.
#pragma once
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/parallel/communicator.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Throws: Error with MPI's own text.
inline void expect_mpi(int result, char const* call) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw Error{to_text({call, ": ", std::string(text, static_cast<std::size_t>(length))})};
}

/// Calls f(first byte, count) for pieces whose length an int holds: the same on both sides of a message.
template <class Byte, class F>
void for_each_mpi_piece(std::span<Byte> bytes, F&& f) {
  constexpr auto most = std::size_t{1} << 30;
  for (std::size_t at = 0; at < bytes.size(); at += most)
    f(bytes.data() + at, static_cast<int>(std::min(most, bytes.size() - at)));
}

/// Throws: Error. MPI itself would end the program.
inline void expect_running_mpi() {
  int is_initialized = 0, is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (!is_initialized || is_finalized)
    throw Error{"MPI is not running: make and use an MpiCommunicator between MPI_Init and MPI_Finalize"};
}

/// A duplicate of the program's communicator.
class MpiDuplicate {
 public:
  explicit MpiDuplicate(MPI_Comm of) {
    expect_running_mpi();
    int is_inter = 0;
    if (of == MPI_COMM_NULL) throw Error{"found MPI_COMM_NULL, expected a communicator that has this process"};
    expect_mpi(MPI_Comm_test_inter(of, &is_inter), "MPI_Comm_test_inter");
    if (is_inter) throw Error{"found an intercommunicator, expected a communicator of one group"};
    expect_mpi(MPI_Comm_dup(of, &ranks_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
    expect_mpi(MPI_Comm_rank(ranks_, &rank_), "MPI_Comm_rank");
    expect_mpi(MPI_Comm_size(ranks_, &size_), "MPI_Comm_size");
    find_nodes();
  }
  MpiDuplicate(MpiDuplicate const&) = delete;
  ~MpiDuplicate() {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    if (!is_finalized) MPI_Comm_free(&ranks_);
  }

  MPI_Comm ranks() const { return expect_running_mpi(), ranks_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  int node_of(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }

 private:
  // A node's number is its lowest rank.
  void find_nodes() {
    MPI_Comm node = MPI_COMM_NULL;
    expect_mpi(MPI_Comm_split_type(ranks_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    int lowest = rank_;
    expect_mpi(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, node), "MPI_Allreduce");
    MPI_Comm_free(&node);
    nodes_.resize(static_cast<std::size_t>(size_));
    expect_mpi(MPI_Allgather(&lowest, 1, MPI_INT, nodes_.data(), 1, MPI_INT, ranks_), "MPI_Allgather");
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::vector<int> nodes_{};
};

/// Messages of the ranks, as the concept MessageExchange.
class MpiExchange {
 public:
  explicit MpiExchange(std::shared_ptr<MpiDuplicate const> ranks) : ranks_{std::move(ranks)} {}

  void receive(std::span<std::byte> to, int from) {
    for_each_mpi_piece(to, [&](std::byte* data, int count) {
      expect_mpi(MPI_Irecv(data, count, MPI_BYTE, from, 0, ranks_->ranks(), &receives_.emplace_back()), "MPI_Irecv");
    });
  }
  void send(std::span<std::byte const> bytes, int to) {
    for_each_mpi_piece(bytes, [&](std::byte const* data, int count) {
      expect_mpi(MPI_Isend(data, count, MPI_BYTE, to, 0, ranks_->ranks(), &sends_.emplace_back()), "MPI_Isend");
    });
  }
  void wait_for_sends() { wait_for(sends_); }
  void wait_for_receives() { wait_for(receives_); }
  void wait() { wait_for(receives_), wait_for(sends_); }

 private:
  static void wait_for(std::vector<MPI_Request>& requests) {
    expect_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    requests.clear();
  }

  std::shared_ptr<MpiDuplicate const> ranks_;
  std::vector<MPI_Request> sends_{}, receives_{};
};

}  // namespace detail

/// A Communicator. It never calls MPI_Init. The calls of MPI are made by the thread that calls a function of
/// tessera/parallel, one at a time: MPI_THREAD_FUNNELED is enough, if that is the program's main thread. Its messages
/// never meet those of the program.
class MpiCommunicator {
 public:
  /// Called by all ranks of `ranks`, which it duplicates; the last copy frees the duplicate. Throws: Error, if MPI is
  /// not running, or `ranks` is MPI_COMM_NULL or an intercommunicator. All calls throw Error after MPI_Finalize.
  explicit MpiCommunicator(MPI_Comm ranks) : ranks_{std::make_shared<detail::MpiDuplicate>(ranks)} {}

  int rank() const { return ranks_->rank(); }  ///< of this process
  int size() const { return ranks_->size(); }  ///< how many ranks there are
  int node_of(int rank) const { return ranks_->node_of(rank); }  ///< the lowest rank of the same node

  /// The least of the numbers of all ranks, which all call it.
  std::uint64_t least(std::uint64_t number) const {
    // Signed, in the same order: Open MPI 4.1 and MPICH 4.0 compare some unsigned types as if they were signed.
    constexpr auto middle = std::uint64_t{1} << 63;
    auto ordered = static_cast<std::int64_t>(number ^ middle);
    detail::expect_mpi(MPI_Allreduce(MPI_IN_PLACE, &ordered, 1, MPI_INT64_T, MPI_MIN, ranks_->ranks()),
                       "MPI_Allreduce");
    return static_cast<std::uint64_t>(ordered) ^ middle;
  }
  /// Called by all ranks: the bytes of rank `root` for all others; of the same size on each.
  void broadcast(std::span<std::byte> bytes, int root) const {
    detail::for_each_mpi_piece(bytes, [&](std::byte* data, int count) {
      detail::expect_mpi(MPI_Bcast(data, count, MPI_BYTE, root, ranks_->ranks()), "MPI_Bcast");
    });
  }
  /// Called by all ranks: the bytes of all of them, in order; of the same size from each.
  void gather(std::span<std::byte const> own, std::span<std::byte> all) const {
    auto const count = static_cast<int>(own.size());
    detail::expect_mpi(MPI_Allgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, ranks_->ranks()),
                       "MPI_Allgather");
  }

  using exchange_type = detail::MpiExchange;
  /// New messages, as the concept MessageExchange.
  exchange_type exchange() const { return exchange_type{ranks_}; }

 private:
  std::shared_ptr<detail::MpiDuplicate const> ranks_;
};

static_assert(Communicator<MpiCommunicator>);

}}  // namespace tessera::v0
