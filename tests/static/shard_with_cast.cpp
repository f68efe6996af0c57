// Sharding as a codec: one array-to-bytes codec with a pipeline inside, which may end in another memory space than it
// begins in. The crossing is inside, and the outer pipeline knows.
#include <tessera/with/zstd.hpp>

#include "../chunk_access.hpp"
#include "shard.hpp"

using namespace sample;
using tessera::ByteRange, tessera::CastTo, tessera::Key, tessera::Pipeline, tessera::Queue, tessera::Destination;
using tessera::codec::Bytes, tessera::codec::Zstd;

// The inner chunks of one shard in host memory, as a store.
struct InnerChunks {
  using buffer_type = Host;
  tessera::ByteView<space::Host> shard;
  Index index;

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    auto const chunk =
        find(index, static_cast<std::uint64_t>(key.path[2] - '0') * 2 + static_cast<std::uint64_t>(key.path[4] - '0'));
    if (!chunk) return std::nullopt;
    auto const [offset, size] = range.resolve(chunk->size);
    auto const [begin, length] = chunk->resolve(shard.size);
    if (length < size) throw tessera::CodecError{"an inner chunk ends beyond the shard"};
    tessera::crossing<space::Host, space::Host>::copy(shard.sub(begin + offset, size), destination(size), on);
    return size;
  }
};
static_assert(tessera::ReadableStore<InnerChunks>);

// Its configuration is another pipeline's codecs.
template <class Inner>
struct Sharding {
  using kind = tessera::array_to_bytes;
  static constexpr std::string_view name = "shards";
  template <class S>
  static constexpr bool runs_in = std::is_same_v<S, typename Inner::array_space>;
  template <class S>
  using encoded_space = typename Inner::bytes_space;

  Inner inner;

  static Sharding from(tessera::ObjectReader& configuration) {
    auto const codecs = configuration.at("codecs");
    std::vector<tessera::Specification> inner;
    for (std::size_t i = 0; i < codecs.list().size(); ++i) inner.push_back(tessera::specification(codecs.item(i)));
    return {Inner::from(inner)};
  }
  tessera::Value configuration() const { return tessera::Members{}; }

  tessera::Layout layout(tessera::ChunkSpecification const& shard) const {
    return tessera::Layout::c_order(shard.shape, shard.type.size);
  }
  std::size_t encoded_bound(tessera::ChunkSpecification const& shard) const {
    return inner_chunks * form_of(shard).encoded_bound() + index_size;
  }
  template <class From, class To, class Q>
  void decode(tessera::ChunkSpecification const& shard, std::span<tessera::CodecTask<From, To>> batch, Q& on) const {
    auto const form = form_of(shard);
    tessera::Box const everything = tessera::all;
    for (auto& task : batch) {
      InnerChunks const chunks{task.from, index_of(task.from)};
      test::Chunks<InnerChunks, Inner> const source{chunks, "", inner, form, {shard.fill.data(), shard.fill.size()}};
      tessera::read_chunks(source.access, everything.resolve(shard.shape), {task.to.data, layout(shard).strides}, on);
      task.size = shard.size_in_bytes();
    }
  }

 private:
  tessera::ResolvedChunk form_of(tessera::ChunkSpecification chunk) const {
    chunk.shape = {chunk_rows, chunk_columns};
    return inner.resolve(chunk);
  }
};

using Inner = Pipeline<space::Device, Bytes, CastTo<space::Host>, Zstd>;
using Sharded = Pipeline<space::Device, Sharding<Inner>>;
using Packed = Pipeline<space::Device, Sharding<Inner>, Zstd>;  // and compressed once more
using OnHost = Pipeline<space::Host, Sharding<Pipeline<space::Host, Bytes, Zstd>>>;
static_assert(Inner::crossings == 1 && Sharded::crossings == 1 && Packed::crossings == 1 && OnHost::crossings == 0);
static_assert(std::is_same_v<Sharded::array_space, space::Device> && std::is_same_v<Sharded::bytes_space, space::Host>);
static_assert(std::is_same_v<Sharded::queue_type, Queue<space::Device>>);

int main() {
  Queue<space::Device> on;
  std::string const codecs = R"([{"name": "shards", "configuration": {"codecs": [
    {"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 1}}]}}])";
  Pipeline<space::Host, Bytes, Zstd> const zstd{};
  HostStore store;
  write_shards(store, "a", codecs, zstd);

  check(read_on_device(tessera::open_array<float, 2, Sharded>(store, "a", on), on) == elements(),
        "host bytes become device elements inside of the shard, what is missing in it is the fill value");
  std::vector<float> result(rows * columns);
  tessera::open_array<float, 2, OnHost>(store, "a", on.host()).read(tessera::all, result);
  check(result == elements(), "the same shards on the host");
  tessera::open_array<float, 2, tessera::Codecs<Sharding<Pipeline<space::Host, Bytes, Zstd>>>>(store, "a", on.host())
      .read(tessera::all, result);
  check(result == elements(), "and in a list of codecs");

  auto const last = codecs.rfind(']');
  write_shards(store, "b", codecs.substr(0, last) + R"(, {"name": "zstd", "configuration": {"level": 1}}])", zstd);
  for (std::uint64_t r = 0; r < 2; ++r) {
    auto const plain = shard(zstd, r * shard_rows);
    Host bytes{Zstd{}.encoded_bound(plain.view().size)};
    auto const size = Zstd{}.encode(plain.view(), bytes.span(), on.host());
    store.write({"b/c/" + std::to_string(r) + "/0"}, bytes.view().sub(0, size), on.host());
  }
  check(read_on_device(tessera::open_array<float, 2, Packed>(store, "b", on), on) == elements(),
        "a codec after shards");

  // An error inside a shard names the key of a value, and no place in a batch.
  auto broken = shard(zstd, 0);
  broken.span().data[1] = std::byte{0};
  store.write({"a/c/1/0"}, broken.view(), on.host());
  auto const array = tessera::open_array<float, 2, Sharded>(store, "a", on);
  stub::counts.reset();
  try {
    array.read(tessera::all);
    check(false, "a broken inner chunk is an error");
  } catch (tessera::CodecError const& error) {
    check(!error.key().empty() && !error.chunk(), error.what());
    check(stub::counts.waits == 1, "and nothing is under way that writes to the caller's memory");
  }
  return failed;
}
