// Two programs change one hierarchy, and the second runs between any two calls of the first: no completed change is
// lost, no wrong copy stays, and no wait lasts for ever.
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/turns.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/node/convert_node.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

namespace two_writers_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;
using Numbers = std::vector<std::int32_t>;
using test::LocksOf, test::StoreOfTurns, test::RenamingStoreOfTurns;

template <class S>
using Operation = std::function<void(S const&)>;

// The final state of the store, and whether each of the two returned without an error.
struct Outcome {
  Memory const& left;
  bool first, second;
};

// The two, with the second between any calls of the first, and both as the first one.
template <class S>
void in_all_orders(Operation<Memory> const& make, Operation<S> const& one, Operation<S> const& other,
                   std::function<void(Outcome const&)> const& check) {
  auto const succeeds = [](Operation<S> const& operation, S const& store) {
    try {
      operation(store);
      return true;
    } catch (Error const&) {
    } catch (std::exception const& error) {
      FAIL_CHECK(error.what());
    }
    return false;
  };
  for (auto const of : {LocksOf::memory, LocksOf::files})
    for (bool const is_swapped : {false, true}) {
      bool is_run = true;
      for (std::size_t call = 0; is_run; ++call) {
        CAPTURE(static_cast<int>(of));
        CAPTURE(is_swapped);
        CAPTURE(call);
        S const store{of};
        make(store.turns->inner);
        bool first = false, second = false;
        is_run = store.turns->run(
            call, [&] { first = succeeds(is_swapped ? other : one, store); },
            [&] { second = succeeds(is_swapped ? one : other, store); });
        CHECK(store.turns->is_idle());
        if (!is_run) {
          CHECK(call > 2);
          second = succeeds(is_swapped ? one : other, store);
        }
        check(is_swapped ? Outcome{store.turns->inner, second, first} : Outcome{store.turns->inner, first, second});
      }
    }
}

template <class S>
auto numbers(S const& store, std::string const& path = "g/a") {
  return open_array<std::int32_t, 1>(store, path, Queue<space::Host>{});
}
Numbers values(Memory const& store, std::string const& path = "g/a") {
  auto const array = numbers(store, path);
  Numbers found(array.size());
  array.read(all, found);
  return found;
}
bool has(Memory const& store, std::string const& key) {
  Queue<space::Host> on;
  return value_size(store, {key}, on).has_value();
}

// A group with an array of 3 elements in chunks of 2.
Operation<Memory> made(ZarrFormat format) {
  return [=](Memory const& store) {
    create_group(store, "", {}, {.format = format});
    create_group(store, "g", {}, {.format = format});
    create_array<std::int32_t, 1>(
        store, "g/a", {.shape = {3}, .chunks = {2}, .fill = -1, .key_encoding = {true, '.'}, .format = format})
        .write(all, Numbers{1, 2, 3});
    test::erase(store, "g/a/.zattrs");  // as other programs omit it
  };
}

template <class S>
void append(S const& store) {
  numbers(store).append(Numbers{4, 5});
}
template <class S>
Operation<S> merge(std::string const& path) {
  return [=](S const& store) { merge_attributes(store, path, {{"unit", "mm"}}); };
}

std::string problems(Memory const& store) {
  std::string text;
  for (auto const* path : {"", "g"})
    if (detail::node_key(store, path))
      for (auto const& [where, problem] : stale_copies(store, path)) text += where + ": " + problem + '\n';
  return text;
}

// All documents are of that format.
void check_format(Memory const& store, ZarrFormat format) {
  store.list("", [&](Listed const& entry) {
    std::string const key{entry.path};
    CAPTURE(key);
    if (detail::is_document(key)) CHECK(key.ends_with("zarr.json") == (format == ZarrFormat::v3));
  });
  for (auto const* path : {"", "g", "g/a"})
    CHECK(has(store, document_key(path, format, path == std::string{"g/a"} ? NodeType::array : NodeType::group).path));
}

constexpr ZarrFormat formats[] = {ZarrFormat::v2, ZarrFormat::v3};

}  // namespace

TEST_CASE("convert_node loses nothing that is appended, resized or set as an attribute meanwhile") {
  using S = StoreOfTurns;
  for (auto const from : formats)
    for (std::string const root : {"", "g/a"}) {
      CAPTURE(static_cast<int>(from));
      CAPTURE(root);
      auto const to = from == ZarrFormat::v2 ? ZarrFormat::v3 : ZarrFormat::v2;
      Operation<S> const convert = [&](S const& store) { convert_node(store, root, to); };
      auto const check = [&](Operation<S> const& other, std::function<void(Memory const&)> const& done) {
        in_all_orders<S>(made(from), convert, other, [&](Outcome const& found) {
          CHECK(found.first);
          CHECK(found.second);
          CHECK(detail::node_key(found.left, root)->path.ends_with("zarr.json") == (to == ZarrFormat::v3));
          if (root.empty()) check_format(found.left, to);
          done(found.left);
        });
      };
      check(append<S>, [](Memory const& left) { CHECK(values(left) == Numbers{1, 2, 3, 4, 5}); });
      check([](S const& store) { numbers(store).resize({7}); },
            [](Memory const& left) { CHECK(values(left) == Numbers{1, 2, 3, -1, -1, -1, -1}); });
      for (std::string const path : {"g/a", "g", ""})
        if (path.starts_with(root))
          check(merge<S>(path), [&](Memory const& left) {
            CHECK(get_attributes(left, path) == Members{{"unit", "mm"}});
            CHECK(values(left) == Numbers{1, 2, 3});
          });
    }
}

TEST_CASE("who writes at the border of an array that was converted takes the shape of the document that there is") {
  for (auto const from : formats) {
    CAPTURE(static_cast<int>(from));
    Memory const store;
    made(from)(store);
    auto const old = numbers(store);
    convert_node(store, "", from == ZarrFormat::v2 ? ZarrFormat::v3 : ZarrFormat::v2);
    append(store);
    old.write({{0, 3}}, Numbers{7, 8, 9});
    CHECK(values(store) == Numbers{7, 8, 9, 4, 5});
  }
}

TEST_CASE("two conversions, to one format and to the other, leave one of the two") {
  using S = StoreOfTurns;
  for (auto const from : formats)
    in_all_orders<S>(
        made(from), [](S const& store) { convert_node(store, "", ZarrFormat::v2); },
        [](S const& store) { convert_node(store, "", ZarrFormat::v3); },
        [](Outcome const& found) {
          CHECK(found.first);
          CHECK(found.second);
          check_format(found.left, has(found.left, "zarr.json") ? ZarrFormat::v3 : ZarrFormat::v2);
          CHECK(values(found.left) == Numbers{1, 2, 3});
        });
}

TEST_CASE("consolidate leaves no copy that is not true, whatever changes meanwhile") {
  using S = RenamingStoreOfTurns;
  for (auto const format : formats) {
    CAPTURE(static_cast<int>(format));
    auto const other_format = format == ZarrFormat::v2 ? ZarrFormat::v3 : ZarrFormat::v2;
    struct Change {
      char const* name;
      Operation<S> act;
    };
    for (auto const& change : {
             Change{"append", append<S>},
             Change{"attributes of the array", merge<S>("g/a")},
             Change{"attributes of a group", merge<S>("g")},
             Change{"attributes of the group itself", merge<S>("")},
             Change{"create", [=](S const& store) { create_group(store, "h", {}, {.format = format}); }},
             Change{"erase", [](S const& store) { erase_node(store, "g"); }},
             Change{"move", [](S const& store) { move_node(store, "g/a", "b"); }},
             Change{"convert", [=](S const& store) { convert_node(store, "", other_format); }},
         }) {
      CAPTURE(change.name);
      in_all_orders<S>(made(format), [](S const& store) { consolidate(store); }, change.act, [&](Outcome const& found) {
        CHECK(found.first);
        CHECK(found.second);
        CHECK(problems(found.left) == "");
        CHECK((!has(found.left, ".zmetadata") || has(found.left, ".zgroup")));
      });
    }
  }
}

TEST_CASE("consolidate of a group that always changes gives up, and leaves no copies") {
  struct Changing : WrapperStore<Memory> {
    using WrapperStore::WrapperStore;
    std::shared_ptr<int> writes = std::make_shared<int>();
    void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const {
      source().write(key, value, on);
      auto group = parse_json(test::value(source(), "g/zarr.json"));
      group["attributes"]["n"] = Value::integer(++*writes);
      test::put(source(), "g/zarr.json", to_json(group));
    }
  };
  Memory const memory;
  made(ZarrFormat::v3)(memory);
  Changing const store{memory};
  CHECK_THROWS_WITH_AS(consolidate(store), doctest::Contains("1000 times"), StoreError);
  CHECK_FALSE(open_group(memory).metadata().has_consolidated);
}

TEST_CASE("what is appended to an array below a group that is erased does not bring it back") {
  using S = StoreOfTurns;
  for (auto const format : formats)
    for (auto const& change : {Operation<S>{append<S>}, merge<S>("g/a"), merge<S>("g")})
      in_all_orders<S>(made(format), [](S const& store) { erase_node(store, "g"); }, change,
                       [](Outcome const& found) {
                         CHECK(found.first);
                         CHECK(test::listed(found.left, "g").empty());
                       });
}

template <class S>
static void check_moved() {
  for (auto const format : formats) {
    CAPTURE(static_cast<int>(format));
    Operation<S> const move = [](S const& store) { move_node(store, "g", "moved/g"); };
    in_all_orders<S>(made(format), move, append<S>, [](Outcome const& found) {
      CHECK(found.first);
      CHECK(values(found.left, "moved/g/a") == (found.second ? Numbers{1, 2, 3, 4, 5} : Numbers{1, 2, 3}));
      CHECK_FALSE(detail::node_key(found.left, "g"));
      CHECK_FALSE(detail::node_key(found.left, "g/a"));
    });
    for (std::string const path : {"g", "g/a"})
      in_all_orders<S>(made(format), move, merge<S>(path), [&](Outcome const& found) {
        CHECK(found.first);
        CHECK(get_attributes(found.left, "moved/" + path).size() == (found.second ? 1 : 0));
        CHECK_FALSE(detail::node_key(found.left, path));
      });
  }
}

TEST_CASE("what is appended to an array that is moved with its group is in it, or the append says that it is not") {
  check_moved<StoreOfTurns>();
  check_moved<RenamingStoreOfTurns>();
}

TEST_CASE("a folder in memory is not renamed while an attribute in it changes") {
  struct Moving : WrapperStore<Memory> {
    using WrapperStore::WrapperStore;
    std::shared_ptr<std::thread> mover = std::make_shared<std::thread>();
    std::shared_ptr<std::atomic<bool>> is_done = std::make_shared<std::atomic<bool>>();
    void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const {
      if (!mover->joinable()) {
        *mover = std::thread{[memory = source(), done = is_done] { memory.rename("g", "h"), *done = true; }};
        for (int i = 0; i < 50 && !*is_done; ++i) std::this_thread::yield();
        CHECK_FALSE(*is_done);
      }
      source().write(key, value, on);
    }
  };
  Memory const memory;
  made(ZarrFormat::v3)(memory);
  Moving const store{memory};
  merge_attributes(store, "g", {{"unit", "mm"}});
  store.mover->join();
  CHECK(get_attributes(memory, "h") == Members{{"unit", "mm"}});
  CHECK_FALSE(detail::node_key(memory, "g"));
}

TEST_CASE("a node that is made below a group that is erased or moved has its groups above it") {
  using S = RenamingStoreOfTurns;
  for (auto const format : formats) {
    CAPTURE(static_cast<int>(format));
    Operation<S> const create = [=](S const& store) {
      create_array<std::int32_t, 1>(store, "g/h/b", {.shape = {1}, .chunks = {1}, .format = format}, {},
                                    Queue<space::Host>{})
          .write(all, Numbers{5});
    };
    auto const check = [](Outcome const& found) {
      CHECK(found.first);
      for (std::string const group : {"", "moved/"})
        if (detail::node_key(found.left, group + "g/h/b")) {
          CHECK(detail::node_key(found.left, group + "g/h"));
          CHECK(detail::node_key(found.left, group + "g"));
        }
    };
    in_all_orders<S>(made(format), [](S const& store) { erase_node(store, "g"); }, create, check);
    in_all_orders<S>(made(format), [](S const& store) { move_node(store, "g", "moved/g"); }, create, check);
  }
}

TEST_CASE("of two that make a node in different formats one does") {
  using S = StoreOfTurns;
  auto const create = [](ZarrFormat format) {
    return [=](S const& store) { create_group(store, "g/new", {}, {.format = format}); };
  };
  in_all_orders<S>(made(ZarrFormat::v3), create(ZarrFormat::v2), create(ZarrFormat::v3), [](Outcome const& found) {
    CHECK(found.first != found.second);
    CHECK(has(found.left, "g/new/.zgroup") == found.first);
    CHECK(has(found.left, "g/new/zarr.json") == found.second);
  });
}

}  // namespace two_writers_tests
