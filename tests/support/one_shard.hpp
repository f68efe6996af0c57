// One shard, and a store that notes the requests for it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/is_document.hpp>
#include <support/sharded.hpp>
#include <support/store_conformance.hpp>
#include <support/written_array.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

namespace test {

using tessera::ByteRange, tessera::ByteView, tessera::HostBuffer, tessera::Key, tessera::Destination;
using Texts = std::vector<std::string>;

inline tessera::WriteOptions const appending{.append_to_shards = true};

/// Notes the requests for chunks.
struct Noting {
  using buffer_type = HostBuffer;
  using On = tessera::Queue<tessera::space::Host>;
  tessera::MemoryStore<HostBuffer> inner{};
  std::shared_ptr<Texts> asked = std::make_shared<Texts>();

  void note(Key const& key, std::string what) const {
    if (!is_document(key)) asked->push_back(std::move(what));
  }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<tessera::space::Host> destination,
                                  On& on) const {
    note(key, range.is_whole() ? "read" : tessera::to_text({"read ", range.offset, " + ", range.size}));
    return inner.read(key, range, destination, on);
  }
  std::optional<std::uint64_t> size(Key const& key, On& on) const { return inner.size(key, on); }
  void write(Key const& key, ByteView<tessera::space::Host> value, On& on) const {
    note(key, tessera::to_text({"write ", value.size}));
    inner.write(key, value, on);
  }
  bool erase(Key const& key, On& on) const {
    note(key, "erase");
    return inner.erase(key, on);
  }
};
struct NotingAppends : Noting {
  bool append(Key const& key, ByteView<tessera::space::Host> bytes, std::uint64_t size, On& on) const {
    note(key, tessera::to_text({"append ", bytes.size, " to ", size}));
    return inner.append(key, bytes, size, on);
  }
};
static_assert(tessera::AppendableStore<NotingAppends> && !tessera::AppendableStore<Noting>);

inline std::string numbers() {
  std::string result;
  for (int i = 0; i < 256; ++i) result += static_cast<char>('A' + i % 23);
  return result;
}

/// A 16 x 16 array of bytes, one shard of 64 inner chunks of 2 x 2, or the codecs of `list`.
template <class S>
auto one_shard(S const& store, std::string const& list = Sharding{"[2, 2]"}.list()) {
  return tessera::create_any<tessera::AllCodecs>(
      store, "", array_metadata(sharded_document("[16, 16]", "[16, 16]", list, "46").text()));
}
template <class Array>
void put_text(Array const& array, tessera::Box const& box, std::string const& elements,
              tessera::WriteOptions const& options = appending) {
  auto const region = box.resolve(array.shape());
  REQUIRE(elements.size() == size_of(region.count));
  auto const memory = bytes(elements);
  array.write(region, {memory.data(), tessera::Layout::c_order(region.count, 1).strides}, options);
}
template <class Array>
std::string text_of(Array const& array, tessera::Box const& box = tessera::all) {
  return test::text(test::view(read_bytes(array, box.resolve(array.shape()))));
}

constexpr std::uint64_t index_size = 64 * 16 + 4, shard_size = 256 + index_size;

}  // namespace test
