// Scratch objects of stages of several types, if pipelines take turns on one queue, which holds one of them at a time.
#include <type_traits>

#include <doctest/doctest.h>

#include <tessera/pipeline/detail/batch.hpp>

namespace stage_object_tests {

template <int>
struct Work {
  static inline int alive = 0;
  int used = 0;
  Work() { ++alive; }
  Work(Work const&) = delete;
  ~Work() { --alive; }
};

TEST_CASE("what one type of stage needs is kept, and goes before there is that of another") {
  {
    tessera::detail::StageObject work;
    work.of<Work<0>>().used = 7;
    CHECK(work.of<Work<0>>().used == 7);
    work.of<Work<1>>();
    CHECK(Work<0>::alive == 0);
    CHECK(Work<1>::alive == 1);
    CHECK(work.of<Work<0>>().used == 0);
    CHECK(Work<1>::alive == 0);
  }
  CHECK(Work<0>::alive == 0);
  static_assert(!std::is_copy_constructible_v<tessera::detail::StageObject>);
}

}  // namespace stage_object_tests
