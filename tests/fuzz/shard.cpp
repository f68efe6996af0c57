// A shard of any bytes: read whole and chunk by chunk, and written in part. The result is an Error or the same
// elements each way, and readable elements are still there after a write.
//
// The first byte selects the array, the store, the way of writing, and how the rest makes a shard: unchanged; with
// corrected checksums of its indexes; or assembled, with an index whose entries are of two bytes each. The second one
// selects the shard, and the third the part of it that is written.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <support/sharded.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace {

using Bytes = std::vector<std::byte>;

/// A MemoryStore that lends nothing: values are copied into the reader's memory.
struct Copying {
  using buffer_type = HostBuffer;
  MemoryStore<HostBuffer> inner{};

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const { inner.write(key, value, on); }
  bool erase(Key const& key, Queue<space::Host>& on) const { return inner.erase(key, on); }
};

// How an index is stored.
struct Index {
  std::size_t entries;
  bool at_start = false, has_checksum = true, is_big = false;
  Index const* inner = nullptr;  // of the shards that are its chunks

  std::size_t size() const { return 16 * entries + 4 * has_checksum; }
  std::byte* in(std::span<std::byte> shard) const { return shard.data() + (at_start ? 0 : shard.size() - size()); }
};

std::uint64_t number(std::byte const* at, bool is_big) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < 8; ++i) n = n << 8 | std::to_integer<std::uint64_t>(at[is_big ? i : 7 - i]);
  return n;
}
void put_number(std::byte* at, std::uint64_t n, bool is_big) {
  for (std::size_t i = 0; i < 8; ++i, n >>= 8) at[is_big ? 7 - i : i] = static_cast<std::byte>(n & 0xff);
}

// Corrects checksums, the innermost first.
void repair(std::span<std::byte> shard, Index const& index) {
  if (shard.size() < index.size()) return;
  auto* const at = index.in(shard);
  if (index.inner)
    for (std::size_t i = 0; i < index.entries; ++i) {
      auto const offset = number(at + 16 * i, index.is_big), size = number(at + 16 * i + 8, index.is_big);
      if (offset <= shard.size() && size <= shard.size() - offset) repair(shard.subspan(offset, size), *index.inner);
    }
  if (!index.has_checksum) return;
  auto const crc = crc32c({at, 16 * index.entries});
  for (std::size_t i = 0; i < 4; ++i) at[16 * index.entries + i] = static_cast<std::byte>(crc >> (8 * i) & 0xff);
}

// An index of the numbers in the first bytes, two bytes each, and the rest as the chunks beside it.
Bytes put_together(std::span<std::byte const> input, Index const& index) {
  auto const words = std::min(input.size() / 2, 2 * index.entries);
  Bytes entries(index.size());
  for (std::size_t i = 0; i < 2 * index.entries; ++i) {
    auto n = ShardEntry::none;
    if (i < words) n = std::to_integer<unsigned>(input[2 * i]) | std::to_integer<unsigned>(input[2 * i + 1]) << 8;
    if (n == 0xffff) n = ShardEntry::none;
    if (n == 0xfffe) n = std::uint64_t{1} << 63;
    put_number(entries.data() + 8 * i, n, index.is_big);
  }
  auto const chunks = input.subspan(2 * words);
  Bytes shard(chunks.begin(), chunks.end());
  shard.insert(index.at_start ? shard.begin() : shard.end(), entries.begin(), entries.end());
  return shard;
}

// Arrays of 5 x 7 elements in shards of 4 x 4: at the border there are some of 4 x 3, 1 x 4 and 1 x 3.
struct Sharded {
  std::string codecs, data_type;
  Index index;
};
std::array<Sharded, 8> const& layouts() {
  static Index const first{2, true}, no_checksum{2, false, false};
  static auto const made = [] {
    std::string const little = R"({"name": "bytes", "configuration": {"endian": "little"}})",
                      bytes = '[' + little + ']',
                      big = R"([{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "crc32c"}])",
                      zstd = '[' + little + R"(, {"name": "zstd", "configuration": {"level": 1, "checksum": false}}])";
    test::Sharding const usual{"[2, 2]", bytes};
    auto const of = [&](test::Sharding sharding, std::string chunks, std::string indexes, char const* location) {
      sharding.codecs = std::move(chunks), sharding.index_location = location;
      if (!indexes.empty()) sharding.index_codecs = std::move(indexes);
      return sharding;
    };
    return std::array<Sharded, 8>{{
        {usual.list(), "uint8", {4}},
        {of(usual, bytes, "", "start").list(), "uint8", {4, true}},
        {of(usual, bytes, bytes, "end").list(), "uint8", {4, false, false}},
        {of(usual, zstd, bytes, "start").list(), "uint8", {4, true, false}},
        {of(usual, zstd, "", "end").list(), "uint8", {4}},
        {of({"[4, 2]"}, of(usual, bytes, "", "start").list(), "", "end").list(),
         "uint8",
         {2, false, true, false, &first}},
        {of({"[2, 4]"}, of(usual, zstd, bytes, "end").list(), bytes, "start").list(),
         "uint8",
         {2, true, false, false, &no_checksum}},
        {R"([{"name": "transpose", "configuration": {"order": [1, 0]}}, )" + of(usual, bytes, big, "end").json() + ']',
         "uint16",
         {4, false, true, true}},
    }};
  }();
  return made;
}

template <class S>
class Subject {
  using Array = AnyArray<S, AnyPipeline<space::Host, space::Host, AllCodecs>>;

 public:
  explicit Subject(Sharded const& layout) : array_{store_, "", metadata(layout), on_}, item_{array_.type().size} {}

  void check(Extents const& shard, Bytes const& value, unsigned part, bool appends) {
    Key key;
    array_.metadata().key_encoding.append(key.path, shard);
    store_.write(key, {value.data(), value.size()}, on_);
    auto const box = array_.chunk_box(shard).resolve(array_.shape());
    auto whole = read(box);
    bool all_read = true;
    for (std::uint64_t row = 0; row < box.count[0]; row += 2)
      for (std::uint64_t column = 0; column < box.count[1]; column += 2) {
        Extents const first{row, column},
            count{std::min<std::uint64_t>(2, box.count[0] - row), std::min<std::uint64_t>(2, box.count[1] - column)};
        auto const chunk = read(part_of(box, first, count));
        all_read = all_read && chunk;
        if (whole && (!chunk || *chunk != picked(*whole, box, first, count))) std::abort();
      }
    if (all_read && !whole) std::abort();

    Extents const first{(part & 3) % box.count[0], (part >> 2 & 3) % box.count[1]};
    Extents const count{1 + (part >> 4 & 3) % (box.count[0] - first[0]),
                        1 + (part >> 6 & 3) % (box.count[1] - first[1])};
    auto const region = part_of(box, first, count);
    Bytes const values(count[0] * count[1] * item_, static_cast<std::byte>(part % 3));  // often the fill value
    if (write(region, values, {.append_to_shards = appends})) {
      if (read(region) != values) std::abort();
      if (!whole) return erase(key);
      for (std::uint64_t row = 0; row < count[0]; ++row)
        std::copy_n(values.begin(), count[1] * item_,
                    whole->begin() + static_cast<std::ptrdiff_t>(((first[0] + row) * box.count[1] + first[1]) * item_));
      if (read(box) != whole) std::abort();
    } else {
      auto const kept = get_value(store_, key, on_);
      if (!kept || !std::ranges::equal(std::span{kept->view().data, kept->view().size}, value)) std::abort();
    }
    erase(key);
  }

 private:
  static ArrayMetadata metadata(Sharded const& layout) {
    auto document = test::sharded_document("[5, 7]", "[4, 4]", layout.codecs);
    return test::array_metadata(document.set("data_type", '"' + layout.data_type + '"').text());
  }
  static Region part_of(Region box, Extents const& first, Extents const& count) {
    for (std::size_t d = 0; d < 2; ++d) box.first[d] += first[d];
    box.count = count;
    return box;
  }
  Bytes picked(Bytes const& whole, Region const& box, Extents const& first, Extents const& count) const {
    Bytes result;
    for (auto row = first[0]; row < first[0] + count[0]; ++row) {
      auto const at = whole.begin() + static_cast<std::ptrdiff_t>((row * box.count[1] + first[1]) * item_);
      result.insert(result.end(), at, at + static_cast<std::ptrdiff_t>(count[1] * item_));
    }
    return result;
  }
  Strides strides(Region const& region) const { return Layout::c_order(region.count, item_).strides; }

  std::optional<Bytes> read(Region const& region) {
    Bytes elements(region.count[0] * region.count[1] * item_, std::byte{0xdd});
    try {
      array_.on(on_).read(region, {elements.data(), strides(region)});
    } catch (Error const&) {
      return std::nullopt;
    }
    return elements;
  }
  bool write(Region const& region, Bytes const& elements, WriteOptions const& options) {
    try {
      array_.on(on_).write(region, {elements.data(), strides(region)}, options);
    } catch (Error const&) {
      return false;
    }
    return true;
  }
  void erase(Key const& key) { store_.erase(key, on_); }

  S store_{};
  Queue<space::Host> on_{};
  Array array_;
  std::size_t item_;
};

template <class S>
Subject<S>& subject(std::size_t which) {
  static std::array<std::optional<Subject<S>>, 8> subjects;
  if (!subjects[which]) subjects[which].emplace(layouts()[which]);
  return *subjects[which];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 3) return 0;
  std::size_t const which = data[0] & 7u, how = data[0] >> 3 & 3u;
  auto const& index = layouts()[which].index;
  std::span const input{reinterpret_cast<std::byte const*>(data) + 3, size - 3};
  auto value = how == 2 ? put_together(input, index) : Bytes(input.begin(), input.end());
  if (how != 0) repair(value, index);
  Extents const shard{data[1] & 1u, data[1] >> 1 & 1u};
  bool const appends = data[0] & 0x40;
  if (data[0] & 0x80)
    subject<Copying>(which).check(shard, value, data[2], appends);
  else
    subject<MemoryStore<HostBuffer>>(which).check(shard, value, data[2], appends);
  return 0;
}
