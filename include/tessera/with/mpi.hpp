// Arrays that the ranks of an MPI program write and read together: MpiCommunicator, and all of tessera/parallel. Needs
// an MPI library of version 3 or newer: link tessera::mpi.
#pragma once
#include <tessera/parallel/checkpoint.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/local_writer.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/parallel/partition.hpp>
#include <tessera/with/mpi_communicator.hpp>
