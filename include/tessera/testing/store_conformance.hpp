// What every store does, whatever it is: the suite that tessera's own stores pass, for stores of a user's own. It needs
// no test framework: what is broken comes back as text.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/core/text.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/store/write_many.hpp>

namespace tessera::inline v0 {
namespace testing {

using StoreValues = std::map<std::string, std::string>;

namespace detail {

template <class S>
class StoreConformance {
  using Space = space_of<S>;
  using Queue = queue_of<S>;
  using Memory = buffer_in_t<Space>;
  using Names = std::vector<std::string>;

 public:
  /// `filled`: what is made holds the values already.
  StoreConformance(FunctionRef<S(StoreValues const&)> make, bool filled, Queue const& on)
      : make_{make}, filled_{filled}, on_{on} {}

  Names run() {
    rule("reads what was written", [&] { reads_what_was_written(); });
    rule("reads ranges", [&] { reads_ranges(); });
    rule("holds empty values", [&] { holds_empty_values(); });
    rule("knows sizes", [&] { knows_sizes(); });
    rule("asks for room once, with the right size", [&] { asks_for_room_once(); });
    rule("lets the room refuse", [&] { lets_the_room_refuse(); });
    rule("reads many", [&] { reads_many(); });
    if constexpr (LendingStore<S>) {
      rule("lends what it reads", [&] { lends_what_it_reads(); });
      if constexpr (WritableStore<S>) rule("keeps what it lent", [&] { keeps_what_it_lent(); });
    }
    rule("copies see the same keys", [&] { copies_see_the_same_keys(); });
    if constexpr (WritableStore<S>) {
      rule("overwrites and erases", [&] { overwrites_and_erases(); });
      rule("writes many", [&] { writes_many(); });
      rule("refuses keys that are none", [&] { refuses_keys_that_are_none(); });
      rule("shows the old value or the new, never half", [&] { shows_the_old_value_or_the_new(); });
      if constexpr (requires(S const& store, Key const& key) { store.lock(key); })
        rule("keeps updates apart", [&] { keeps_updates_apart(); });
      if constexpr (tessera::detail::HasWriteMany<S>)
        rule("keeps updates apart from many writes", [&] { keeps_updates_apart_from_many_writes(); });
    }
    if constexpr (ListableStore<S>) {
      rule("lists", [&] { lists(); });
      rule("may be used while it is listed", [&] { may_be_used_while_it_is_listed(); });
    }
    return std::move(broken_);
  }

 private:
  // The tools

  template <class F>
  void rule(std::string_view name, F&& f) {
    rule_ = name;
    try {
      f();
    } catch (std::exception const& error) {
      broken({"threw: ", error.what()});
    } catch (...) {
      broken({"threw what is no std::exception"});
    }
  }
  void broken(std::initializer_list<Part> what) { broken_.push_back(text({rule_, ": ", text(what)})); }
  void expect(std::string_view what, std::string_view found, std::string_view expected) {
    if (found != expected) broken({what, ": expected ", cut(expected), ", found ", cut(found)});
  }
  void expect(std::string_view what, std::optional<std::uint64_t> found, std::optional<std::uint64_t> expected) {
    auto const shown = [](auto const& n) { return n ? std::to_string(*n) : std::string{"(missing)"}; };
    expect(what, shown(found), shown(expected));
  }
  void expect(std::string_view what, Names const& found, Names const& expected) {
    auto const shown = [](Names const& names) {
      std::string all;
      for (auto const& name : names) all += name + ' ';
      return all;
    };
    expect(what, shown(found), shown(expected));
  }
  static std::string cut(std::string_view shown) {
    return shown.size() <= 200 ? std::string{shown}
                               : text({shown.substr(0, 40), "... (", shown.size(), " characters)"});
  }
  template <class F>
  void expect_refused(std::string_view what, std::string_view word, F&& f) {
    try {
      f();
    } catch (StoreError const& error) {
      if (std::string_view{error.what()}.find(word) == std::string_view::npos)
        broken({what, ": the error does not name \"", word, "\": ", error.what()});
      return;
    }
    broken({what, ": expected a StoreError"});
  }

  S store(StoreValues const& values) {
    S made = make_(values);
    if constexpr (WritableStore<S>)
      for (auto const& [key, value] : values)
        if (!filled_) put(made, key, value);
    return made;
  }
  void put(S const& store, std::string const& key, std::string_view value) {
    auto on = on_;
    Memory memory(value.size(), on);
    ByteView<space::Host> const bytes{reinterpret_cast<std::byte const*>(value.data()), value.size()};
    crossing<Space, space::Host>::copy(bytes, memory.span(), queue_between<Space, space::Host>(on));
    store.write(Key{key}, memory.view(), on);
  }
  bool erase(S const& store, std::string const& key) {
    auto on = on_;
    return store.erase(Key{key}, on);
  }
  static std::string words(ByteView<Space> bytes, Queue& on) {
    std::string result(bytes.size, '\0');
    ByteSpan<space::Host> const to{reinterpret_cast<std::byte*>(result.data()), result.size()};
    crossing<space::Host, Space>::copy(bytes, to, queue_between<space::Host, Space>(on));
    arrive<space::Host, Space>(queue_between<space::Host, Space>(on));
    return result;
  }
  std::string value(S const& store, std::string const& key, ByteRange range = {}) {
    auto on = on_;
    Memory memory;
    auto room = [&](std::size_t n) {
      memory = Memory(n, on);
      return memory.span();
    };
    if (!tessera::detail::read(store, Key{key}, range, room, on)) return "(missing)";
    return words(memory.view(), on);
  }
  static Names listed(S const& store, std::string_view prefix, bool directory = false) {
    Names names;
    auto const add = [&](Listed const& entry) {
      names.push_back(entry.is_prefix ? text({entry.path, "/"}) : text({entry.path, ":", entry.size}));
    };
    directory ? store.list_directory(prefix, add) : store.list(prefix, add);
    std::ranges::sort(names);
    return names;
  }

  // The rules

  void reads_what_was_written() {
    auto const s = store({{"a/b/c", "0123456789"}, {"d", "x"}, {"e.f/g h", "a name with a dot, one with a space"}});
    expect("a/b/c", value(s, "a/b/c"), "0123456789");
    expect("d", value(s, "d"), "x");
    expect("e.f/g h", value(s, "e.f/g h"), "a name with a dot, one with a space");
    for (auto const* key : {"a", "a/b", "a/b/cd", "d/e", "A/b/c", "zarr.json"}) expect(key, value(s, key), "(missing)");
    expect("a store without keys", value(store({}), "a/b/c"), "(missing)");
  }

  void reads_ranges() {
    std::string const key = "ten/bytes";
    auto const s = store({{key, "0123456789"}});
    expect("3 from 2", value(s, key, {2, 3}), "234");
    expect("from 7", value(s, key, {7}), "789");
    expect("99 from 8", value(s, key, {8, 99}), "89");
    expect("5 from 10", value(s, key, {10, 5}), "");
    expect("none", value(s, key, {0, 0}), "");
    expect("the last 4", value(s, key, ByteRange::suffix(4)), "6789");
    expect("the last 99", value(s, key, ByteRange::suffix(99)), "0123456789");
    expect("the last 0", value(s, key, ByteRange::suffix(0)), "");
    expect("of no key", value(s, "missing", {2, 3}), "(missing)");
    expect("the last of no key", value(s, "missing", ByteRange::suffix(3)), "(missing)");
    expect_refused("1 from 11 of 10", key, [&] { value(s, key, {11, 1}); });
    expect_refused("1 from 2^64 - 2", key, [&] { value(s, key, {~std::uint64_t{1}, 1}); });
  }

  void holds_empty_values() {
    auto const s = store({{"k", ""}});
    expect("all of it", value(s, "k"), "");
    expect("the last 3", value(s, "k", ByteRange::suffix(3)), "");
    if constexpr (ListableStore<S>) expect("the listing", listed(s, ""), {"k:0"});
  }

  void knows_sizes() {
    auto const s = store({{"a/k", "0123456789"}, {"empty", ""}});
    auto on = on_;
    expect("a/k", tessera::size(s, Key{"a/k"}, on), 10);
    expect("empty", tessera::size(s, Key{"empty"}, on), 0);
    for (auto const* key : {"a", "missing", "a/k/x"}) expect(key, tessera::size(s, Key{key}, on), std::nullopt);
  }

  void asks_for_room_once() {
    auto const s = store({{"k", "0123456789"}});
    auto on = on_;
    Memory memory(10, on);
    std::string asked;
    auto room = [&](std::size_t n) {
      asked += std::to_string(n) + ' ';
      return memory.span().sub(0, std::min<std::size_t>(n, 10));
    };
    expect("all of it", s.read(Key{"k"}, {}, room, on), 10);
    expect("4 from 3", s.read(Key{"k"}, {3, 4}, room, on), 4);
    expect("the last 2", s.read(Key{"k"}, ByteRange::suffix(2), room, on), 2);
    expect("no key", s.read(Key{"missing"}, {}, room, on), std::nullopt);
    expect_refused("1 from 99", "", [&] { s.read(Key{"k"}, {99, 1}, room, on); });
    expect("the sizes asked for", asked, "10 4 2 ");
  }

  void lets_the_room_refuse() {
    auto const s = store({{"k", "0123456789"}});
    auto on = on_;
    auto full = [](std::size_t) -> ByteSpan<Space> { throw std::length_error{"no room"}; };
    try {
      s.read(Key{"k"}, {}, full, on);
      broken({"the room's exception is lost"});
    } catch (std::length_error const&) {
    }
    auto error = [](std::size_t) -> ByteSpan<Space> { throw CodecError{"no room"}; };
    try {
      s.read(Key{"k"}, {}, error, on);
      broken({"the room's exception is lost"});
    } catch (CodecError const&) {
    }
    expect("afterwards", value(s, "k"), "0123456789");
  }

  // Ranges side by side, apart, over each other, empty, from the end; keys in turn; more than a system call takes.
  void reads_many() {
    std::string large;
    for (int i = 0; large.size() < 40'000; ++i) large += std::to_string(i) + ' ';
    auto const s = store({{"five/bytes", "first"}, {"large", large}});
    struct Wanted {
      Key key;
      ByteRange range;
    };
    std::vector<Wanted> wanted{{{"large"}, {100, 50}}, {{"five/bytes"}, {}},
                               {{"large"}, {150, 70}}, {{"missing"}, {1, 2}},
                               {{"large"}, {90, 20}},  {{"five/bytes"}, {4, 0}},
                               {{"large"}, {230, 9}},  {{"five/bytes"}, ByteRange::suffix(2)},
                               {{"large"}, {39'000}},  {{"large"}, {120, 5}},
                               {{"large"}, {100, 50}}, {{"large"}, ByteRange::suffix(1)},
                               {{"large"}, {}}};
    for (std::uint64_t i = 0; i < 300; ++i) wanted.push_back({{"large"}, {i * 100, i % 7 * 16}});
    auto on = on_;
    struct Place {
      Memory memory;
      int asked = 0;
      Queue* on;
      ByteSpan<Space> operator()(std::size_t n) {
        memory = Memory(n, *on);
        ++asked;
        return memory.span();
      }
    };
    std::vector<Place> rooms(wanted.size());
    std::vector<ReadRequest<Space>> requests;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      rooms[i].on = &on;
      requests.push_back({&wanted[i].key, wanted[i].range, rooms[i], 77});  // an answer that is overwritten
    }
    tessera::get_many(s, std::span{requests}, on);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      auto const& [key, range] = wanted[i];
      auto const what = text({"request ", i, ", of ", key.path});
      if (key.path == "missing") {
        expect(what, requests[i].size, std::nullopt);
        expect("rooms asked for a missing key", std::to_string(rooms[i].asked), "0");
        continue;
      }
      std::string_view const whole = key.path == "five/bytes" ? std::string_view{"first"} : large;
      auto const [offset, size] = range.resolve(whole.size());
      expect(what, requests[i].size, size);
      expect(what, words(rooms[i].memory.view(), on), whole.substr(offset, size));
      expect("rooms asked", std::to_string(rooms[i].asked), "1");
    }
    Key const key{"five/bytes"};
    ReadRequest<Space> beyond[] = {{&key, {}, rooms[0]}, {&key, {6, 1}, rooms[1]}};
    expect_refused("1 from 6 of 5, among others", "five/bytes", [&] { tessera::get_many(s, std::span{beyond}, on); });
    tessera::get_many(s, std::span<ReadRequest<Space>>{}, on);
  }

  std::string lent(S const& store, std::string const& key, ByteRange range = {}) {
    auto on = on_;
    auto const found = tessera::lend(store, Key{key}, range, on);
    if (!found) return "(missing)";
    if (!found->owner) broken({"what is lent has no owner"});
    return words(found->bytes, on);
  }

  void lends_what_it_reads() {
    std::string const key = "ten/bytes";
    auto const s = store({{key, "0123456789"}, {"empty", ""}});
    expect("all of it", lent(s, key), "0123456789");
    expect("3 from 2", lent(s, key, {2, 3}), "234");
    expect("99 from 8", lent(s, key, {8, 99}), "89");
    expect("the last 4", lent(s, key, ByteRange::suffix(4)), "6789");
    expect("the last 0", lent(s, key, ByteRange::suffix(0)), "");
    expect("an empty value", lent(s, "empty"), "");
    for (auto const* missing : {"ten", "missing", "ten/bytes/x"}) expect(missing, lent(s, missing), "(missing)");
    expect_refused("1 from 11 of 10", key, [&] { lent(s, key, {11, 1}); });
    expect_refused("lending \"../k\"", "", [&] { lent(s, "../k"); });
  }

  void keeps_what_it_lent() {
    auto on = on_;
    auto s = std::optional<S>{store({{"k", "the first value"}})};
    auto const first = tessera::lend(*s, Key{"k"}, {}, on);
    put(*s, "k", "the second");
    auto const second = tessera::lend(*s, Key{"k"}, {}, on);
    erase(*s, "k");
    s.reset();
    if (!first || !second) return broken({"a value that was there is not lent"});
    expect("what was lent before another was written", words(first->bytes, on), "the first value");
    expect("what was lent before its key was erased", words(second->bytes, on), "the second");
  }

  // Values side by side, apart, over each other, in no order, empty, in place of an older one.
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
      keys[i].path = text({i % 2 ? "a/" : "b/", i});
      requests.push_back({&keys[i], memory.view().sub(parts[i].at, parts[i].size)});
    }
    tessera::write_many(s, std::span<WriteRequest<Space> const>{requests}, on);
    for (std::size_t i = 0; i < parts.size(); ++i)
      expect(keys[i].path, value(s, keys[i].path), std::string_view{all}.substr(parts[i].at, parts[i].size));
    if constexpr (ListableStore<S>) expect("keys", listed(s, "").size(), parts.size());
    Key const key{"k"}, wrong{"../k"};
    WriteRequest<Space> const refused[] = {{&wrong, memory.view()}, {&key, memory.view()}};
    expect_refused("\"../k\", among others", "../k", [&] { tessera::write_many(s, std::span{refused}, on); });
    tessera::write_many(s, std::span<WriteRequest<Space> const>{}, on);
  }

  void copies_see_the_same_keys() {
    auto const s = store({{"k", "value"}});
    auto const copy = s;
    expect("a copy", value(copy, "k"), "value");
    if constexpr (WritableStore<S>) {
      put(copy, "k", "from the copy");
      expect("what a copy wrote", value(s, "k"), "from the copy");
      erase(s, "k");
      expect("what was erased", value(copy, "k"), "(missing)");
    }
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
    if (!erase(s, "a/k")) broken({"a key was there, and erase says that it was not"});
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
      expect_refused(text({"reading \"", key, "\""}), "", [&] { value(s, key); });
      expect_refused(text({"writing \"", key, "\""}), "", [&] { put(s, key, "x"); });
      expect_refused(text({"erasing \"", key, "\""}), "", [&] { erase(s, key); });
      if constexpr (ListableStore<S>) {
        if (key.empty()) continue;  // the root is a prefix
        expect_refused(text({"listing \"", key, "\""}), "", [&] { listed(s, key); });
        expect_refused(text({"listing the directory \"", key, "\""}), "", [&] { listed(s, key, true); });
      }
    }
    if constexpr (ListableStore<S>) expect("the listing", listed(s, ""), {});
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
    expect("values that nobody wrote", static_cast<std::uint64_t>(torn), 0);
    expect("threads that failed", static_cast<std::uint64_t>(failed), 0);
    if constexpr (ListableStore<S>) expect("keys afterwards", listed(s, "").size(), 1);
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
            std::this_thread::yield();  // so that others come between, if they can
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

  // Many writes wait for the lock that an update holds.
  void keeps_updates_apart_from_many_writes() {
    auto const s = store({{"a/k", "old"}});
    std::atomic<bool> done{false};
    std::atomic<int> failed{0};
    auto held = s.lock(Key{"a/k"});
    std::thread writer{[&] {
      try {
        auto on = on_;
        Memory memory(3, on);
        ByteView<space::Host> const bytes{reinterpret_cast<std::byte const*>("new"), 3};
        crossing<Space, space::Host>::copy(bytes, memory.span(), queue_between<Space, space::Host>(on));
        Key const key{"a/k"};
        WriteRequest<Space> const request{&key, memory.view()};
        s.write_many(std::span{&request, 1}, on);
      } catch (...) {
        ++failed;
      }
      done = true;
    }};
    for (int i = 0; i < 5000 && !done; ++i) std::this_thread::yield();  // so that it comes between, if it can
    auto const seen = value(s, "a/k");
    put(s, "a/k", "updated");
    held.unlock();
    writer.join();
    expect("while it was locked", seen, "old");
    expect("in the end", value(s, "a/k"), "new");
    expect("threads that failed", static_cast<std::uint64_t>(failed), 0);
  }

  void lists() {
    auto const nothing = store({});
    expect("nothing", listed(nothing, ""), {});
    expect("nothing in the root", listed(nothing, "", true), {});
    auto const s =
        store({{"a/x", "1"}, {"a/c/0/0", "22"}, {"a/c/0/1", "22"}, {"ab/x", "333"}, {"a.b", "4"}, {"a0", "5"}});
    expect("all", listed(s, ""), {"a.b:1", "a/c/0/0:2", "a/c/0/1:2", "a/x:1", "a0:1", "ab/x:3"});
    expect("the root", listed(s, "", true), {"a.b:1", "a/", "a0:1", "ab/"});
    expect("below a", listed(s, "a"), {"a/c/0/0:2", "a/c/0/1:2", "a/x:1"});  // and not what "a" is the beginning of
    expect("in a", listed(s, "a", true), {"a/c/", "a/x:1"});
    expect("in a/c", listed(s, "a/c", true), {"a/c/0/"});
    expect("below a key", listed(s, "a/x"), {});
    expect("in a key", listed(s, "a/x", true), {});
    expect("below what is unknown", listed(s, "unknown"), {});
    expect("in what is unknown", listed(s, "a/unknown", true), {});
  }

  void may_be_used_while_it_is_listed() {
    auto const s = store({{"a/x", "1"}, {"a/y", "2"}});
    std::string seen;
    s.list("a", [&](Listed const& entry) {
      seen += value(s, std::string{entry.path});
      if constexpr (WritableStore<S>) put(s, "b/" + seen, "3");
    });
    std::ranges::sort(seen);
    expect("values read meanwhile", seen, "12");
    if constexpr (WritableStore<S>) expect("keys written meanwhile", listed(s, "b").size(), 2);
  }

  FunctionRef<S(StoreValues const&)> make_;
  bool filled_;
  Queue on_;
  std::string rule_;
  Names broken_;
};

}  // namespace detail

/// Runs every rule that the store's type has a part in, and returns those that it breaks, a line each: none, if it is a
/// store. `make()` gives a new, empty store that can be written; `make(StoreValues const&)`, for stores that cannot,
/// one that holds these values. Uses a few threads and less than a MiB in each store. What `make` throws breaks the
/// rule that asked for a store.
template <std::invocable<StoreValues const&> Make,
          class S = std::remove_cvref_t<std::invoke_result_t<Make&, StoreValues const&>>>
std::vector<std::string> store_conformance(Make&& make, queue_of<S> const& on = queue_of<S>{}) {
  return detail::StoreConformance<S>{make, true, on}.run();
}
template <std::invocable Make, class S = std::remove_cvref_t<std::invoke_result_t<Make&>>>
std::vector<std::string> store_conformance(Make&& make, queue_of<S> const& on = queue_of<S>{}) {
  static_assert(WritableStore<S>,
                "tessera: make() gives stores that can be written; for others, make(StoreValues const&)");
  auto const make_empty = [&](StoreValues const&) -> S { return make(); };
  return detail::StoreConformance<S>{make_empty, false, on}.run();
}

}  // namespace testing
}  // namespace tessera::inline v0
