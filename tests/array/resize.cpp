// Arrays grow and shrink: every element is the old one, the appended one, or the fill value; wherever the operation is
// interrupted.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/failing_calls.hpp>
#include <support/random.hpp>
#include <support/reference.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/group.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused, test::FailingCalls;

namespace {

using Memory = MemoryStore<HostBuffer>;
using Item = std::uint16_t;
using P = Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>;
constexpr Item fill = 7;

/// The array as it should be: slow and obvious.
struct Model {
  Extents shape;
  std::vector<Item> elements;

  static Model filled(Extents const& shape) { return {shape, std::vector<Item>(test::size_of(shape), fill)}; }
  Item& at(Extents const& index) { return elements[test::c_index(shape, index)]; }
  Model resized(Extents const& to) const {
    auto result = filled(to);
    test::for_each_index(to, [&](Extents const& index) {
      for (std::size_t d = 0; d < to.rank(); ++d)
        if (index[d] >= shape[d]) return;
      result.at(index) = elements[test::c_index(shape, index)];
    });
    return result;
  }
  Model appended(std::size_t axis, Extents const& block, std::vector<Item> const& more) const {
    auto to = shape;
    to[axis] += block[axis];
    auto result = resized(to);
    test::for_each_index(block, [&](Extents index) {
      auto const value = more[test::c_index(block, index)];
      index[axis] += shape[axis];
      result.at(index) = value;
    });
    return result;
  }
  friend bool operator==(Model const&, Model const&) = default;
};

template <class A>
Model content(A const& array) {
  Model result{array.shape(), std::vector<Item>(array.size())};
  array.read(all, result.elements);
  return result;
}
template <class S>
Model stored(S const& store, std::string const& path = "a") {
  return content(open_array<Item, 2, AllCodecs>(store, path));
}

std::vector<Item> noise(test::Random& random, std::size_t n) {
  std::vector<Item> result(n);
  for (auto& element : result) element = static_cast<Item>(random(fill, 40));  // the fill value is among them
  return result;
}

template <class S>
auto make(S const& store, Extents const& shape, Extents const& chunk_shape, std::size_t threads = 1,
          std::string const& path = "a", ChunkKeyEncoding encoding = {}) {
  return create_array<Item, 2>(store, path,
                               {.shape = shape, .chunks = chunk_shape, .fill = fill, .key_encoding = encoding},
                               P{codec::Transpose{{1, 0}}, codec::Bytes{}, codec::Zstd{}}, test::HostQueue{threads});
}

}  // namespace

TEST_CASE("arrays grow, shrink and are appended to, in every dimension: as a model in memory does") {
  test::TemporaryFolder const folder;
  auto const run = [&](auto const& store, std::uint64_t seed) {
    CAPTURE(seed);
    test::Random random{seed};
    Extents shape{random(0, 9), random(0, 9)};
    ChunkKeyEncoding const encoding{random.one_in(2), random.one_in(2) ? '/' : '.'};
    auto const path = "a" + std::to_string(seed);
    auto const array = make(store, shape, {random(1, 4), random(1, 4)}, random(1, 3), path, encoding);
    auto const copy = array;
    auto model = Model::filled(shape);
    for (int step = 0; step < 25; ++step) {
      CAPTURE(step);
      if (random.one_in(3)) {
        model.elements = noise(random, model.elements.size());
        array.write(all, model.elements);
      } else if (random.one_in(2)) {
        shape = {random(0, 9), random(0, 9)};
        model = model.resized(shape);
        array.resize(shape);
      } else {
        auto const axis = static_cast<std::size_t>(random(0, 1));
        auto block = shape;
        block[axis] = random(0, 5);
        auto const more = noise(random, test::size_of(block));
        if (test::size_of(block) == 0 || random.one_in(2))
          array.append(ArrayView<Item const, 2>::c_order(more.data(), block), axis);
        else
          array.append(more, axis);
        model = model.appended(axis, block, more);
        shape = model.shape;
      }
      CHECK(copy.shape() == shape);
      CHECK(content(copy) == model);
      CHECK(stored(store, path) == model);
    }
  };
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    run(Memory{}, seed);
    run(FailingCalls{}, seed);
  }
  for (std::uint64_t seed = 60; seed < 70; ++seed) run(LocalStore<HostBuffer>{folder.path()}, seed);
  run(AnyStore<HostBuffer>{FailingCalls{}}, 70);
  run(SplitStore{Memory{}, Memory{}}, 71);
}

TEST_CASE("what is cut off is erased, with and without a listing, of few chunks and of many") {
  auto const check_keys = [](auto const& store, Memory const& keys) {
    auto const array = make(store, {60, 40}, {1, 2});  // 1200 chunks: more than are tried without a listing
    test::Random random{3};
    auto const elements = noise(random, 2400);
    array.fill(all, 9);
    test::put(keys, "a/c/5/x", "no chunk's");
    array.resize({60, 39});
    array.resize({2, 3});
    CHECK(test::listed(keys, "a/c").size() == 5);
    test::erase(keys, "a/c/5/x");
    for (auto* key : {"a/c/0/0", "a/c/0/1", "a/c/1/0", "a/c/1/1"}) CHECK(test::value(keys, key) != "(missing)");
    array.resize({60, 40});
    CHECK(content(array) == Model{{2, 3}, std::vector<Item>(6, 9)}.resized({60, 40}));
    CHECK(test::listed(keys, "a/c").size() == 4);
    array.resize({0, 40});
    CHECK(test::listed(keys, "a").size() == 1);
  };
  Memory const listing;
  check_keys(listing, listing);
  FailingCalls const plain;
  check_keys(plain, plain.state->inner);
}

TEST_CASE("what other programs left beyond the shape is never shown") {
  Memory const store;
  auto const array = make(store, {5, 5}, {4, 4});
  auto const other = make(store, {40, 40}, {4, 4}, 1, "b");
  other.fill(all, 99);
  auto const litter = [&] {
    store.list("b/c", [&](Listed const& entry) {
      std::string const key{entry.path};
      test::put(store, "a" + key.substr(1), test::value(store, key));
    });
  };
  litter();
  auto model = content(array);
  CHECK(model == Model{{5, 5}, std::vector<Item>(25, 99)});
  SUBCASE("by growing") { array.resize({39, 39}), model = model.resized({39, 39}); }
  SUBCASE("by growing in one dimension and shrinking in the other") {
    array.resize({9, 2}), litter(), array.resize({10, 7});
    model = Model{{9, 2}, std::vector<Item>(18, 99)}.resized({10, 7});
  }
  SUBCASE("by appending, and growing after it") {
    std::vector<Item> const more(15, 1);
    array.append(more), array.resize({11, 6}), array.resize({30, 30});
    model = model.appended(0, {3, 5}, more).resized({11, 6}).resized({30, 30});
  }
  CHECK(content(array) == model);
  CHECK(stored(store) == model);
}

TEST_CASE("a reader whose handle has the old shape sees what there was, or the fill value") {
  Memory const store;
  auto const array = make(store, {6, 4}, {4, 3});
  array.fill(all, 9);
  auto const apart = open_array<Item, 2, P>(store, "a");
  array.resize({3, 2});
  CHECK(apart.shape() == Extents{6, 4});
  CHECK(content(apart) == Model{{3, 2}, std::vector<Item>(6, 9)}.resized({6, 4}));
  array.append(std::vector<Item>(10, 1));
  CHECK(content(apart).elements[3 * 4] == 1);
  // It starts from the store's document.
  std::vector<Item> const row(2, 5);
  apart.append(ArrayView<Item const, 2>::c_order(row.data(), {1, 2}));
  CHECK(apart.shape() == Extents{9, 2});
  CHECK(stored(store).elements.back() == 5);
}

TEST_CASE("each call of the store fails in turn, before or after it is done: the old array is there, or the new one") {
  using Act = std::function<void(Array<Item, 2, FailingCalls, P> const&)>;
  std::vector<Item> more(4 * 7, 3);
  struct Change {
    char const* name;
    Act act;
    std::function<Model(Model const&)> model;
  };
  auto const shaped = [](Extents const& to) {
    return Change{"resize", [=](auto const& array) { array.resize(to); },
                  [=](Model const& before) { return before.resized(to); }};
  };
  Change const changes[] = {
      shaped({9, 10}),
      shaped({2, 3}),
      shaped({2, 11}),
      shaped({0, 0}),
      {"append", [&](auto const& array) { array.append(more); },
       [&](Model const& before) {
         return before.appended(0, {4, 7}, more);
       }},
  };
  for (auto const& change : changes)
    for (bool after : {false, true}) {
      CAPTURE(change.name);
      CAPTURE(after);
      bool done = false;
      for (long k = 0; !done; ++k) {
        CAPTURE(k);
        REQUIRE(k < 1000);
        FailingCalls const store;
        test::put(store, "zarr.json", R"({"zarr_format": 3, "node_type": "group", "attributes": {},
                                          "consolidated_metadata": {"kind": "inline"}})");
        // Values beyond its shape belong to another program.
        make(store, {5, 7}, {4, 3}, 1, "b");
        make(store, {14, 14}, {4, 3}).fill(all, 99);
        test::put(store, "a/zarr.json", test::value(store, "b/zarr.json"));
        test::Random random{9};
        auto const before = Model{{5, 7}, noise(random, 35)};
        auto const array = open_array<Item, 2, P>(store, "a");
        for (std::uint64_t row = 0; row < 5; ++row)  // in parts of chunks, which leave the rest unchanged
          array.write({{row, row + 1}, all},
                      std::vector<Item>(before.elements.begin() + static_cast<long>(row) * 7,
                                        before.elements.begin() + static_cast<long>(row) * 7 + 7));
        auto const new_one = change.model(before);
        store.state->left = k, store.state->after = after;
        try {
          change.act(array);
          done = store.state->left >= 0;  // none failed
        } catch (StoreError const& error) {
          CHECK(std::string{error.what()}.find("the line is down") != std::string::npos);
        }
        store.state->left = -1;
        auto const found = stored(store);
        CHECK((found == before || found == new_one));
        if (done) CHECK(found == new_one);
        // None of the lost elements reappears later, through this handle or another.
        auto const& handle = k % 2 ? array : open_array<Item, 2, P>(store, "a");
        handle.resize({12, 12});
        CHECK(content(handle) == found.resized({12, 12}));
        if (done) CHECK(k > 3);
      }
    }
}

TEST_CASE("the document keeps what this program does not know, and the groups above lose their copies of it") {
  Memory const store;
  make(store, {4, 4}, {2, 2}, 1, "g/a");
  auto text = test::value(store, "g/a/zarr.json");
  text.insert(1, R"("other": {"must_understand": false, "n": 1.50}, )");
  test::put(store, "g/a/zarr.json", text);
  auto const array = open_array<Item, 2, P>(store, "g/a");
  set_attributes(store, "g/a", {{"units", "mm"}});
  for (auto* key : {"zarr.json", "g/zarr.json"})
    test::put(store, key, R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata": {}, "attributes": {}})");
  array.resize({5, 4});
  auto const after = test::value(store, "g/a/zarr.json");
  CHECK(after.find(R"("other")") < after.find(R"("shape")"));
  CHECK(after.find("1.50") != after.npos);
  CHECK(get_attributes(store, "g/a") == Members{{"units", "mm"}});
  for (auto* key : {"zarr.json", "g/zarr.json"})
    CHECK(test::value(store, key).find("consolidated") == std::string::npos);
  auto const text_before = test::value(store, "g/a/zarr.json");
  array.resize({5, 4});
  CHECK(test::value(store, "g/a/zarr.json") == text_before);
}

TEST_CASE("shapes and blocks that cannot be are refused, and nothing changes") {
  Memory const store;
  auto const array = make(store, {4, 6}, {2, 2});
  array.fill(all, 9);
  auto const before = test::listed(store, "");
  constexpr auto huge = std::uint64_t{1} << 63;
  check_refused<SelectionError>([&] { array.resize({4}); }, {"1 dimensions", "2"});
  check_refused<MetadataError>([&] { array.resize({4, huge}); }, {"a/zarr.json", "shape[1]", "9223372036854775808"});
  check_refused<MetadataError>([&] { array.resize({~std::uint64_t{0}, 0}); }, {"a/zarr.json", "shape"});
  check_refused<SelectionError>([&] { array.append(std::vector<Item>(6), 2); }, {"dimension 2", "below 2"});
  check_refused<SelectionError>([&] { array.append(std::vector<Item>(7)); }, {"7 elements", "multiple of 6"});
  std::vector<Item> const some(24);
  check_refused<SelectionError>(
      [&] {
        array.append(ArrayView<Item const, 2>::c_order(some.data(), {3, 6}), 1);
      },
      {"dimension 0", "block of 3", "expected 4"});
  CHECK(test::listed(store, "").size() == before.size());
}

TEST_CASE("a shape that somebody else gave the array meanwhile stays, and who appended is told") {
  Memory const store;
  auto const array = make(store, {4, 6}, {2, 2});
  make(store, {9, 6}, {2, 2}, 1, "b");
  auto const meddle = [&](std::uint64_t, std::uint64_t) {
    test::put(store, "a/zarr.json", test::value(store, "b/zarr.json"));
  };
  check_refused<MetadataError>([&] { array.append(std::vector<Item>(6, 1), 0, {.progress = meddle}); },
                               {"a/zarr.json", "member shape", "[9, 6]", "[4, 6]", "another writer"});
  CHECK(stored(store).shape == Extents{9, 6});
}

TEST_CASE("an array whose document went, or is another's, is not given another shape") {
  Memory const store;
  auto const array = make(store, {4, 6}, {2, 2});
  array.fill(all, 9);
  create_array<Item, 2>(store, "a", {.shape = {4, 6}, .chunks = {4, 6}, .fill = fill, .overwrite = true});
  check_refused<MetadataError>([&] { array.resize({2, 2}); }, {"a/zarr.json", "not the one that was opened"});
  CHECK(stored(store).shape == Extents{4, 6});
  test::erase(store, "a/zarr.json");
  check_refused<NodeNotFound>([&] { array.append(std::vector<Item>(6)); }, {"a/zarr.json", "missing"});
  CHECK(test::listed(store, "a").empty());
}

TEST_CASE("an array without elements along a dimension grows out of nothing; one without dimensions stays") {
  Memory const store;
  auto const array = make(store, {0, 3}, {2, 2});
  array.append(std::vector<Item>{1, 2, 3});
  array.append(std::vector<Item>{});
  array.append(std::vector<Item>{4, 5, 6, 7, 8, 9});
  CHECK(content(array) == Model{{3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}});
  auto const none = create_array<Item, 0>(store, "none", {.shape = {}, .chunks = {}});
  none.resize({});
  check_refused<SelectionError>([&] { none.append(std::vector<Item>{1}); }, {"dimension 0"});
}
