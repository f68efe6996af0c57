// The counters count: otherwise every test here would pass in vain.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>

// Through an opaque pointer, otherwise the compiler would remove allocations.
static void* volatile kept;

TEST_CASE("allocations by new, malloc and a library are counted") {
  if (!test::all_allocations_are_seen()) MESSAGE("not run: only operator new is seen with this C library");
  test::Allocations counted{1000};
  kept = ::operator new(10);
  ::operator delete(kept);
  kept = ::operator new (2000, std::align_val_t{64}, std::nothrow);
  ::operator delete (kept, std::align_val_t{64});
  auto const news = counted.news(), large = counted.large(), before = counted.blocks();
  kept = std::malloc(5);
  std::free(kept);
  kept = std::calloc(5, 5);
  kept = std::realloc(kept, 3000);
  std::free(kept);
  kept = ::strdup("a library's");
  std::free(kept);
  counted.stop();
  CHECK(news == 2);
  CHECK(large == 1);
  if (test::all_allocations_are_seen()) {
    CHECK(before == 2);
    CHECK(counted.blocks() >= before + 4);
  }
}

TEST_CASE("the peak is of what is live at a time") {
  test::Allocations counted;
  for (int i = 0; i < 10; ++i) {
    kept = ::operator new(100000);
    ::operator delete(kept);
  }
  counted.stop();
  CHECK(counted.peak() >= 100000);
  CHECK(counted.peak() < 200000);
}

TEST_CASE("nothing is counted afterwards") {
  test::Allocations counted;
  counted.stop();
  std::vector<std::string> const strings(100, std::string(100, 'x'));
  CHECK(strings.size() == 100);
  CHECK(counted.news() == 0);
}
