// A custom store, as short as possible, with the functions that tessera adds.
#include <map>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <tessera/store/get.hpp>

using namespace tessera;

namespace {

struct OneValue {
  using buffer_type = HostBuffer;
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>&) const {
    if (key.path == "broken") throw StoreError{"the disk is gone"};
    if (key.path != "k") return std::nullopt;
    auto const [offset, size] = range.resolve(3);
    auto const to = destination(size);
    std::memcpy(to.data, &"abc"[offset], size);
    return size;
  }
};

static_assert(ReadableStore<OneValue> && !WritableStore<OneValue> && !ListableStore<OneValue>);

}  // namespace

TEST_CASE("buffer_type and read are enough to get values") {
  CHECK(test::value(OneValue{}, "k") == "abc");
  CHECK(test::value(OneValue{}, "k", {1}) == "bc");
  CHECK(test::value(OneValue{}, "other") == "(missing)");
  CHECK(name_of(OneValue{}) == "store");
}

TEST_CASE("its errors get the key that it did not name") {
  Queue<space::Host> on;
  test::check_refused<StoreError>([&] { get_value(OneValue{}, {"broken"}, on); },
                                  {"store: ", "key \"broken\"", "the disk is gone"});
  test::check_refused<StoreError>([&] { test::value(OneValue{}, "k", {4}); }, {"key \"k\"", "byte 4"});
}
