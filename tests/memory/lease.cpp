#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/memory/detail/object_pool.hpp>
#include <tessera/memory/queue.hpp>

using namespace tessera;

namespace {

struct Counted {
  static inline std::atomic<int> alive{0}, made{0};
  int value = 0;
  Counted() { ++alive, ++made; }
  Counted(Counted const&) = delete;
  Counted& operator=(Counted const&) = delete;
  ~Counted() { --alive; }
};

}  // namespace

TEST_CASE("what was given back last is lent first") {
  Queue<space::Host> queue;
  Counted *first, *second;
  {
    auto const a = queue.lease<Counted>();
    auto const b = queue.lease<Counted>();
    first = &*a, second = &*b;
    CHECK(first != second);
    a->value = 1, b->value = 2;
  }  // b is returned before a
  auto const again = queue.lease<Counted>();
  CHECK(&*again == first);
  CHECK(again->value == 1);  // unchanged
  CHECK(&*queue.lease<Counted>() == second);
}

TEST_CASE("leases of different types do not mix") {
  Queue<space::Host> queue;
  int* number = &*queue.lease<int>();
  auto const other = queue.lease<long>();
  auto const same = queue.lease<int>();
  CHECK(&*same == number);
  CHECK(static_cast<void*>(&*other) != static_cast<void*>(number));
}

TEST_CASE("a moved lease gives back once") {
  Queue<space::Host> queue;
  {
    auto first = queue.lease<int>();
    auto const second = std::move(first);
    *second = 3;
  }
  auto const a = queue.lease<int>();
  auto const b = queue.lease<int>();
  CHECK(&*a != &*b);
  CHECK(*a == 3);
}

TEST_CASE("what a queue keeps is destroyed with it") {
  auto const before = Counted::alive.load();
  {
    Queue<space::Host> queue{2};
    { auto const a = queue.lease<Counted>(), b = queue.lease<Counted>(); }
    CHECK(Counted::alive == before + 2);
    Queue<space::Host> const copy = queue;
  }
  CHECK(Counted::alive == before);
}

TEST_CASE("an object is its borrower's alone, in many threads") {
  Queue<space::Host> queue{4};
  auto const made = Counted::made.load();
  std::atomic<int> shared{0};
  queue.for_each(2000, [&](std::size_t) {
    auto const lease = queue.lease<Counted>();
    if (lease->value++ != 0) ++shared;
    std::this_thread::yield();
    if (--lease->value != 0) ++shared;
  });
  CHECK(shared == 0);
  CHECK(Counted::made - made <= 4);
}

TEST_CASE("a constructor that throws leaves nothing behind") {
  struct Fails {
    Fails() { throw 1; }
  };
  Queue<space::Host> queue;
  CHECK_THROWS_AS(queue.lease<Fails>(), int);
  CHECK_THROWS_AS(queue.lease<Fails>(), int);
}

TEST_CASE("trim destroys what is idle and not what is lent") {
  auto const before = Counted::alive.load();
  Queue<space::Host> queue;
  auto const lent = queue.lease<Counted>();
  { auto const a = queue.lease<Counted>(), b = queue.lease<Counted>(); }
  CHECK(Counted::alive == before + 3);
  queue.trim();
  CHECK(Counted::alive == before + 1);
  lent->value = 5;
  { auto const again = queue.lease<Counted>(); }
  CHECK(Counted::alive == before + 2);
}

TEST_CASE("of what takes up memory a queue keeps as much as its bound when work is done, what was used last") {
  struct Large : Counted {
    std::uint64_t held() const { return 60; }
  };
  auto const before = Counted::alive.load();
  Queue<space::Host> queue;
  queue.keep_idle(100);
  Large* last = nullptr;
  {
    auto const small = queue.lease<Counted>();
    auto const c = queue.lease<Large>();  // returned last of the two
    auto const b = queue.lease<Large>();
    last = &*c;
  }
  CHECK(Counted::alive == before + 3);  // it stays while work is in progress
  queue.settle();
  CHECK(Counted::alive == before + 2);
  CHECK(&*queue.lease<Large>() == last);
  queue.keep_idle(59);
  CHECK(Counted::alive == before + 1);
}

TEST_CASE("a queue keeps idle memory of exactly its bound") {
  struct Large : Counted {
    std::uint64_t held() const { return 60; }
  };
  auto const before = Counted::alive.load();
  Queue<space::Host> queue;
  { auto const a = queue.lease<Large>(), b = queue.lease<Large>(); }
  queue.keep_idle(120);
  queue.settle();
  CHECK(Counted::alive == before + 2);
  queue.keep_idle(119);
  queue.settle();
  CHECK(Counted::alive == before + 1);
}

TEST_CASE("a pool with as many idle objects as it may have lends the oldest, usable or not") {
  ObjectPool pool;
  Counted *first, *second;
  {
    auto const b = pool.lease<Counted>();
    auto const a = pool.lease<Counted>();  // returned before b
    first = &*a, second = &*b;
  }
  auto const never = [](Counted const&) { return false; };
  auto const made = Counted::made.load();
  {
    auto const third = pool.lease<Counted>(never, 3);  // two are idle: one more may be made
    CHECK(Counted::made == made + 1);
    CHECK((&*third != first && &*third != second));
    auto const oldest = pool.lease<Counted>(never, 2);  // two are idle, which is the maximum
    CHECK(&*oldest == first);
    CHECK(Counted::made == made + 1);
  }
  auto const usable = pool.lease<Counted>([&](Counted const& one) { return &one == second; }, 1);
  CHECK(&*usable == second);
}
