// Threads of several processes count in one hierarchy: in shared chunks and shards, in attributes, in a growing array,
// during compaction of shards and changes of shapes; some processes are killed. Two threads of each share a store, one
// has its own. A thread reads what it wrote, each step that it reported is there in the end, and of unreported steps at
// most the one in progress.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

namespace history_tests {

using Local = LocalStore<HostBuffer>;
using Numbers = std::vector<std::int32_t>;
using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
using Sharded = Pipeline<space::Host, Shards>;

constexpr std::uint64_t workers = 3, lines = 3;  // processes, and threads of each
constexpr std::uint64_t far = 5;                 // the distance between their elements
constexpr std::uint64_t length = workers * lines * far;  // of all they write: a resize leaves that, and fills the rest
enum Kind : std::int32_t { in_chunk, in_shard, at_shards_end, in_attributes, in_log, kinds };

struct Step {
  std::int32_t line, kind, number;
};
using Last = std::array<std::int32_t, kinds>;  // the number of the last step of each kind

void make(std::string const& folder) {
  Local const store{folder};
  NewArray<std::int32_t> const wanted{.shape = {length}, .chunks = {length}};
  NewArray<std::int32_t> const resized{.shape = {length}, .chunks = {2 * length}};
  create_array<std::int32_t, 1>(store, "chunk", resized);
  create_array<std::int32_t, 1>(store, "shard", resized, Sharded{Shards{{far}}});
  create_array<std::int32_t, 1>(store, "end", wanted, Sharded{Shards{{far}}});
  create_array<std::int32_t, 1>(store, "log", {.shape = {0}, .chunks = {10}});
}

// A process may have been killed during an append.
template <class Array>
void compact(Array const& array) {
  array.compact({.recovered = [](std::string const&) {}});
}
template <class Array>
void append_to_shard(Array const& array, Box const& box, std::int32_t number) {
  for (;;) try {
      return array.write(box, Numbers{number}, {.append_to_shards = true});
    } catch (CodecError const&) {
      compact(array);
    }
}

template <class Array>
void write_and_read(Array const& array, Box const& box, std::int32_t number) {
  array.write(box, Numbers{number});
  if (auto const found = array.read(box)(0); found != number)
    throw Error{"read " + std::to_string(found) + " after a write of " + std::to_string(number)};
}

// Does the next steps of a line until its process is killed, and reports each when it is done. `shared`: the store, if
// the thread has none of its own.
[[noreturn]] void step(std::string const& folder, Local const* shared, std::uint64_t worker, std::uint64_t line,
                       Last last, unsigned seed, int told) {
  std::mt19937 random{seed};
  auto const me = worker * lines + line;
  for (;;) try {
      auto const store = shared ? *shared : Local{folder};
      auto const chunk = open_array<std::int32_t, 1>(store, "chunk"), log = open_array<std::int32_t, 1>(store, "log");
      auto const shard = open_array<std::int32_t, 1, Sharded>(store, "shard"),
                 end = open_array<std::int32_t, 1, Sharded>(store, "end");
      for (int i = 0; i < 20; ++i) {
        auto const kind = static_cast<std::int32_t>(random() % kinds);
        auto const number = ++last[static_cast<std::size_t>(kind)];
        Box const mine{{me * far, me * far + 1}};
        if (kind == in_chunk) write_and_read(chunk, mine, number);
        if (kind == in_shard) write_and_read(shard, mine, number);
        if (kind == at_shards_end) append_to_shard(end, mine, number);
        if (kind == in_attributes)
          merge_attributes(store, "chunk", {{"w" + std::to_string(me), Value::integer(number)}});
        if (kind == in_log) log.append(Numbers(7, static_cast<std::int32_t>(me) * 1'000'000 + number));
        Step const done{static_cast<std::int32_t>(line), kind, number};
        if (::write(told, &done, sizeof done) != sizeof done) ::_exit(1);
        if (random() % 8 == 0) compact(end);  // the replaced inner chunks are still in it
        if (random() % 8 == 0) chunk.resize({length + random() % length});
        if (random() % 8 == 0) shard.resize({length + random() % length});
      }
    } catch (std::exception const& error) {
      ::fprintf(stderr, "history: %s\n", error.what());
      ::_exit(1);
    }
}

struct Worker {
  pid_t process = 0;
  int told = -1;
  std::array<Last, lines> last{};  // the last reported ones
};

[[noreturn]] void work(std::string const& folder, std::uint64_t worker, std::array<Last, lines> const& last,
                       unsigned seed, int told) {
  ::alarm(300);  // even if the process it reports to dies
  Local const shared{folder};
  std::vector<std::thread> threads;
  for (std::uint64_t line = 0; line < lines; ++line)
    threads.emplace_back([&, line] {
      auto const* const its = line < 2 ? &shared : nullptr;
      step(folder, its, worker, line, last[line], seed + static_cast<unsigned>(line), told);
    });
  for (;;) ::pause();
}

void start(Worker& worker, std::string const& folder, std::uint64_t number, unsigned seed) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  worker.process = ::fork();
  REQUIRE(worker.process >= 0);
  if (worker.process == 0) work(folder, number, worker.last, seed, ends[1]);
  ::close(ends[1]);
  worker.told = ends[0];
}

// Returns whether it reported a step.
bool hear(Worker& worker) {
  Step step{};
  if (::read(worker.told, &step, sizeof step) != sizeof step) return false;
  auto& last = worker.last[static_cast<std::size_t>(step.line)][static_cast<std::size_t>(step.kind)];
  CHECK(step.number == last + 1);
  last = step.number;
  return true;
}

std::int32_t number_of(Members const& attributes, std::string const& name) {
  for (auto const& [found, value] : attributes)
    if (found == name) return static_cast<std::int32_t>(std::stol(value.get_if<Number>()->text));
  return 0;
}

// Each line is at its last reported step, or one further. It continues from there.
void check(std::string const& folder, std::array<Worker, workers>& all_of_them) {
  Local const store{folder};
  auto const values = [&](std::string const& path) {
    auto const array = open_array<std::int32_t, 1>(store, path);
    Numbers found(array.size());
    array.read(all, found);
    return found;
  };
  auto const chunk = values("chunk"), shard = values("shard"), log = values("log");
  for (auto const* const resized : {&chunk, &shard})
    for (std::size_t i = length; i < resized->size(); ++i) CHECK(resized->at(i) == 0);
  auto const end = values("end");
  auto const attributes = get_attributes(store, "chunk");
  std::map<std::int32_t, int> logged;
  for (auto entry : log) ++logged[entry];
  std::size_t appended = 0;
  for (std::uint64_t me = 0; me < workers * lines; ++me) {
    CAPTURE(me);
    auto& last = all_of_them[me / lines].last[me % lines];
    auto const settle = [&](std::size_t kind, std::int32_t found) {
      CAPTURE(kind);
      CHECK(found >= last[kind]);
      CHECK(found <= last[kind] + 1);
      last[kind] = found;
    };
    settle(in_chunk, chunk[me * far]);
    settle(in_shard, shard[me * far]);
    settle(at_shards_end, end[me * far]);
    settle(in_attributes, number_of(attributes, "w" + std::to_string(me)));
    auto const base = static_cast<std::int32_t>(me) * 1'000'000;
    for (std::int32_t n = 1; n <= last[in_log]; ++n) CHECK(logged[base + n] == 7);
    auto const next = logged[base + last[in_log] + 1];
    CHECK((next == 0 || next == 7));
    last[in_log] += next == 7;
    appended += 7 * static_cast<std::size_t>(last[in_log]);
  }
  CHECK(log.size() == appended);
}

TEST_CASE("threads of processes that share chunks, shards, documents and what grows, and are killed: nothing is lost") {
  auto const* const wanted = std::getenv("TESSERA_TEST_ROUNDS");
  auto const rounds = wanted ? std::atoi(wanted) : 400;
  auto const* const given = std::getenv("TESSERA_SEED");
  auto const seed = given ? std::strtoul(given, nullptr, 10) : std::random_device{}();
  MESSAGE("history: TESSERA_SEED=" << seed);
  std::mt19937 random{static_cast<unsigned>(seed)};
  test::TemporaryFolder const folder;
  make(folder / "");
  std::array<Worker, workers> all_of_them;
  int steps = 0, killed = 0;
  while (steps < rounds) {
    for (std::uint64_t w = 0; w < workers; ++w) start(all_of_them[w], folder / "", w, static_cast<unsigned>(random()));
    // Each is killed at a random moment after some steps, the others continue.
    for (auto& worker : all_of_them) {
      for (auto left = random() % 12; left > 0 && hear(worker); --left) ++steps;
      ::kill(worker.process, SIGKILL);
      ++killed;
      int status = 0;
      REQUIRE(::waitpid(worker.process, &status, 0) == worker.process);
      CHECK(WIFSIGNALED(status));
      while (hear(worker)) ++steps;
      ::close(worker.told);
    }
    compact(open_array<std::int32_t, 1, Sharded>(Local{folder / ""}, "end"));
    check(folder / "", all_of_them);
  }
  MESSAGE(steps << " steps, " << killed << " processes were killed");
}

}  // namespace history_tests
