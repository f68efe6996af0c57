// MPI's part of the program, compiled with each MPI library.
#include <cstdlib>
#include <iostream>

#include <mpi/any_ranks.hpp>
#include <tessera/with/mpi_communicator.hpp>

int main(int argc, char** argv) {
  try {
    tessera::MpiCommunicator const early{MPI_COMM_WORLD};
    std::cerr << "a communicator was made before MPI_Init\n";
    return EXIT_FAILURE;
  } catch (tessera::Error const&) {
  }
  MPI_Init(&argc, &argv);
  int status = EXIT_FAILURE;
  try {
    status = test::run(test::AnyRanks::of(tessera::MpiCommunicator{MPI_COMM_WORLD}), argc, argv);
  } catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return status;
}
