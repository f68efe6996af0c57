// Host and device read and write arrays by random selections, side by side, compared with elements that are picked one
// by one.
#pragma once
#include <algorithm>

#include <device/arrays.hpp>
#include <support/random_array.hpp>
#include <support/random_selection.hpp>
#include <support/written_array.hpp>

namespace test {

using tessera::MemoryStore, tessera::DeviceBuffer, tessera::HostBuffer;
using tessera::ReadOptions, tessera::WriteOptions, tessera::ResolvedSelection;

// An array in some store, read and written in some way.
template <class Named, class S>
struct Subject {
  using Opened = decltype(tessera::open_any<Named>(std::declval<S const&>(), "", std::declval<DeviceQueue>()));
  S store;
  DeviceQueue on{test::HostQueue{}};
  Opened array;

  Subject(S const& s, DeviceQueue queue) : store{s}, on{queue}, array{tessera::open_any<Named>(store, "a", queue)} {}

  /// The memory after a read.
  Bytes read(ResolvedSelection const& selected, Bytes const& memory, StridedMemory const& at,
             ReadOptions const& options) {
    auto there = made<DeviceBuffer>(text(view(memory)), on);
    array.on(on).read(selected, {there.span().data + at.first, at.strides}, options).detach();
    return bytes(text(there.view(), on));
  }
  void write(ResolvedSelection const& selected, Bytes const& memory, StridedMemory const& at,
             WriteOptions const& options) {
    auto const there = made<DeviceBuffer>(text(view(memory)), on);
    array.on(on).write(selected, {there.view().data + at.first, at.strides}, options).detach();
  }
  std::string value(std::string const& key) { return test::value(tessera::chunks_of(store), key, on); }
};

struct OnHost {
  using Opened = decltype(tessera::open_any<tessera::AllCodecs>(std::declval<MemoryStore<HostBuffer> const&>(), ""));
  MemoryStore<HostBuffer> store;
  Opened array;

  Bytes read(ResolvedSelection const& selected, Bytes memory, StridedMemory const& at, ReadOptions const& options) {
    array.read(selected, {memory.data() + at.first, at.strides}, options);
    return memory;
  }
  void write(ResolvedSelection const& selected, Bytes const& memory, StridedMemory const& at,
             WriteOptions const& options) {
    array.write(selected, {memory.data() + at.first, at.strides}, options);
  }
  std::string value(std::string const& key) { return test::value(store, key); }
};

// On the emulation: sets which streams are early and late, and checks that a round leaves nothing.
inline void order_streams([[maybe_unused]] Random& random) {
#if defined(TESSERA_CUDA_EMULATION)
  emulation::seed(random(0, 40));
#endif
}
inline void expect_nothing_left() {
#if defined(TESSERA_CUDA_EMULATION)
  check_nothing_left();
#endif
}

// A store with a copy of another one's contents.
template <class S>
S const& filled_from(MemoryStore<HostBuffer> const& from, S const& to, DeviceQueue& on) {
  from.list("", [&](tessera::Listed const& entry) {
    std::string const key{entry.path};
    if (key.ends_with("zarr.json"))
      put(tessera::metadata_of(to), key, value(from, key));
    else
      put(tessera::chunks_of(to), key, value(from, key), on);
  });
  return to;
}

// Checks that the subject reads a selection, and the whole, as `elements` has them.
template <class AnySubject>
void check_reads(std::uint64_t budget, Random& random, ArrayContent const& content, Bytes const& elements,
                 AnySubject& subject, RandomSelection const& selection) {
  auto const item = content.type.size;
  auto const at = random_memory(random, selection.selected.shape, item, false);
  auto const memory = random.noise(at.size);
  auto expected = memory;
  for_each_selected(selection, content.shape, item, at, [&](std::size_t element, std::size_t place) {
    std::copy_n(elements.data() + element, item, expected.data() + place);
  });
  CHECK(subject.read(selection.selected, memory, at, random_options<ReadOptions>(random, budget)) == expected);
  auto const c_order = tessera::Layout::c_order(content.shape, item).strides;
  CHECK(subject.read(tessera::Box(tessera::all).resolve(content.shape), Bytes(elements.size()),
                     {0, elements.size(), c_order}, {}) == elements);
}

// All subjects do the same, some of it within a budget, and agree with each other and with `elements`.
template <class... Subjects>
void check_agreement(std::uint64_t budget, Random& random, ArrayContent const& content, OnHost& host,
                     Subjects... subjects) {
  auto const for_each_subject = [&](auto&& f) {
    f(host);
    (f(subjects), ...);
  };
  auto elements = content.elements;
  auto const item = content.type.size;
  auto const& shape = content.shape;
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    auto const selection = random_selection(random, shape, content.chunk_shape);
    CAPTURE(selection.kind);
    auto const& selected = selection.selected;
    bool const writes = round % 2 == 1;
    auto const at = random_memory(random, selected.shape, item, writes);
    auto memory = random.noise(at.size);
    if (content.type.kind == tessera::DataKind::boolean)
      for (auto& b : memory) b &= std::byte{1};
    if (writes && random.one_in(4)) std::fill(memory.begin(), memory.end(), std::byte{0});  // often the fill value
    if (writes) {
      for_each_selected(selection, shape, item, at, [&](std::size_t element, std::size_t place) {
        std::copy_n(memory.data() + place, item, elements.data() + element);
      });
      bool const stores_fill = random.one_in(4);
      for_each_subject([&](auto& subject) {
        auto options = random_options<WriteOptions>(random, budget);
        options.store_fill_chunks = stores_fill;
        subject.write(selected, memory, at, options);
      });
    } else {
      auto expected = memory;
      for_each_selected(selection, shape, item, at, [&](std::size_t element, std::size_t place) {
        std::copy_n(elements.data() + element, item, expected.data() + place);
      });
      for_each_subject([&](auto& subject) {
        CHECK(subject.read(selected, memory, at, random_options<ReadOptions>(random, budget)) == expected);
      });
    }
    auto const all_of_it = tessera::Box(tessera::all).resolve(shape);
    auto const c_order = tessera::Layout::c_order(shape, item).strides;
    StridedMemory const whole{0, elements.size(), c_order};
    Bytes const empty(elements.size());
    for_each_subject([&](auto& subject) { CHECK(subject.read(all_of_it, empty, whole, {}) == elements); });
  }
  // The stored bytes are the same too.
  for_each_index(content.grid_shape(), [&](Extents const& place) {
    auto const key = content.chunk_key("a", place);
    auto const expected = host.value(key);
    for_each_subject([&](auto& subject) { CHECK(subject.value(key) == expected); });
  });
}

}  // namespace test
