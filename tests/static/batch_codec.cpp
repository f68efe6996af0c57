// Codecs that take a whole batch: on the host, on the device, and between the two.
#include "sample.hpp"

using namespace sample;
using tessera::CodecTask, tessera::Pipeline, tessera::Queue;
using tessera::codec::Bytes;

inline int batches = 0, in_batches = 0;

// The host's: processes chunks of a batch in parallel on the queue's threads.
struct BatchInvert {
  using kind = tessera::bytes_to_bytes;
  static constexpr std::string_view name = "invert";
  template <class S>
  static constexpr bool runs_in = std::is_same_v<S, space::Host>;

  static BatchInvert from(tessera::ObjectReader&) { return {}; }
  tessera::Value configuration() const { return tessera::Members{}; }
  std::size_t encoded_bound(std::size_t size) const { return size; }
  void decode(std::span<CodecTask<space::Host>> batch, Queue<space::Host>& on) const {
    ++batches;
    in_batches += static_cast<int>(batch.size());
    on.for_each(batch.size(), [&](std::size_t i) { batch[i].size = Invert{}.decode(batch[i].from, batch[i].to, on); });
  }
};

// A custom array-to-bytes codec: elements are stored as differences, row by row, so it must know their shape.
struct Difference {
  using kind = tessera::array_to_bytes;
  static constexpr std::string_view name = "difference";
  template <class S>
  static constexpr bool runs_in = std::is_same_v<S, space::Device>;

  static Difference from(tessera::ObjectReader&) { return {}; }
  tessera::Value configuration() const { return tessera::Members{}; }
  tessera::Layout layout(tessera::ChunkSpecification const& chunk) const {
    return tessera::Layout::c_order(chunk.shape, chunk.type.size);
  }
  std::size_t encoded_bound(tessera::ChunkSpecification const& chunk) const { return chunk.size_in_bytes(); }
  void decode(tessera::ChunkSpecification const& chunk, std::span<CodecTask<space::Device>> batch,
              Queue<space::Device>& on) const {
    ++stub::counts.launches;
    for (auto& task : batch) {
      task.size = task.from.size;
      on.stream()->push([task, length = chunk.shape[chunk.shape.rank() - 1]] {
        auto const* from = reinterpret_cast<float const*>(stub::to_host(task.from.data));
        auto* to = reinterpret_cast<float*>(stub::to_host(task.to.data));
        for (std::size_t i = 0; i < task.size / sizeof(float); ++i)
          to[i] = i % length == 0 ? from[i] : to[i - 1] + from[i];
      });
    }
  }
};

using OnHost = Pipeline<space::Host, Bytes, BatchInvert>;
using OnDevice = Pipeline<space::Device, Bytes, DeviceInvert>;
using Elements = Pipeline<space::Device, Difference, tessera::CastTo<space::Host>, BatchInvert>;
static_assert(tessera::RunsIn<BatchInvert, space::Host> && !tessera::RunsIn<BatchInvert, space::Device>);
static_assert(OnHost::crossings == 0 && OnDevice::crossings == 0 && Elements::crossings == 1);

int main() {
  HostStore store;
  write_array(store, store, "a", bytes_invert, HostPipeline{});

  std::vector<float> result(rows * columns);
  Queue<space::Host> pool{2};
  auto const on_host_array = tessera::open_array<float, 2, OnHost>(store, "a", pool);
  on_host_array.read(tessera::all, result, {.mini_batch = 64});
  check(result == elements() && batches == 1 && in_batches == 5, "one call for a mini-batch of five chunks");
  auto const any = tessera::open_array<float, 2, tessera::Codecs<Bytes, BatchInvert>>(store, "a", pool);
  any.read(tessera::all, result, {.mini_batch = 64});
  check(result == elements() && batches == 2 && in_batches == 10, "and in a list of codecs");

  // Six chunks, of a row of differences each, pass a device codec that receives their shape.
  Queue<space::Device> on;
  Elements const pipeline{};
  auto const form = pipeline.resolve({{1, 4}, tessera::data_type_of<float>()});
  std::vector<Host> encoded;
  std::vector<stub::DeviceBuffer> decoded;
  std::vector<tessera::DecodeTask<space::Host, space::Device>> tasks;
  for (int i = 0; i < 6; ++i) {
    float const differences[] = {static_cast<float>(i), 1, 1, 1};
    Host plain{sizeof differences};
    std::memcpy(plain.span().data, differences, sizeof differences);
    encoded.emplace_back(sizeof differences);
    Invert{}.encode(plain.view(), encoded.back().span(), pool);
    decoded.emplace_back(form.decoded_size, on);
  }
  for (std::size_t i = 0; i < 6; ++i) tasks.push_back({encoded[i].view(), decoded[i].span()});
  stub::counts.reset();
  pipeline.decode(form, tasks, on);
  check(stub::counts.launches == 1 && stub::counts.crossings == 1, "one copy and one launch for six chunks");
  for (std::size_t i = 0; i < 6; ++i) {
    auto const first = static_cast<float>(i);
    check(on_host<float>(tasks[i].decoded, on) == std::vector{first, first + 1, first + 2, first + 3},
          "the shape of the chunk reached the codec");
  }
  return failed;
}
