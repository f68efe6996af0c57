/* ranks_hdf5 FOLDER REPETITIONS: parallel HDF5's side of ranks.py, which says what is printed. */
#include <hdf5.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { edge = 256, chunk = 64 };

static void expect(int holds, char const* what) {
  if (holds) return;
  fprintf(stderr, "%s failed\n", what);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* Opens or creates, moves all of the rank's elements in one collective call, and closes. */
static void move(char const* path, int writes, int is_gzip, hsize_t first, hsize_t count, float* memory) {
  hid_t const access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
  hsize_t const shape[3] = {edge, edge, edge}, chunks[3] = {chunk, chunk, chunk};
  hsize_t const at[3] = {first, 0, 0}, size[3] = {count, edge, edge};
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  hid_t const space = H5Screate_simple(3, shape, NULL), here = H5Screate_simple(3, size, NULL);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, size, NULL);
  hid_t const file = writes ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                            : H5Fopen(path, H5F_ACC_RDONLY, access);
  expect(file >= 0, "opening the file");
  hid_t data;
  if (writes) {
    hid_t const made = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(made, 3, chunks);
    H5Pset_fill_time(made, H5D_FILL_TIME_NEVER);
    if (is_gzip) H5Pset_deflate(made, 1);
    data = H5Dcreate2(file, "a", H5T_IEEE_F32LE, space, H5P_DEFAULT, made, H5P_DEFAULT);
    H5Pclose(made);
    expect(H5Dwrite(data, H5T_NATIVE_FLOAT, here, space, transfer, memory) >= 0, "H5Dwrite");
  } else {
    data = H5Dopen2(file, "a", H5P_DEFAULT);
    expect(H5Dread(data, H5T_NATIVE_FLOAT, here, space, transfer, memory) >= 0, "H5Dread");
  }
  H5Dclose(data), H5Fclose(file), H5Sclose(space), H5Sclose(here), H5Pclose(access), H5Pclose(transfer);
}

/* Seconds of this many ticks of all ranks. */
static double processor_time(clock_t ticks) {
  double seconds = (double)ticks / CLOCKS_PER_SEC;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return seconds;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  expect(argc == 3, "found other arguments: the call");
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int which = 0; which < 4; ++which) {
    int const is_cut = which / 2, is_gzip = which % 2;
    hsize_t const first = rank * edge / ranks - (is_cut && rank > 0 ? 10 : 0);
    hsize_t const count = (rank + 1) * edge / ranks - (is_cut && rank + 1 < ranks ? 10 : 0) - first;
    size_t const elements = (size_t)count * edge * edge;
    float *memory = malloc(elements * sizeof *memory), *read = malloc(elements * sizeof *read);
    srand((unsigned)rank);
    for (size_t i = 0; i < elements; ++i) { /* noise in the two lower bytes */
      uint32_t const bits = 0x3f800000u | ((uint32_t)rand() & 0xffffu);
      memcpy(memory + i, &bits, sizeof bits);
    }
    char name[32], path[4096];
    snprintf(name, sizeof name, "%s-%s", is_cut ? "cut" : "whole", is_gzip ? "gzip" : "none");
    snprintf(path, sizeof path, "%s/%s", argv[1], name);
    for (int i = 0; i < atoi(argv[2]); ++i) {
      memset(read, 0, elements * sizeof *read);
      if (rank == 0) remove(path);
      MPI_Barrier(MPI_COMM_WORLD);
      double const start = MPI_Wtime();
      clock_t const before = clock();
      move(path, 1, is_gzip, first, count, memory);
      MPI_Barrier(MPI_COMM_WORLD);
      double const written = MPI_Wtime();
      clock_t const between = clock();
      move(path, 0, is_gzip, first, count, read);
      MPI_Barrier(MPI_COMM_WORLD);
      double const end = MPI_Wtime();
      clock_t const after = clock();
      double const of_write = processor_time(between - before), of_read = processor_time(after - between);
      int is_same = memcmp(memory, read, elements * sizeof *read) == 0;
      MPI_Allreduce(MPI_IN_PLACE, &is_same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      if (rank == 0) printf("%s %g %g %g %g %d\n", name, written - start, end - written, of_write, of_read, is_same);
    }
    free(memory), free(read);
  }
  MPI_Finalize();
}
