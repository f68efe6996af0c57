// A process that is killed while it appends, resizes and writes: every key has the old value or the new one, and the
// array is as before or after the operation in progress. The environment variable TESSERA_TEST_KILLS sets the number of
// kills, and TESSERA_SEED other operations.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <support/reference.hpp>
#include <support/sharded.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/with/all.hpp>

namespace killed_tests {

using namespace tessera;

namespace {

constexpr std::uint64_t most_rows = 24, most_columns = 12;
Extents const chunk_shape{6, 4};
using Store = LocalStore<HostBuffer>;
using Composed = AnyPipeline<space::Host, space::Host, AllCodecs>;

struct Content {
  std::uint64_t rows, columns;
  std::uint16_t elements[most_rows][most_columns];

  bool has_shape_of(Content const& other) const { return rows == other.rows && columns == other.columns; }
  friend bool operator==(Content const& a, Content const& b) {
    return a.has_shape_of(b) && a.shows(b, 0, a.rows, 0, a.columns);
  }
  /// The same elements as another content in those rows and columns.
  bool shows(Content const& other, std::uint64_t row, std::uint64_t to_row, std::uint64_t column,
             std::uint64_t to_column) const {
    for (; row < to_row; ++row)
      if (!std::equal(elements[row] + column, elements[row] + to_column, other.elements[row] + column)) return false;
    return true;
  }
};

// Whether `found` is a possible state of a process on the way from one content to another: each chunk, or shard, is
// written at once, and the shape changes at once.
bool is_between(Content const& found, Content const& before, Content const& after) {
  if (!before.has_shape_of(after)) return found == before || found == after;
  if (!found.has_shape_of(before)) return false;
  for (std::uint64_t row = 0; row < found.rows; row += chunk_shape[0])
    for (std::uint64_t column = 0; column < found.columns; column += chunk_shape[1]) {
      auto const to_row = std::min(row + chunk_shape[0], found.rows);
      auto const to_column = std::min(column + chunk_shape[1], found.columns);
      if (!found.shows(before, row, to_row, column, to_column) && !found.shows(after, row, to_row, column, to_column))
        return false;
    }
  return true;
}

// In memory shared by child and parent.
struct Journal {
  Content before, after;            // the child's operation leads from one to the other
  std::atomic<bool> at_work;        // otherwise `before` is the content
  std::atomic<std::uint64_t> done;  // operations, by all children
  std::uint16_t next;               // value to write: no value twice, until it wraps
};

class Shared {
 public:
  Shared() : memory_{::mmap(nullptr, sizeof(Journal), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)} {
    REQUIRE(memory_ != MAP_FAILED);
    new (memory_) Journal{};
  }
  Shared(Shared const&) = delete;
  Shared& operator=(Shared const&) = delete;
  ~Shared() { ::munmap(memory_, sizeof(Journal)); }
  Journal& operator*() const { return *static_cast<Journal*>(memory_); }

 private:
  void* memory_;
};

auto open(Store const& store) { return open_array<std::uint16_t, 2, Composed>(store, "a", Queue<space::Host>{}); }

template <class A>
Content content_of(A const& array) {
  Content result{};
  auto const read = array.read(all);
  result.rows = read.shape()[0], result.columns = read.shape()[1];
  for (std::uint64_t row = 0; row < result.rows; ++row)
    for (std::uint64_t column = 0; column < result.columns; ++column) result.elements[row][column] = read(row, column);
  return result;
}

// The array with a shape that includes the farthest possible chunk.
AnyArray<Store, Composed> wide(Store const& store) {
  auto metadata = open(store).metadata();
  metadata.shape = {most_rows, most_columns};
  return {store, "a", metadata, Queue<space::Host>{}};
}

// Shards that the process was appending to are restored. Returns their number.
std::size_t recover(Store const& store) {
  std::size_t recovered = 0;
  wide(store).compact({.recovered = [&](std::string const&) { ++recovered; }});
  return recovered;
}

// Every key belongs to the array and has a valid value: those of chunks beyond its shape too.
void check_keys(Store const& store) {
  auto const metadata = open(store).metadata();
  store.list("", [&](Listed const& entry) {
    auto const key = entry.path.substr(entry.path.find('/') + 1);
    bool const is_known = entry.path == "zarr.json" || entry.path == "a/zarr.json" ||
                          (entry.path.starts_with("a/") && metadata.key_encoding.place_of(key, 2));
    CHECK_MESSAGE(is_known, entry.path);
  });
  Array<std::uint16_t, 2, Store, Composed> const all_of_it{wide(store)};
  CHECK_NOTHROW(all_of_it.read(all));
}

// One operation on the array and in the journal.
template <class A>
void operate(A const& array, Journal& journal, test::Random& random, WriteOptions const& options) {
  auto const& before = journal.before;
  auto& after = journal.after;
  after = before;
  auto const work = [&](auto&& f) {
    journal.at_work = true;
    f();
    journal.before = after;
    journal.at_work = false;
    ++journal.done;
  };
  // Values of a region, in C order, and in the journal's next content.
  auto const values = [&](std::uint64_t row, std::uint64_t rows, std::uint64_t column, std::uint64_t columns) {
    std::vector<std::uint16_t> result;
    for (auto r = row; r < row + rows; ++r)
      for (auto c = column; c < column + columns; ++c)
        result.push_back(after.elements[r][c] = std::max<std::uint16_t>(++journal.next, 1));
    return result;
  };
  auto const what = random(0, 3);
  if (what == 0 && before.rows > 0 && before.columns > 0) {
    auto const row = random(0, before.rows - 1), column = random(0, before.columns - 1);
    auto const rows = random(1, before.rows - row), columns = random(1, before.columns - column);
    auto const elements = values(row, rows, column, columns);
    work([&] { array.write({{row, row + rows}, {column, column + columns}}, elements, options); });
  } else if (what == 1) {
    auto const rows = random(0, std::min<std::uint64_t>(most_rows - before.rows, 7));
    after.rows += rows;
    auto const elements = values(before.rows, rows, 0, before.columns);
    auto const block = ArrayView<std::uint16_t const, 2>::c_order(elements.data(), {rows, before.columns});
    work([&] { array.append(block, 0, options); });
  } else if (what == 2) {
    auto const columns = random(0, std::min<std::uint64_t>(most_columns - before.columns, 5));
    after.columns += columns;
    auto const elements = values(0, before.rows, before.columns, columns);
    auto const block = ArrayView<std::uint16_t const, 2>::c_order(elements.data(), {before.rows, columns});
    work([&] { array.append(block, 1, options); });
  } else {
    after.rows = random(0, most_rows), after.columns = random(0, most_columns);
    for (std::uint64_t r = 0; r < most_rows; ++r)
      for (std::uint64_t c = 0; c < most_columns; ++c)
        if (r >= before.rows || c >= before.columns || r >= after.rows || c >= after.columns) after.elements[r][c] = 0;
    work([&] { array.resize({after.rows, after.columns}); });
  }
}

// Kills one child after the other at work on an array of these codecs.
void check_kills(std::string const& codecs, std::uint64_t seed, WriteOptions const& options = {}) {
  auto const* asked = std::getenv("TESSERA_TEST_KILLS");
  auto const kills = asked ? std::strtoul(asked, nullptr, 10) : 40;
  REQUIRE(kills > 0);
  if (auto const* const given = std::getenv("TESSERA_SEED")) seed += std::strtoull(given, nullptr, 10);
  test::TemporaryFolder const folder;
  Store const store{folder.path()};
  Shared const shared;
  auto& journal = *shared;
  create_array<std::uint16_t, 2>(store, "a", {.shape = {0, 0}, .chunks = chunk_shape},
                                 Composed::from(test::specifications(codecs)));
  test::Random random{seed};
  std::size_t killed = 0, amidst = 0, between = 0, wrong = 0, recovered = 0;
  for (std::uint64_t round = 0; round < kills; ++round) {
    CAPTURE(round);
    auto const until = journal.done + random(1, 6), more = random(0, 3000);
    auto const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::alarm(60);
      try {
        auto const array = open(Store{folder.path()});
        for (test::Random own{seed + round};;) operate(array, journal, own, options);
      } catch (...) {
        ::_exit(1);
      }
    }
    int status = 0;
    while (journal.done < until && ::waitpid(child, &status, WNOHANG) == 0) ::sched_yield();
    for (auto left = more; left > 0 && journal.done < until + 100; --left) journal.done.load();  // into the next one
    ::kill(child, SIGKILL);
    if (status == 0) CHECK(::waitpid(child, &status, 0) == child);
    killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    amidst += journal.at_work;
    Store const left{folder.path()};
    if (options.append_to_shards && random.one_in(2)) recovered += recover(left);
    auto const found = [&] {
      try {
        return content_of(open(left));
      } catch (CodecError const&) {
        if (!options.append_to_shards) throw;
        recovered += recover(left);
        return content_of(open(left));
      }
    }();
    if (found != journal.before && !(journal.at_work && found == journal.after)) {
      bool const is_partly_done = journal.at_work && is_between(found, journal.before, journal.after);
      ++(is_partly_done ? between : wrong);
    }
    check_keys(left);
    journal.before = found;
    journal.at_work = false;
  }
  CHECK(killed == kills);
  CHECK(amidst > 0);
  CHECK(wrong == 0);
  if (asked)
    MESSAGE(killed, " killed, ", amidst, " of them amidst an operation, ", between, " between two chunks of it, ",
            recovered, " shards cut off");
}

}  // namespace

TEST_CASE("a process is killed at any moment: the array opens, and is as it was before its operation, or after") {
  check_kills(R"([{"name": "bytes", "configuration": {"endian": "little"}}])", 7);
}

TEST_CASE("a process is killed while it writes shards: each has its old value or its new one") {
  test::Sharding sharding{"[3, 2]"};
  sharding.codecs =
      R"([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 1}}])";
  check_kills(sharding.list(), 10007);
}

TEST_CASE("a process is killed while it writes shards of shards: each has its old value or its new one") {
  test::Sharding inner{"[1, 2]"}, outer{"[2, 4]"};
  inner.codecs = R"([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}])";
  outer.codecs = inner.list(), outer.index_location = "start";
  check_kills(outer.list(), 20007);
}

TEST_CASE(
    "a process is killed while it appends to shards: each has its old value or its new one, or its old one ahead") {
  test::Sharding inner{"[1, 2]"}, outer{"[3, 2]"};
  inner.codecs = R"([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}])";
  check_kills(test::Sharding{"[3, 2]", inner.codecs}.list(), 30007, {.append_to_shards = true});
  outer.codecs = inner.list();
  check_kills(outer.list(), 40007, {.append_to_shards = true});
}

}  // namespace killed_tests
