// A forked child has no device, and its exit does not report its parent's objects.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "doctest/doctest.h"
#include "emulation/emulation.hpp"

TEST_CASE("emulation: a forked child is told that it has no device, and its end reports no leak of its parent's") {
  void* held = nullptr;
  REQUIRE(cudaMalloc(&held, 100) == cudaSuccess);
  std::fflush(nullptr);  // otherwise the child writes it too
  pid_t const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    void* memory = nullptr;
    bool const refused = cudaMalloc(&memory, 10) == cudaErrorInitializationError;
    std::exit(refused ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(cudaFree(held) == cudaSuccess);
}
