// StoreReading: the rules of reading, for every store.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/store/detail/lend.hpp>
#include <tessera/store/get.hpp>
#include <tessera/testing/detail/store_trial.hpp>

namespace tessera { inline namespace v0 {
namespace testing::detail {

template <MemorySpace Space>
class StoreReading : public StoreTrial<Space> {
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
  using Trial::words;
  using typename Trial::Memory;
  using typename Trial::Queue;
  using typename Trial::S;

 public:
  using Trial::Trial;

 private:
  void run() override {
    rule("reads what was written",
         "read compares whole keys, and returns std::nullopt for a key that was never written, also for a folder",
         [&] { reads_what_was_written(); });
    rule("reads ranges",
         "read copies the bytes that range.resolve(size of the value) returns; it throws if a range begins past the "
         "end",
         [&] { reads_ranges(); });
    rule("holds empty values", "a value of 0 bytes exists: read calls destination(0) and returns 0",
         [&] { holds_empty_values(); });
    rule("knows sizes",
         "size returns the number of bytes that read copies of the whole value, and std::nullopt where read does",
         [&] { knows_sizes(); });
    rule("asks for destination once, with the right size",
         "read calls destination(n) once, where n is the size of the range, fills the span that it returns and "
         "returns n; for a missing key it does not call it",
         [&] { asks_for_room_once(); });
    rule("lets the destination refuse", "read does not catch the exceptions of destination(n)",
         [&] { lets_the_room_refuse(); });
    rule("reads many",
         "get_many answers each request by its own key and range and sets its size; or leave get_many out",
         [&] { reads_many(); });
    if (can_.lend) {
      rule("lends what it reads", "lend returns the bytes that read would copy, and an owner that keeps them",
           [&] { lends_what_it_reads(); });
      if (can_.write)
        rule("keeps what it lent",
             "write replaces a lent value with a new one, and leaves the bytes of the old one to their owner",
             [&] { keeps_what_it_lent(); });
    }
    rule("copies see the same keys", "keep what copies of a store share behind a std::shared_ptr",
         [&] { copies_see_the_same_keys(); });
  }

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
    if (can_.list) expect("the listing", listed(s, ""), {"k:0"});
  }

  void knows_sizes() {
    auto const s = store({{"a/k", "0123456789"}, {"empty", ""}});
    auto on = on_;
    expect("a/k", tessera::value_size(s, Key{"a/k"}, on), 10);
    expect("empty", tessera::value_size(s, Key{"empty"}, on), 0);
    for (auto const* key : {"a", "missing", "a/k/x"}) expect(key, tessera::value_size(s, Key{key}, on), std::nullopt);
  }

  void asks_for_room_once() {
    auto const s = store({{"k", "0123456789"}});
    auto on = on_;
    Memory memory(10, on);
    std::string asked;
    auto destination = [&](std::size_t n) {
      asked += std::to_string(n) + ' ';
      return memory.span().sub(0, std::min<std::size_t>(n, 10));
    };
    expect("all of it", s.read(Key{"k"}, {}, destination, on), 10);
    expect("4 from 3", s.read(Key{"k"}, {3, 4}, destination, on), 4);
    expect("the last 2", s.read(Key{"k"}, ByteRange::suffix(2), destination, on), 2);
    expect("no key", s.read(Key{"missing"}, {}, destination, on), std::nullopt);
    expect_refused("1 from 99", "", [&] { s.read(Key{"k"}, {99, 1}, destination, on); });
    expect("the sizes asked for", asked, "10 4 2 ");
  }

  void lets_the_room_refuse() {
    auto const s = store({{"k", "0123456789"}});
    auto on = on_;
    auto full = [](std::size_t) -> ByteSpan<Space> { throw std::length_error{"no room"}; };
    try {
      s.read(Key{"k"}, {}, full, on);
      broken({"the destination's exception is lost"});
    } catch (std::length_error const&) {
    }
    auto error = [](std::size_t) -> ByteSpan<Space> { throw CodecError{"no room"}; };
    try {
      s.read(Key{"k"}, {}, error, on);
      broken({"the destination's exception is lost"});
    } catch (CodecError const&) {
    }
    expect("afterwards", value(s, "k"), "0123456789");
  }

  // Ranges adjacent, apart, overlapping, empty and from the end; alternating keys; more than one system call accepts.
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
    std::vector<Place> destinations(wanted.size());
    std::vector<ReadRequest<Space>> requests;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      destinations[i].on = &on;
      requests.push_back({&wanted[i].key, wanted[i].range, destinations[i], 77});  // 77: must be overwritten
    }
    tessera::get_many(s, std::span{requests}, on);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      auto const& [key, range] = wanted[i];
      auto const what = to_text({"request ", i, ", of ", key.path});
      if (key.path == "missing") {
        expect(what, requests[i].size, std::nullopt);
        expect("destinations asked for a missing key", std::to_string(destinations[i].asked), "0");
        continue;
      }
      std::string_view const whole = key.path == "five/bytes" ? std::string_view{"first"} : large;
      auto const [offset, size] = range.resolve(whole.size());
      expect(what, requests[i].size, size);
      expect(what, words(destinations[i].memory.view(), on), whole.substr(offset, size));
      expect("destinations asked", std::to_string(destinations[i].asked), "1");
    }
    Key const key{"five/bytes"};
    ReadRequest<Space> beyond[] = {{&key, {}, destinations[0]}, {&key, {6, 1}, destinations[1]}};
    expect_refused("1 from 6 of 5, among others", "five/bytes", [&] { tessera::get_many(s, std::span{beyond}, on); });
    tessera::get_many(s, std::span<ReadRequest<Space>>{}, on);
  }

  std::string lent(S const& s, std::string const& key, ByteRange range = {}) {
    auto on = on_;
    auto const found = tessera::lend(s, Key{key}, range, on);
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
    auto on = on_;
    Key const there{key}, missing{"missing"};
    std::vector<LendRequest<Space>> several{{&there, {}}, {&missing, {}}, {&there, {2, 3}}, {&there, {}}};
    lend_many(s, std::span{several}, on);
    std::string together;
    for (auto const& one : several) together += (one.lent ? words(one.lent->bytes, on) : "(missing)") + ' ';
    expect("several at once", together, "0123456789 (missing) 234 0123456789 ");
    expect_refused("1 from 11 of 10", key, [&] { lent(s, key, {11, 1}); });
    expect_refused("lending \"../k\"", "", [&] { lent(s, "../k"); });
  }

  void keeps_what_it_lent() {
    auto on = on_;
    auto s = std::optional<S>{store({{"k", "value 1"}})};
    auto const first = tessera::lend(*s, Key{"k"}, {}, on);
    put(*s, "k", "value 2");
    auto const second = tessera::lend(*s, Key{"k"}, {}, on);
    put(*s, "k", "value 3");  // of the same length: it would reuse the lent memory if that were free
    put(*s, "k", "value 4");
    erase(*s, "k");
    s.reset();
    if (!first || !second) return broken({"a value that was there is not lent"});
    expect("what was lent before another was written", words(first->bytes, on), "value 1");
    expect("what was lent before another was written, and its key erased", words(second->bytes, on), "value 2");
  }

  void copies_see_the_same_keys() {
    auto const s = store({{"k", "value"}});
    auto const copy = s;
    expect("a copy", value(copy, "k"), "value");
    if (can_.write) {
      put(copy, "k", "from the copy");
      expect("what a copy wrote", value(s, "k"), "from the copy");
      erase(s, "k");
      expect("what was erased", value(copy, "k"), "(missing)");
    }
  }
};

}  // namespace testing::detail
}}  // namespace tessera::v0
