// A program of random operations on the arrays of a store, compared with NumPy-like arrays. The same on the host and on
// the device, except for a type M, whose through(bytes, f) copies bytes into memory of the arrays' space, calls f(their
// address there), and returns the bytes there afterwards.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_array.hpp>
#include <support/random_selection.hpp>
#include <support/sharded.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>

namespace test {

/// Gives the content another shape, as an array gets it: new elements have the fill value.
inline void resize(ArrayContent& content, Bytes const& fill, Extents const& shape) {
  auto const item = content.type.size;
  Bytes elements;
  for_each_index(shape, [&](Extents const& index) {
    bool is_old = true;
    for (std::size_t d = 0; d < index.rank(); ++d) is_old = is_old && index[d] < content.shape[d];
    auto const* element = is_old ? content.elements.data() + c_index(content.shape, index) * item : fill.data();
    elements.insert(elements.end(), element, element + item);
  });
  content.shape = shape, content.elements = std::move(elements);
}

template <class Named, class S, class M>
class RandomProgram {
  using Queue = typename Named::queue_type;
  using Array = decltype(tessera::open_any<Named>(std::declval<S const&>(), "", std::declval<Queue>()));
  struct Subject {
    ArrayContent content;
    Bytes fill;
    Array array;
  };

 public:
  RandomProgram(S store, M memory, Queue on, Random& random)
      : store_{std::move(store)}, memory_{std::move(memory)}, on_{std::move(on)}, random_{random} {}

  /// `leaf(random, rank)` draws the codecs of innermost chunks, as in a document.
  template <class Leaf>
  void step(Leaf const& leaf) {
    std::string const paths[] = {"a", "g/b", "g/h/c"};
    auto const& path = paths[random_(0, 2)];
    auto const found = arrays_.find(path);
    auto const what = random_(0, 19);
    if (found == arrays_.end() || what == 0) return create(path, leaf, found != arrays_.end());
    auto& subject = found->second;
    if (what < 7)
      write(subject);
    else if (what < 13)
      read(subject);
    else if (what < 15)
      resize(subject);
    else if (what < 17)
      append(subject);
    else if (what < 18)
      subject.array = open(path);
    else if (what < 19)
      compact(subject);
    else
      erase(path);
  }

  /// Checks that the stored chunks are those that the arrays show, and no others.
  void finish() {
    for (auto& [path, subject] : arrays_) {
      subject.array = open(path);
      check_whole(subject);
      auto const grid = subject.content.grid_shape();
      auto const encoding = subject.array.metadata().key_encoding;
      tessera::chunks_of(store_).list(path, [&, &at = path](tessera::Listed const& entry) {
        auto const key = entry.path.substr(at.size() + 1);
        if (key == "zarr.json") return;
        CAPTURE(key);
        auto const place = encoding.place_of(key, grid.rank());
        REQUIRE(place);
        for (std::size_t d = 0; d < grid.rank(); ++d) CHECK((*place)[d] < grid[d]);
      });
    }
  }

 private:
  static constexpr std::uint64_t budget = std::uint64_t{8} << 20;
  static std::uint64_t longest(std::size_t rank) {
    std::uint64_t const most[] = {1, 40, 14, 9, 5};
    return most[rank];
  }

  Array open(std::string const& path) const { return tessera::open_any<Named>(store_, path, on_); }

  template <class Leaf>
  void create(std::string const& path, Leaf const& leaf, bool overwrite) {
    auto const rank = random_(0, 4), most = longest(rank);
    auto const type = random_type(random_);
    ArrayContent content{type, random_.extents(rank, 0, most), random_.extents(rank, 1, (most + 2) / 2), {}};
    std::string const encodings[] = {R"("default")", R"("v2")",
                                     R"({"name": "default", "configuration": {"separator": "."}})",
                                     R"({"name": "v2", "configuration": {"separator": "/"}})"};
    content.key_encoding = encodings[random_(0, 3)];
    auto const fill = random_.one_in(2) ? Bytes(type.size) : random_elements(random_, type.size, type);
    content.fill = tessera::to_json(tessera::write_fill_value(fill, type));
    auto const depth = static_cast<int>(random_(0, 3));
    auto const codecs = random_sharding(random_, content.chunk_shape, leaf(random_, rank), depth);
    INFO("create ", path, ", ", codecs);
    auto const metadata = array_metadata(content.document(codecs).text());
    for (std::size_t n = size_of(content.shape); n > 0; --n)
      content.elements.insert(content.elements.end(), fill.begin(), fill.end());
    auto array = tessera::create_any<Named>(store_, path, metadata, {.overwrite = overwrite}, on_);
    arrays_.erase(path);
    check_whole(arrays_.emplace(path, Subject{std::move(content), fill, std::move(array)}).first->second);
  }

  void erase(std::string const& path) {
    INFO("erase ", path);
    CHECK(tessera::erase_node(store_, path));
    CHECK_THROWS_AS(open(path), tessera::MetadataError);
    arrays_.erase(path);
  }

  // Memory for elements to write: often the fill value.
  Bytes given(Subject const& subject, std::size_t size) {
    auto memory = random_elements(random_, size, subject.content.type);
    if (random_.one_in(4))
      for (std::size_t i = 0; i < size; ++i) memory[i] = subject.fill[i % subject.fill.size()];
    return memory;
  }
  tessera::WriteOptions write_options() {
    auto options = random_options<tessera::WriteOptions>(random_, budget);
    options.store_fill_chunks = random_.one_in(4);
    options.append_to_shards = random_.one_in(2);
    return options;
  }
  static void put(ArrayContent& content, RandomSelection const& selection, Bytes const& memory,
                  StridedMemory const& at) {
    auto const item = content.type.size;
    for_each_selected(selection, content.shape, item, at, [&](std::size_t element, std::size_t place) {
      std::copy_n(memory.data() + place, item, content.elements.data() + element);
    });
  }

  void write(Subject& subject) {
    auto& content = subject.content;
    auto const selection = random_selection(random_, content.shape, content.chunk_shape);
    INFO("write ", selection.kind, " of ", to_string(content.shape));
    auto const at = random_memory(random_, selection.selected.shape, content.type.size, true);
    auto const memory = given(subject, at.size);
    auto const options = write_options();
    memory_.through(memory, [&](auto* data) {
      return subject.array.on(on_).write(selection.selected, {data + at.first, at.strides}, options);
    });
    put(content, selection, memory, at);
    check_whole(subject);
  }

  void read(Subject& subject) {
    auto const& content = subject.content;
    auto const item = content.type.size;
    auto const selection = random_selection(random_, content.shape, content.chunk_shape);
    INFO("read ", selection.kind, " of ", to_string(content.shape));
    auto const at = random_memory(random_, selection.selected.shape, item, false);
    auto const memory = random_.noise(at.size);
    auto expected = memory;
    for_each_selected(selection, content.shape, item, at, [&](std::size_t element, std::size_t place) {
      std::copy_n(content.elements.data() + element, item, expected.data() + place);
    });
    auto const options = random_options<tessera::ReadOptions>(random_, budget);
    auto const found = memory_.through(memory, [&](auto* data) {
      return subject.array.on(on_).read(selection.selected, {data + at.first, at.strides}, options);
    });
    REQUIRE(found == expected);
  }

  void resize(Subject& subject) {
    auto const rank = subject.content.shape.rank();
    auto const shape = random_.extents(rank, 0, longest(rank));
    INFO("resize ", to_string(subject.content.shape), " to ", to_string(shape));
    subject.array.on(on_).resize(shape);
    test::resize(subject.content, subject.fill, shape);
    check_whole(subject);
  }

  void compact(Subject& subject) {
    INFO("compact");
    subject.array.on(on_).compact();
    CHECK(subject.array.on(on_).compact() == 0);
    check_whole(subject);
  }

  void append(Subject& subject) {
    auto& content = subject.content;
    auto const rank = content.shape.rank();
    if (rank == 0) return;
    auto const axis = random_(0, rank - 1), before = content.shape[axis];
    auto shape = content.shape, block = content.shape;
    shape[axis] += block[axis] = random_(0, longest(rank) + 2 - std::min(before, longest(rank)));
    INFO("append ", to_string(block), " to ", to_string(content.shape), " along ", axis);
    auto const at = random_memory(random_, block, content.type.size, true);
    auto const memory = given(subject, at.size);
    auto const options = write_options();
    memory_.through(memory, [&](auto* data) {
      return subject.array.on(on_).append(axis, block, {data + at.first, at.strides}, options);
    });
    test::resize(content, subject.fill, shape);
    RandomSelection added{"added", tessera::Region{Extents::filled(rank, 0), block, Extents::filled(rank, 1)}};
    for_each_index(block, [&](Extents index) {
      index[axis] += before;
      added.places.push_back(index);
    });
    put(content, added, memory, at);
    check_whole(subject);
  }

  void check_whole(Subject& subject) {
    auto const& content = subject.content;
    REQUIRE(subject.array.shape() == content.shape);
    auto const everything = tessera::Box(tessera::all).resolve(content.shape);
    auto const strides = tessera::Layout::c_order(content.shape, content.type.size).strides;
    auto const found = memory_.through(Bytes(content.elements.size(), std::byte{0xdd}), [&](auto* data) {
      return subject.array.on(on_).read(everything, {data, strides});
    });
    REQUIRE(found == content.elements);
  }

  S store_;
  M memory_;
  Queue on_;
  Random& random_;
  std::map<std::string, Subject> arrays_;
};

/// Calls program(random), which makes 40 steps, with consecutive seeds from that one on, up to that many steps, or
/// TESSERA_TEST_STEPS of the environment.
template <class F>
void run_programs(std::uint64_t first_seed, std::uint64_t usual_steps, F&& program) {
  auto const* const asked = std::getenv("TESSERA_TEST_STEPS");
  auto const programs = std::max<std::uint64_t>((asked ? std::strtoull(asked, nullptr, 10) : usual_steps) / 40, 1);
  auto const last = first_seed + programs - 1, steps = 40 * programs;
  for (auto seed = first_seed; seed <= last; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    program(random);
  }
  if (asked) MESSAGE(steps, " steps, seeds ", first_seed, " to ", last);
}

}  // namespace test
