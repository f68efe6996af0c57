// Shards that are appended to while other threads read them, and by processes that are killed.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/one_shard.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>

namespace appending_beside_others_tests {

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
using Local = LocalStore<HostBuffer>;
using Plain = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>>;

// Appends in two steps, with a call in between.
struct SlowAppends {
  using buffer_type = HostBuffer;
  Memory inner{};
  std::shared_ptr<std::function<void()>> amidst = std::make_shared<std::function<void()>>();
  std::shared_ptr<std::atomic<int>> reads = std::make_shared<std::atomic<int>>(0);

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  test::HostQueue& on) const {
    auto const size = inner.read(key, range, destination, on);
    ++*reads;
    reads->notify_all();
    return size;
  }
  void write(Key const& key, ByteView<space::Host> value, test::HostQueue& on) const { inner.write(key, value, on); }
  bool append(Key const& key, ByteView<space::Host> bytes, std::uint64_t size, test::HostQueue& on) const {
    auto const half = bytes.size / 2;
    if (!inner.append(key, bytes.sub(0, half), size, on)) return false;
    (*amidst)();
    return inner.append(key, bytes.sub(half, bytes.size - half), size + half, on);
  }
  bool erase(Key const& key, test::HostQueue& on) const { return inner.erase(key, on); }
};

TEST_CASE("who reads an index while a shard is appended to waits for it to be there") {
  SlowAppends const store;
  auto const array = test::one_shard(store);
  test::put_text(array, all, test::numbers());
  std::thread reader;
  std::string seen;
  *store.amidst = [&] {
    int const before = *store.reads;
    reader = std::thread{[&] {
      try {
        seen = test::text_of(array, Box{{2, 4}, {4, 6}});
      } catch (Error const& error) {
        seen = error.what();
      }
    }};
    store.reads->wait(before);
  };
  test::put_text(array, Box{{2, 4}, {4, 6}}, "wxyz");
  reader.join();
  CHECK(seen == "wxyz");
}

// Threads write inner chunks of one array, test::appending, while others read it and one compacts.
template <class S>
void check_threads(S const& store) {
  constexpr std::uint32_t writers = 3, rounds = 40, chunks = 12;
  auto const array = create_array<std::uint32_t, 1>(store, "a", {.shape = {2 * chunks}, .chunks = {chunks}},
                                                    Plain{codec::Sharding<Plain::leaf_type>{{2}}});
  std::atomic<std::uint32_t> writing{writers}, wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t writer = 0; writer < writers; ++writer)
    threads.emplace_back([&, writer] {
      test::HostQueue on;
      for (std::uint32_t round = 1; round <= rounds; ++round)
        for (auto chunk = writer; chunk < chunks; chunk += writers) {
          std::vector<std::uint32_t> const values(2, (chunk << 16) + round);
          array.on(on).write(Box{{2 * chunk, 2 * chunk + 2}}, values, test::appending);
        }
      --writing;
    });
  threads.emplace_back([&] {
    test::HostQueue on;
    while (writing > 0) array.on(on).compact();
  });
  threads.emplace_back([&] {
    test::HostQueue on;
    for (bool last = false; !last;) {
      last = writing == 0;
      std::vector<std::uint32_t> values(2 * chunks);
      try {
        array.on(on).read(all, values);
      } catch (Error const&) {
        ++wrong;
      }
      for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
        auto const value = values[2 * chunk];
        wrong += values[2 * chunk + 1] != value || (value != 0 && value >> 16 != chunk);
      }
    }
  });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  auto const last = array.read(all);
  for (std::uint32_t i = 0; i < 2 * chunks; ++i) CHECK(last(i) == ((i / 2) << 16) + rounds);
}

TEST_CASE("threads that append to one shard lose nothing, whoever reads and compacts beside them") {
  check_threads(Memory{});
  test::TemporaryFolder const folder;
  check_threads(Local{folder.path()});
}

// In memory shared by child and parent: the last finished write of each chunk.
constexpr std::uint64_t killed_chunks = 6, killed_length = 20000;
struct Written {
  std::atomic<std::uint32_t> chunks[killed_chunks];
  std::atomic<std::uint32_t> writes;
};

TEST_CASE("a process is killed while it appends: each shard has all that was written before, or gets it back") {
  test::TemporaryFolder const folder;
  auto* const memory = ::mmap(nullptr, sizeof(Written), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto& written = *new (memory) Written{};
  Local const store{folder.path()};
  auto const array = create_array<std::uint32_t, 1>(
      store, "a", {.shape = {killed_chunks * killed_length}, .chunks = {killed_chunks * killed_length}},
      Plain{codec::Sharding<Plain::leaf_type>{{killed_length}}}, test::HostQueue{});
  test::Random random{11};
  std::size_t wrong = 0;
  for (int round = 0; round < 40; ++round) {
    auto const until = written.writes + random(1, 8), more = random(0, 20000);
    auto const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::alarm(60);
      try {
        auto const own = open_array<std::uint32_t, 1, Plain>(Local{folder.path()}, "a", test::HostQueue{});
        std::vector<std::uint32_t> values(killed_length);
        for (auto next = written.writes + 1;; ++next) {
          auto const chunk = next % killed_chunks;
          std::ranges::fill(values, next);
          own.write(Box{{chunk * killed_length, (chunk + 1) * killed_length}}, values, test::appending);
          written.chunks[chunk] = next;
          ++written.writes;
        }
      } catch (...) {
        ::_exit(1);
      }
    }
    int status = 0;
    while (written.writes < until && ::waitpid(child, &status, WNOHANG) == 0) ::sched_yield();
    for (auto left = more; left > 0; --left) written.writes.load();  // runs into the next write
    ::kill(child, SIGKILL);
    if (status == 0) CHECK(::waitpid(child, &status, 0) == child);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    array.compact({.recovered = [](std::string const&) {}});
    auto const found = array.read(all);
    for (std::uint64_t i = 0; i < killed_chunks * killed_length; ++i) {
      auto const last = written.chunks[i / killed_length].load();
      wrong +=
          found(i) != found(i / killed_length * killed_length) || (found(i) != last && found(i) != written.writes + 1);
    }
  }
  CHECK(wrong == 0);
  ::munmap(memory, sizeof(Written));
}

}  // namespace appending_beside_others_tests
