// StoreWriting: the rules for writable stores, including what readers see during a write.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/store/detail/write_many.hpp>
#include <tessera/testing/detail/store_trial.hpp>

namespace tessera { inline namespace v0 {
namespace testing::detail {

template <MemorySpace Space>
class StoreWriting : public StoreTrial<Space> {
  using Trial = StoreTrial<Space>;
  using Trial::broken;
  using Trial::can_;
  using Trial::erase;
  using Trial::expect;
  using Trial::expect_refused;
  using Trial::listed;
  using Trial::on_;
  using Trial::put;
  using Trial::rule;
  using Trial::store;
  using Trial::value;
  using typename Trial::Memory;
  using typename Trial::S;

 public:
  using Trial::Trial;

 private:
  void run() override {
    rule("overwrites and erases",
         "write sets the whole value; erase removes this key and no other, and returns whether it was there",
         [&] { overwrites_and_erases(); });
    rule("writes many",
         "write_many writes every request, also those of 0 bytes, and refuses invalid keys; or leave write_many out",
         [&] { writes_many(); });
    if (can_.append)
      rule("appends to values of the given size",
           "append changes only a value of exactly the given size, and returns whether it did", [&] { appends(); });
    rule("refuses invalid keys",
         "begin read, write and erase with tessera::check_key(key), and listings of a prefix that is not empty "
         "likewise",
         [&] { refuses_keys_that_are_none(); });
    rule("shows the old value or the new, never half",
         "write makes the new value aside and puts it in place at once, under the lock that read takes",
         [&] { shows_the_old_value_or_the_new(); });
    if (can_.lock)
      rule("keeps updates apart",
           "copies share what lock(key) locks, e.g. a KeyLocks, and read and write take another lock than that",
           [&] { keeps_updates_apart(); });
    if (can_.write_many)
      rule("keeps updates apart from many writes", "write_many holds lock(key) of a key while it writes it",
           [&] { keeps_updates_apart_from_many_writes(); });
  }

  void appends() {
    auto const s = store({{"a/k", "value"}});
    std::string expected = "value";
    auto const append = [&](std::string const& key, std::string const& more, std::uint64_t size) {
      auto on = on_;
      Memory memory(more.size(), on);
      ByteView<space::Host> const bytes{reinterpret_cast<std::byte const*>(more.data()), more.size()};
      crossing<Space, space::Host>::copy(bytes, memory.span(), queue_between<Space, space::Host>(on));
      return s.append(Key{key}, memory.view(), size, on);
    };
    for (auto const& more : {std::string{", longer"}, std::string{}, std::string(40'000, '.')}) {
      if (append("a/k", more, expected.size())) expected += more;  // append may do nothing and return false
      expect("a value that was appended to", value(s, "a/k"), expected);
    }
    for (auto const size : {std::uint64_t{0}, std::uint64_t{expected.size() - 1}, std::uint64_t{expected.size() + 1}})
      if (append("a/k", "x", size)) broken({"a value of ", expected.size(), " bytes was appended to as one of ", size});
    if (append("a/other", "x", 0)) broken({"a key that is not there was appended to"});
    expect("after appends that had to be refused", value(s, "a/k"), expected);
    expect("a key that is not there", value(s, "a/other"), "(missing)");
  }

  // Values adjacent, apart, overlapping, empty, in no order, and one that replaces an older value.
  void writes_many() {
    auto const s = store({{"a/3", "an older value, longer than the next"}});
    auto on = on_;
    std::string all;
    for (int i = 0; all.size() < 40'000; ++i) all += std::to_string(i) + ' ';
    Memory memory(all.size(), on);
    ByteView<space::Host> const bytes{reinterpret_cast<std::byte const*>(all.data()), all.size()};
    crossing<Space, space::Host>::copy(bytes, memory.span(), queue_between<Space, space::Host>(on));
    struct Part {
      std::size_t at, size;
    };
    std::vector<Part> parts{{0, 10}, {10, 20}, {30, 0}, {30, 7}, {37, 30'000}, {50, 5}, {20, 3}, {39'990, 0}};
    for (std::size_t i = 0; i < 40; ++i) parts.push_back({i * 101, 100 + i % 2});
    std::vector<Key> keys(parts.size());
    std::vector<WriteRequest<Space>> requests;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      keys[i].path = to_text({i % 2 ? "a/" : "b/", i});
      requests.push_back({&keys[i], memory.view().sub(parts[i].at, parts[i].size)});
    }
    tessera::write_many(s, std::span<WriteRequest<Space> const>{requests}, on);
    for (std::size_t i = 0; i < parts.size(); ++i)
      expect(keys[i].path, value(s, keys[i].path), std::string_view{all}.substr(parts[i].at, parts[i].size));
    if (can_.list) expect("keys", listed(s, "").size(), parts.size());
    Key const key{"k"}, wrong{"../k"};
    WriteRequest<Space> const refused[] = {{&wrong, memory.view()}, {&key, memory.view()}};
    expect_refused("\"../k\", among others", "../k", [&] { tessera::write_many(s, std::span{refused}, on); });
    tessera::write_many(s, std::span<WriteRequest<Space> const>{}, on);
  }

  void overwrites_and_erases() {
    auto const s = store({{"a/k", "a long first value"}});
    put(s, "a/k", "short");
    expect("a shorter value", value(s, "a/k"), "short");
    put(s, "a/k", "a longer second value");
    expect("a longer value", value(s, "a/k"), "a longer second value");
    if (erase(s, "a")) broken({"a prefix was erased as if it were a key"});
    if (erase(s, "a/k/x")) broken({"what is below a key was erased"});
    expect("after erasing others", value(s, "a/k"), "a longer second value");
    if (!erase(s, "a/k")) broken({"a key existed, but erase returned false"});
    if (erase(s, "a/k")) broken({"a key was erased twice"});
    expect("an erased key", value(s, "a/k"), "(missing)");
    put(s, "a/k", "again");
    expect("a key written again", value(s, "a/k"), "again");
  }

  void refuses_keys_that_are_none() {
    auto const s = store({});
    for (auto const& key : {std::string{}, std::string{"/"}, std::string{"/etc/passwd"}, std::string{"a/"},
                            std::string{"a//b"}, std::string{"."}, std::string{".."}, std::string{"../a"},
                            std::string{"a/../../b"}, std::string{"a/./b"}, std::string{"a\0b", 3}}) {
      expect_refused(to_text({"reading \"", key, "\""}), "", [&] { value(s, key); });
      expect_refused(to_text({"writing \"", key, "\""}), "", [&] { put(s, key, "x"); });
      expect_refused(to_text({"erasing \"", key, "\""}), "", [&] { erase(s, key); });
      if (can_.list) {
        if (key.empty()) continue;  // the root is a prefix
        expect_refused(to_text({"listing \"", key, "\""}), "", [&] { listed(s, key); });
        expect_refused(to_text({"listing the directory \"", key, "\""}), "", [&] { listed(s, key, true); });
      }
    }
    if (can_.list) expect("the listing", listed(s, ""), {});
  }

  void shows_the_old_value_or_the_new() {
    std::string const values[] = {std::string(40'000, 'a'), std::string(70'000, 'b'), std::string(1, 'c')};
    auto const s = store({{"k", values[0]}});
    std::atomic<int> torn{0}, failed{0};
    std::vector<std::thread> threads;
    auto const in_thread = [&](auto f) {
      threads.emplace_back([&failed, f] {
        try {
          f();
        } catch (...) {
          ++failed;
        }
      });
    };
    for (std::size_t w = 0; w < 2; ++w)
      in_thread([&, w] {
        for (std::size_t i = 0; i < 60; ++i) put(s, "k", values[(i + w) % 3]);
      });
    for (int r = 0; r < 2; ++r)
      in_thread([&] {
        for (int i = 0; i < 120; ++i) torn += std::ranges::count(values, value(s, "k")) == 0;
      });
    for (auto& thread : threads) thread.join();
    expect("values that were never written", static_cast<std::uint64_t>(torn), 0);
    expect("threads that failed", static_cast<std::uint64_t>(failed), 0);
    if (can_.list) expect("keys afterwards", listed(s, "").size(), 1);
  }

  void keeps_updates_apart() {
    auto const s = store({{"a/k", "0"}});
    std::atomic<int> failed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, copy = s] {
        try {
          for (int i = 0; i < 25; ++i) {
            auto const held = copy.lock(Key{"a/k"});
            auto const sum = std::stoi(value(copy, "a/k"));
            if (i % 5 == 0) std::this_thread::yield();  // lets other threads interleave; dear where programs run beside
            put(copy, "a/k", std::to_string(sum + 1));
          }
        } catch (...) {
          ++failed;
        }
      });
    for (auto& thread : threads) thread.join();
    expect("the sum of 100 ones", value(s, "a/k"), "100");
    expect("threads that failed", static_cast<std::uint64_t>(failed), 0);
  }

  // write_many must wait for the lock that an update holds.
  void keeps_updates_apart_from_many_writes() {
    using Clock = std::chrono::steady_clock;
    auto const s = store({});
    auto const write = [&](char const* three) {
      auto on = on_;
      Memory memory(3, on);
      ByteView<space::Host> const bytes{reinterpret_cast<std::byte const*>(three), 3};
      crossing<Space, space::Host>::copy(bytes, memory.span(), queue_between<Space, space::Host>(on));
      Key const key{"a/k"};
      WriteRequest<Space> const request{&key, memory.view()};
      s.write_many(std::span{&request, 1}, on);
    };
    auto const before = Clock::now();
    write("old");
    auto const unhindered = Clock::now() - before;
    std::atomic<bool> begun{false};
    std::atomic<int> failed{0};
    std::optional held{s.lock(Key{"a/k"})};
    std::thread writer{[&] {
      begun = true;
      try {
        write("new");
      } catch (...) {
        ++failed;
      }
    }};
    while (!begun) std::this_thread::yield();
    // A writer that can interleave has the time of 50 reads, and of four writes, to do so. Yields would take longer: where
    // other programs run, each may give them a time slice.
    auto const until = Clock::now() + 4 * unhindered;
    std::string seen = value(s, "a/k");
    for (int i = 0; seen == "old" && (i < 50 || Clock::now() < until); ++i) seen = value(s, "a/k");
    put(s, "a/k", "updated");
    held.reset();
    writer.join();
    expect("while it was locked", seen, "old");
    expect("in the end", value(s, "a/k"), "new");
    expect("threads that failed", static_cast<std::uint64_t>(failed), 0);
  }
};

}  // namespace testing::detail
}}  // namespace tessera::v0
