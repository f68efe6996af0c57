// The table of docs/stores.md, "Several writers", cell by cell: each operation by threads that share a store, by stores
// of one folder, and by processes.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <support/temporary_folder.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/node/convert_node.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

namespace promises_tests {

using Local = LocalStore<HostBuffer>;
using Numbers = std::vector<std::int32_t>;
using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
using Sharded = Pipeline<space::Host, Shards>;
constexpr int writers = 3, rounds = 12;

enum class Who { threads, stores, processes };

struct Fixture {
  test::TemporaryFolder folder{};
  Local store{folder / ""};

  // Runs work(store, number) for all writers at the same time; returns how many of them failed.
  template <class F>
  int run(Who who, F&& work) const {
    std::atomic<int> failed{0};
    auto const one = [&](Local const& its, int number) {
      try {
        work(its, number);
        return 0;
      } catch (std::exception const& error) {
        std::cerr << "writer " << number << ": " << error.what() << '\n';
        ++failed;
        return 1;
      }
    };
    if (who == Who::processes) {
      for (int w = 0; w < writers; ++w)
        if (::fork() == 0) ::_exit(one(Local{folder / ""}, w));
      int status = 0, bad = 0;
      while (::wait(&status) > 0) bad += status != 0;
      return bad;
    }
    std::vector<std::thread> threads;
    for (int w = 0; w < writers; ++w)
      threads.emplace_back([&, w] { one(who == Who::threads ? store : Local{folder / ""}, w); });
    for (auto& thread : threads) thread.join();
    return failed;
  }
};

template <class F>
void for_each_cell(F&& check) {
  for (auto who : {Who::threads, Who::stores, Who::processes}) {
    CAPTURE(static_cast<int>(who));
    Fixture const fixture;
    check(fixture, who);
  }
}

auto open_numbers(Local const& store) { return open_array<std::int32_t, 1>(store, "a"); }
Numbers values(Local const& store) {
  auto const array = open_numbers(store);
  Numbers found(array.size());
  array.read(all, found);
  return found;
}
bool is_uniform(Numbers const& numbers) { return std::ranges::count(numbers, numbers[0]) == std::ssize(numbers); }
// The positions of elements that are not 7, with their values: those that were lost.
std::string not_seven(Numbers const& numbers) {
  std::string found;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != 7) found += std::to_string(i) + ": " + std::to_string(numbers[i]) + ", ";
  return found;
}
void expect(bool is_right) {
  if (!is_right) throw StoreError{"mixed"};
}

TEST_CASE("a chunk and an inner chunk are read old or new, and the last write of all of it stays") {
  for_each_cell([](Fixture const& with, Who who) {
    for (bool sharded : {false, true}) {
      CAPTURE(sharded);
      NewArray<std::int32_t> const wanted{.shape = {4000}, .chunks = {4000}, .overwrite = true};
      if (sharded)
        create_array<std::int32_t, 1>(with.store, "a", wanted, Sharded{Shards{{1000}}}).fill(all, 1);
      else
        create_array<std::int32_t, 1>(with.store, "a", wanted).fill(all, 1);
      CHECK(with.run(who, [](Local const& store, int w) {
        auto const array = open_numbers(store);
        Numbers part(1000);
        for (int i = 0; i < rounds; ++i) {
          if (w == 0) {
            array.read({{1000, 2000}}, part);
            expect(is_uniform(part) && part[0] != 0);
          } else {
            array.fill(all, 100 * w + i);
          }
        }
      }) == 0);
      auto const left = values(with.store);
      CHECK(is_uniform(left));
      CHECK(left[0] % 100 == rounds - 1);
    }
  });
}

TEST_CASE("of parts of one chunk or shard, and of compacting beside them, nothing is lost") {
  enum class Of { chunk, shard_that_is_replaced, shard_that_is_appended_to };
  for_each_cell([](Fixture const& with, Who who) {
    for (auto of : {Of::chunk, Of::shard_that_is_replaced, Of::shard_that_is_appended_to}) {
      CAPTURE(static_cast<int>(of));
      NewArray<std::int32_t> const wanted{.shape = {120}, .chunks = {120}, .overwrite = true};
      if (of == Of::chunk)
        create_array<std::int32_t, 1>(with.store, "a", wanted);
      else
        create_array<std::int32_t, 1>(with.store, "a", wanted, Sharded{Shards{{10}}});
      CHECK(with.run(who, [&](Local const& store, int w) {
        auto const array = open_numbers(store);
        for (auto i = static_cast<std::uint64_t>(w); i < 120; i += writers) {
          array.write({{i, i + 1}}, Numbers{7}, {.append_to_shards = of == Of::shard_that_is_appended_to});
          if (of != Of::chunk && i % 20 == 0) array.compact();
        }
      }) == 0);
      CHECK(not_seven(values(with.store)) == "");
    }
  });
}

TEST_CASE("of what is appended, and written at the border meanwhile, nothing is lost") {
  for_each_cell([](Fixture const& with, Who who) {
    create_array<std::int32_t, 1>(with.store, "a", {.shape = {5}, .chunks = {10}});
    CHECK(with.run(who, [](Local const& store, int w) {
      auto const array = open_numbers(store);
      for (int i = 0; i < rounds; ++i)
        w == 0 ? array.write({{0, 5}}, Numbers(5, i + 1)) : (void)array.append(Numbers(3, 1000));
    }) == 0);
    auto const found = values(with.store);
    CHECK(found.size() == 5 + std::size_t{3 * (writers - 1) * rounds});
    CHECK(std::ranges::count(found, rounds) == 5);
    CHECK(std::ranges::count(found, 1000) == std::ssize(found) - 5);
  });
}

TEST_CASE("of those who shrink and grow an array each does so as a whole") {
  for_each_cell([](Fixture const& with, Who who) {
    create_array<std::int32_t, 1>(with.store, "a", {.shape = {100}, .chunks = {10}}).fill(all, 1);
    CHECK(with.run(who, [](Local const& store, int w) {
      for (std::uint64_t i = 0; i < rounds; ++i)
        open_numbers(store).resize({20 + (i * 7 + static_cast<std::uint64_t>(w) * 31) % 80});
    }) == 0);
    auto const found = values(with.store);
    CHECK(std::ranges::count(found, 1) >= 20);
    CHECK(std::ranges::is_sorted(found, std::ranges::greater{}));  // cut elements have the fill value
  });
}

TEST_CASE("of those who make a node one does, and attributes that are merged are all there") {
  for_each_cell([](Fixture const& with, Who who) {
    CHECK(with.run(who, [](Local const& store, int) { create_group(store, "g"); }) == writers - 1);
    CHECK(with.run(who, [](Local const& store, int w) {
      for (int i = 0; i < rounds; ++i) merge_attributes(store, "g", {{std::to_string(rounds * w + i), i}});
    }) == 0);
    CHECK(get_attributes(with.store, "g").size() == std::size_t{writers * rounds});
  });
}

// A writer's work beside others that convert, move or erase nodes: an operation that throws is tried again.
template <class F>
void until_done(F&& operation) {
  for (int tries = 0;; ++tries) try {
      return operation();
    } catch (MetadataError const&) {  // there was no node for a moment
      if (tries == 1000) throw;
    }
}

TEST_CASE("of what is appended, and set as an attribute, while nodes are converted nothing is lost") {
  for_each_cell([](Fixture const& with, Who who) {
    create_group(with.store, "", {}, {.format = ZarrFormat::v2});
    create_array<std::int32_t, 1>(
        with.store, "a",
        {.shape = {0}, .chunks = {4}, .key_encoding = {true, '.'}, .format = ZarrFormat::v2});
    CHECK(with.run(who, [](Local const& store, int w) {
      for (int i = 0; i < 3 * rounds; ++i) {
        if (w == 0) {
          convert_node(store, i % 4 < 2 ? "" : "a", i % 2 == 0 ? ZarrFormat::v3 : ZarrFormat::v2);
        } else {
          until_done([&] { open_numbers(store).append(Numbers(3, w)); });
          for (auto* path : {"", "a"})
            until_done([&] { merge_attributes(store, path, {{std::to_string(w) + '.' + std::to_string(i), i}}); });
        }
      }
    }) == 0);
    auto const found = values(with.store);
    for (int w = 1; w < writers; ++w) CHECK(std::ranges::count(found, w) == 3 * 3 * rounds);
    CHECK(found.size() == std::size_t{3 * 3 * rounds * (writers - 1)});
    for (auto* path : {"", "a"})
      CHECK(get_attributes(with.store, path).size() == std::size_t{3 * rounds * (writers - 1)});
  });
}

TEST_CASE("consolidated metadata is true, whatever was done while it was written") {
  for_each_cell([](Fixture const& with, Who who) {
    for (auto const format : {ZarrFormat::v2, ZarrFormat::v3}) {
      CAPTURE(static_cast<int>(format));
      create_group(with.store, "", {}, {.overwrite = true, .format = format});
      create_array<std::int32_t, 1>(with.store, "a", {.shape = {0}, .chunks = {4}, .format = format});
      CHECK(with.run(who, [&](Local const& store, int w) {
        for (int i = 0; i < rounds; ++i) {
          if (w == 0) consolidate(store);
          if (w == 1) open_numbers(store).append(Numbers(3, w));
          if (w == 2) merge_attributes(store, "a", {{"n", i}});
        }
      }) == 0);
      for (auto const& copy : stale_copies(with.store)) CHECK(copy.problem == "");
    }
  });
}

// Each move is to a new path: an append that throws may leave chunks where the array was.
TEST_CASE("a group is moved and erased beside who appends below it and makes nodes there") {
  for_each_cell([](Fixture const& with, Who who) {
    auto const group = [](int i) { return "g" + std::to_string(i); };
    create_array<std::int32_t, 1>(with.store, group(0) + "/a", {.shape = {0}, .chunks = {4}});
    CHECK(with.run(who, [&](Local const& store, int w) {
      for (int i = 0; i < rounds; ++i) {
        if (w == 0) {
          move_node(store, group(i), group(i + 1));
        } else if (w == 1) {
          until_done([&] {
            for (int at = 0; at <= rounds; ++at)
              if (detail::node_key(store, group(at) + "/a"))
                return (void)open_array<std::int32_t, 1>(store, group(at) + "/a").append(Numbers(3, 1 + i));
            throw MetadataError{"between the two"};
          });
        } else {
          create_group(store, "e/below");
          erase_node(store, "e");
        }
      }
    }) == 0);
    auto const array = open_array<std::int32_t, 1>(with.store, group(rounds) + "/a");
    Numbers found(array.size());
    array.read(all, found);
    for (int i = 0; i < rounds; ++i) CHECK(std::ranges::count(found, 1 + i) == 3);
    CHECK_FALSE(detail::node_key(with.store, "e/below"));
  });
}

TEST_CASE("of several sets of attributes one stays, all of it, and the rest of the document is not theirs") {
  for_each_cell([](Fixture const& with, Who who) {
    create_array<std::int32_t, 1>(with.store, "a", {.shape = {0}, .chunks = {10}});
    auto const set = [](int n) { return Members{{"first", n}, {std::to_string(n), true}, {"last", n}}; };
    auto const number = [](Members const& found) { return found.empty() ? -1 : found.front().value.as<int>(); };
    CHECK(with.run(who, [&](Local const& store, int w) {
      auto const array = open_numbers(store);
      for (int i = 0; i < rounds; ++i) {
        if (w == 0) {
          array.append(Numbers(3, 1));
        } else {
          set_attributes(store, "a", set(rounds * w + i));
          auto const found = get_attributes(store, "a");
          expect(found == set(number(found)));
        }
      }
    }) == 0);
    auto const left = get_attributes(with.store, "a");
    CHECK(left == set(number(left)));
    CHECK(number(left) % rounds == rounds - 1);
    CHECK(values(with.store) == Numbers(3 * rounds, 1));
  });
}

}  // namespace promises_tests
