#include <cstdint>
#include <map>
#include <memory_resource>
#include <new>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace {

/// Tracks its blocks: each is freed once, with its size and alignment.
class Accounts : public std::pmr::memory_resource {
 public:
  explicit Accounts(std::size_t most = ~std::size_t{0}) : most_{most} {}
  ~Accounts() override { CHECK(blocks_.empty()); }
  std::size_t blocks() const { return blocks_.size(); }
  std::size_t given = 0;

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (size > most_) throw std::bad_alloc{};
    ++given;
    auto* block = std::pmr::new_delete_resource()->allocate(size, alignment);
    blocks_[block] = {size, alignment};
    return block;
  }
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
    CHECK(blocks_[block] == std::pair{size, alignment});
    blocks_.erase(block);
    std::pmr::new_delete_resource()->deallocate(block, size, alignment);
  }
  bool do_is_equal(memory_resource const& other) const noexcept override { return this == &other; }

  std::size_t most_;
  std::map<void*, std::pair<std::size_t, std::size_t>> blocks_;
};

}  // namespace

TEST_CASE("a buffer of any size is aligned, out of the pools of the standard library too") {
  std::pmr::unsynchronized_pool_resource pool;
  for (std::size_t size = 1; size <= 1000; ++size) {
    PmrBuffer const buffer{size, &pool}, neighbour{size, &pool};
    CHECK(buffer.view().size == size);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.view().data) % PmrBuffer::alignment == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(neighbour.view().data) % PmrBuffer::alignment == 0);
  }
  CHECK_THROWS_AS((PmrBuffer{~std::size_t{0}, &pool}), Error);
}

TEST_CASE("a buffer takes its memory from the resource given, and gives it back") {
  Accounts accounts;
  {
    PmrBuffer buffer{100, &accounts};
    CHECK(accounts.blocks() == 1);
    CHECK(buffer.view().size == 100);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.view().data) % PmrBuffer::alignment == 0);
    buffer.span().data[99] = std::byte{3};
    PmrBuffer moved{std::move(buffer)};
    CHECK(buffer.view().data == nullptr);  // NOLINT(bugprone-use-after-move)
    CHECK(buffer.view().size == 0);
    CHECK(moved.view().data[99] == std::byte{3});
    PmrBuffer other{5, &accounts};
    CHECK(accounts.blocks() == 2);
    other = std::move(moved);
    CHECK(accounts.blocks() == 1);
    CHECK(other.view().size == 100);
  }
  CHECK(accounts.blocks() == 0);
  CHECK(PmrBuffer{0, &accounts}.view().data == nullptr);
  CHECK(PmrBuffer{}.view().size == 0);
  CHECK(accounts.given == 2);
}

TEST_CASE("a buffer made on a queue takes the queue's resource") {
  Accounts accounts;
  Queue<space::Host> on{1, &accounts};
  PmrBuffer const buffer{10, on};
  CHECK(accounts.blocks() == 1);
  Queue<space::Host> plain;
  PmrBuffer const other{10, plain};
  CHECK(accounts.blocks() == 1);
}

TEST_CASE("a resource without so much memory is an error of tessera's own") {
  Accounts accounts{1000};
  test::check_refused<Error>([&] { PmrBuffer(1001, &accounts); }, {"cannot allocate 1001 bytes", "memory resource"});
  test::check_refused<Error>([&] { PmrBuffer(1, std::pmr::null_memory_resource()); }, {"cannot allocate 1 bytes"});
  CHECK(accounts.blocks() == 0);
}

TEST_CASE("stores hand out buffers from the resource of the queue that they are asked on") {
  Accounts accounts;
  test::TemporaryFolder const folder;
  Queue<space::Host> on{1, &accounts};
  auto const bytes = test::bytes("value");
  auto const check = [&](auto const& store, std::size_t held) {
    store.write({"k"}, test::view(bytes), on);
    CHECK(accounts.blocks() == held);
    {
      auto const got = get_value(store, {"k"}, on);
      CHECK(accounts.blocks() == held + 1);
      CHECK(test::text(got->view()) == "value");
    }
    store.write({"k"}, test::view(bytes), on);
    CHECK(accounts.blocks() == held);
    CHECK(store.erase({"k"}, on));
  };
  check(LocalStore<PmrBuffer>{folder.path()}, 0);
  check(MemoryStore<PmrBuffer>{}, 1);  // its values are such buffers
  CHECK(accounts.blocks() == 0);
}

TEST_CASE("a store in memory outlives the resources that its values were from, and keeps nothing of theirs") {
  auto const bytes = test::bytes("value");
  MemoryStore<PmrBuffer> const store;
  for (int round = 0; round < 2; ++round) {
    Accounts accounts;
    Queue<space::Host> on{1, &accounts};
    store.write({"k"}, test::view(bytes), on);
    store.write({"k"}, test::view(bytes), on);
    CHECK(accounts.blocks() == 1);
    CHECK(store.erase({"k"}, on));
    CHECK(accounts.blocks() == 0);
  }

  Accounts accounts;
  std::pmr::set_default_resource(&accounts);  // it may be destroyed before stores made meanwhile
  MemoryStore<HostBuffer> const made_meanwhile;
  Queue<space::Host> on;
  made_meanwhile.write({"k"}, test::view(bytes), on);
  std::pmr::set_default_resource(nullptr);
  CHECK(accounts.given == 0);
}
