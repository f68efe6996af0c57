// A sharded array is a store of its inner chunks: ranges of the values of the store below it, in any memory. Reads of
// chunks then read inner chunks, those of many shards in one mini-batch.
#include <charconv>

#include "../chunk_access.hpp"
#include "shard.hpp"

using namespace sample;
using tessera::ByteRange, tessera::Key, tessera::Queue, tessera::ReadRequest, tessera::Destination;
using tessera::codec::Bytes;

// Inner chunks have keys like chunks, "c/3/1", counted over the whole array. Indexes are read from `Indexes`, the same
// values as host bytes.
template <class Parent, class Indexes>
class ShardStore {
  using Space = tessera::space_of<Parent>;

 public:
  using buffer_type = tessera::buffer_of<Parent>;

  ShardStore(Parent parent, Indexes indexes, std::string path)
      : parent_{std::move(parent)}, indexes_{std::move(indexes)}, path_{std::move(path)} {}

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  tessera::queue_for<Space>& on) const {
    auto const place = find_chunk(key, on.host());
    if (!place) return std::nullopt;
    return parent_.read(place->shard, within(place->range, range), destination, on);
  }

  void get_many(std::span<ReadRequest<Space>> requests, tessera::queue_for<Space>& on) const {
    std::vector<std::optional<Place>> places;
    std::vector<ReadRequest<Space>> ranges;
    for (auto const& request : requests) places.push_back(find_chunk(*request.key, on.host()));
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (places[i])
        ranges.push_back({&places[i]->shard, within(places[i]->range, requests[i].range), requests[i].destination});
    tessera::get_many(parent_, std::span{ranges}, on);
    std::size_t next = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) requests[i].size = places[i] ? ranges[next++].size : std::nullopt;
  }

 private:
  struct Place {
    Key shard;
    ByteRange range;
  };

  std::optional<Place> find_chunk(Key const& key, Queue<space::Host>& on) const {
    std::uint64_t row = 0, column = 0;
    auto const* end = key.path.data() + key.path.size();
    auto const [slash, wrong] = std::from_chars(key.path.data() + 2, end, row);
    if (wrong != std::errc{} || std::from_chars(slash + 1, end, column).ec != std::errc{}) return std::nullopt;
    Key shard{path_ + "/c/" + std::to_string(row / 2) + "/" + std::to_string(column / 2)};
    auto const index = tessera::get_value(indexes_, shard, on, ByteRange::suffix(index_size));
    if (!index) return std::nullopt;
    auto const range = find(index_of(index->view()), row % 2 * 2 + column % 2);
    if (!range) return std::nullopt;
    return Place{std::move(shard), *range};
  }
  static ByteRange within(ByteRange chunk, ByteRange asked) {
    auto const [offset, size] = asked.resolve(chunk.size);
    return {chunk.offset + offset, size};
  }

  Parent parent_;
  Indexes indexes_;
  std::string path_;
};
static_assert(tessera::ReadableStore<ShardStore<HostStore, HostStore>, Host>);
static_assert(tessera::ReadableStore<ShardStore<DeviceStore, HostStore>, stub::DeviceBuffer>);

template <class P, class S>
void read(S const& store, typename P::queue_type& on, tessera::StridedSpan<typename P::array_space> target) {
  P const pipeline{};
  auto const form = pipeline.resolve({{chunk_rows, chunk_columns}, tessera::data_type_of<float>()});
  test::Chunks<S, P> const inner{store, "", pipeline, form, {reinterpret_cast<std::byte const*>(&fill), sizeof fill}};
  tessera::read_chunks(inner.access, tessera::Box(tessera::all).resolve({rows, columns}), target, on, {.mini_batch = 64});
}

int main() {
  Queue<space::Device> on;
  tessera::Strides const strides{columns * sizeof(float), sizeof(float)};
  HostStore host;
  write_shards(host, "a", "[]", HostPipeline{});

  std::vector<float> result(rows * columns);
  read<HostPipeline>(ShardStore{host, host, "a"}, on.host(), {reinterpret_cast<std::byte*>(result.data()), strides});
  check(result == elements(), "in host memory");

  stub::DeviceBuffer memory{rows * columns * sizeof(float), on};
  using Cross = tessera::Pipeline<space::Device, Bytes, tessera::CastTo<space::Host>, Invert>;
  stub::counts.reset();
  read<Cross>(ShardStore{host, host, "a"}, on, {memory.span().data, strides});
  check(stub::counts.crossings == 1 && stub::counts.launches == 1, "chunks of two shards are one mini-batch");
  check(on_host<float>(memory.view(), on) == elements(), "from host bytes to device memory");

  stub::DeviceBuffer other{rows * columns * sizeof(float), on};
  using OnDevice = tessera::Pipeline<space::Device, Bytes, DeviceInvert>;
  ShardStore const shards{upload<DeviceStore>(host, on), host, "a"};
  on.wait();
  stub::counts.reset();
  read<OnDevice>(shards, on, {other.span().data, strides});
  check(stub::counts.crossings == 0, "chunks that are in device memory stay there: the index is the host's");
  check(on_host<float>(other.view(), on) == elements(), "from device bytes to device memory");
  return failed;
}
