// MpiDuplicate: a communicator of MPI that returns its errors, which become tessera's.
#pragma once
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// MPI's own text of an error.
inline std::string mpi_text(int error) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  return std::string(text, static_cast<std::size_t>(length));
}

/// Throws: Error with MPI's own text.
inline void expect_mpi(int result, char const* call) {
  if (result != MPI_SUCCESS) throw Error{to_text({call, ": ", mpi_text(result)})};
}

/// A message of more bytes than an int counts travels in pieces of this many.
inline constexpr auto most_of_mpi_piece = std::size_t{1} << 30;

/// Calls f(first byte, count) for the pieces of a message: the same on both sides of it.
template <class Byte, class F>
void for_each_mpi_piece(std::span<Byte> bytes, F&& f) {
  for (std::size_t at = 0; at < bytes.size(); at += most_of_mpi_piece)
    f(bytes.data() + at, static_cast<int>(std::min(most_of_mpi_piece, bytes.size() - at)));
}

/// Throws: Error. MPI itself would end the program.
inline void expect_running_mpi() {
  int is_initialized = 0, is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (!is_initialized || is_finalized)
    throw Error{"MPI is not running: make and use an MpiCommunicator between MPI_Init and MPI_Finalize"};
}

/// MPI_COMM_WORLD returns its errors meanwhile: MPICH 4.0 raises those of requests there, not on their communicator,
/// and would end the program.
class MpiReturnsErrors {
 public:
#if defined(MPICH_VERSION)
  MpiReturnsErrors() {
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~MpiReturnsErrors() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    MPI_Errhandler_free(&before_);
  }
  MpiReturnsErrors(MpiReturnsErrors const&) = delete;

 private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
#endif
};

/// Sends that MPI may still have under way after an error, and the memory that they read.
struct MpiSends {
  std::vector<MPI_Request> requests{};
  std::shared_ptr<void const> memory{};

  /// Whether MPI has ended them all.
  bool have_ended() {
    [[maybe_unused]] MpiReturnsErrors const returned;
    int is_done = 0;
    for (auto& request : requests)
      if (request != MPI_REQUEST_NULL) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    return std::ranges::all_of(requests, [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
  }
};

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
  /// Memory of sends that MPI has not ended is never freed.
  ~MpiDuplicate() {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    free_ended();
    if (!is_finalized) MPI_Comm_free(&ranks_);
    if (!kept_.empty()) static_cast<void>(new (std::nothrow) std::list<MpiSends>{std::move(kept_)});
  }

  /// Moves the sends here.
  void keep(std::list<MpiSends>& sends) noexcept { kept_.splice(kept_.end(), sends); }
  /// Frees the memory of kept sends that MPI has ended by now.
  void free_ended() noexcept {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    if (!is_finalized) kept_.remove_if([](MpiSends& sends) { return sends.have_ended(); });
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
  std::list<MpiSends> kept_{};
};

}}}  // namespace tessera::v0::detail
