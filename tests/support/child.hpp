// A child of this process, made by fork().
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace test {

// The result of f in a child; a child that hangs is ended.
template <class F>
bool in_child(F&& f) {
  auto const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(20);
    bool well = false;
    try {
      well = f();
    } catch (...) {
    }
    ::_exit(well ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace test
