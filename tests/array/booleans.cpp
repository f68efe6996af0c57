// A bool in C++ is 0 or 1: other bytes in a chunk are an error in elements (CODEC-BYTES-07, GRID-05).
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/written_array.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace {

// Two chunks of two rows and three columns each; the last row of the second lies outside.
test::ArrayContent sound() {
  auto const elements = test::hex("010001 000100 010101");
  return {data_type_of<bool>(), {3, 3}, {2, 3}, elements, "false"};
}

template <class... Cs>
auto open(test::ArrayContent const& content, Cs const&... codecs) {
  MemoryStore<HostBuffer> const store;
  test::write_array(store, "a", content, codecs...);
  return open_array<bool, 2, AllCodecs>(store, "a", test::HostQueue{});
}

}  // namespace

TEST_CASE("what lies outside the array may be anything") {
  auto const content = sound();
  CHECK(content.chunk({1, 0}) == test::hex("010101 eeeeee"));
  auto check = [&](auto const& array) {
    auto const read = array.read(tessera::all);
    CHECK(std::ranges::equal(std::as_bytes(read.elements()), content.elements));
  };
  check(open(content, codec::Bytes{}));
  check(open(content, codec::Bytes{}, codec::Zstd{}));
  check(open(content, codec::Transpose{{1, 0}}, codec::Bytes{}, codec::Zstd{}));
}

TEST_CASE("an element that is neither 0 nor 1 is an error that names its key, where it is asked for") {
  auto content = sound();
  content.elements[4] = std::byte{2};  // row 1, column 1
  auto check = [](auto const& array) {
    test::check_refused<CodecError>([&] { array.read(tessera::all); }, {"key \"a/c/0/0\"", "element 2", "0 or 1"});
    test::check_refused<CodecError>([&] { array.read({{0, 2}, {1, 2}}); }, {"key \"a/c/0/0\""});
    CHECK(array.read({{0, 1}, tessera::all})(0, 0));
    CHECK(array.read({{0, 3, 2}, tessera::all})(1, 2));
  };
  check(open(content, codec::Bytes{}));
  check(open(content, codec::Bytes{}, codec::Zstd{}));
  check(open(content, codec::Transpose{{1, 0}}, codec::Bytes{}, codec::Blosc{}));
}
