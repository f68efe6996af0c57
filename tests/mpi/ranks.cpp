// MPI's part of the program, compiled with each MPI library.
#include <cstdlib>
#include <iostream>
#include <optional>

#include <mpi/any_ranks.hpp>
#include <tessera/with/mpi_communicator.hpp>

namespace {

// Whether f throws tessera's error, which says so; MPI itself would end the program.
template <class F>
bool is_refused(char const* what, F&& f) {
  try {
    f();
  } catch (tessera::Error const&) {
    return true;
  }
  std::cerr << what << " was accepted\n";
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  using tessera::MpiCommunicator;
  bool is_well = is_refused("a communicator before MPI_Init", [] { MpiCommunicator{MPI_COMM_WORLD}; });
  MPI_Init(&argc, &argv);
  int status = EXIT_FAILURE;
  std::optional<MpiCommunicator> kept;
  try {
    is_well = is_refused("MPI_COMM_NULL", [] { MpiCommunicator{MPI_COMM_NULL}; }) && is_well;
    kept.emplace(MPI_COMM_WORLD);
    status = test::run(test::AnyRanks::of(*kept), argc, argv);
  } catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  is_well = is_refused("a call after MPI_Finalize", [&] { (void)kept->least(1); }) && is_well;
  return is_well ? status : EXIT_FAILURE;
}
