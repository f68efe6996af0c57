// MpiCommunicator: the ranks of an MPI communicator; and all of tessera/parallel, for arrays that the ranks of a
// program write and read together. Needs an MPI library of version 3 or newer: link tessera::mpi.
#pragma once
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <tessera/parallel/checkpoint.hpp>
#include <tessera/parallel/communicator.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/local_writer.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/parallel/partition.hpp>
#include <tessera/with/detail/mpi/mpi_duplicate.hpp>
#include <tessera/with/detail/mpi/mpi_exchange.hpp>

namespace tessera { inline namespace v0 {

/// Whether MPI accepts addresses of CUDA device memory, by MPIX_Query_cuda_support of Open MPI or
/// MPIX_GPU_query_support of MPICH. False, if the library has neither.
inline bool mpi_reads_device_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int is_supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) == MPI_SUCCESS && is_supported != 0;
#else
  return false;
#endif
}

/// A Communicator. It never calls MPI_Init. The calls of MPI are made by the thread that calls a function of
/// tessera/parallel, one at a time: MPI_THREAD_FUNNELED is enough, if that is the program's main thread. Its messages
/// never meet those of the program. Errors of MPI are thrown as Error with MPI's text; none ends the program. After one,
/// the memory of sends under way is kept until MPI has ended them, or for ever, if the last copy of the communicator is
/// destroyed before. Under MPICH, MPI_COMM_WORLD returns its errors while a function waits for messages, and then has
/// its handler again.
class MpiCommunicator {
 public:
  /// Called by all ranks of `ranks`, which it duplicates; the last copy frees the duplicate. Throws: Error, if MPI is
  /// not running, or `ranks` is MPI_COMM_NULL or an intercommunicator. All calls throw Error after MPI_Finalize.
  explicit MpiCommunicator(MPI_Comm ranks) : ranks_{std::make_shared<detail::MpiDuplicate>(ranks)} {}

  int rank() const { return ranks_->rank(); }  ///< of this process
  int size() const { return ranks_->size(); }  ///< number of ranks
  int node_of(int rank) const { return ranks_->node_of(rank); }  ///< the lowest rank of the same node

  bool reads_device_memory() const { return mpi_reads_device_memory(); }  ///< as that function

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
  exchange_type exchange() const {
    ranks_->free_ended();
    return exchange_type{ranks_};
  }

 private:
  std::shared_ptr<detail::MpiDuplicate> ranks_;
};

static_assert(Communicator<MpiCommunicator>);

}}  // namespace tessera::v0
