// A codec on the host in a pipeline that begins on the device, and vice versa: the crossing is a stage.
#include <tessera/with/zstd.hpp>

#include "sample.hpp"

using namespace sample;
using tessera::CastTo, tessera::open_array, tessera::Pipeline, tessera::SplitStore;
using tessera::codec::Bytes, tessera::codec::Transpose, tessera::codec::Zstd;

template <class P>
constexpr bool crosses_once =
    P::crossings == 1 && std::is_same_v<typename P::queue_type, tessera::Queue<space::Device>>;

using BytesCross = Pipeline<space::Device, Bytes, CastTo<space::Host>, Zstd>;
using ElementsCross = Pipeline<space::Device, Transpose, CastTo<space::Host>, Bytes, Zstd>;
using TwoHostCodecs = Pipeline<space::Device, Transpose, Bytes, CastTo<space::Host>, Invert, Zstd>;
using HostArray = Pipeline<space::Host, Bytes, CastTo<space::Device>, DeviceInvert>;  // decoded where the codec is
using Twice = Pipeline<space::Host, Bytes, CastTo<space::Device>, DeviceInvert, CastTo<space::Host>, Zstd>;
static_assert(crosses_once<BytesCross> && crosses_once<ElementsCross> && crosses_once<TwoHostCodecs> &&
              crosses_once<HostArray> && Twice::crossings == 2);
static_assert(std::is_same_v<BytesCross::array_space, space::Device> &&
              std::is_same_v<BytesCross::bytes_space, space::Host>);
static_assert(std::is_same_v<HostArray::array_space, space::Host> &&
              std::is_same_v<HostArray::bytes_space, space::Device>);
using Any = tessera::AnyPipeline<space::Device, space::Host, tessera::Codecs<Bytes, Transpose, Zstd, Invert>>;
using AnyFromDevice = tessera::AnyPipeline<space::Host, space::Device, tessera::Codecs<Bytes, DeviceInvert>>;
static_assert(crosses_once<Any> && crosses_once<AnyFromDevice>);

// A chunk encoded on one route decodes on another.
template <class To, class From>
void round_trip(To const& encoding, From const& decoding, char const* what) {
  static_assert(std::is_same_v<typename To::bytes_space, space::Host> &&
                std::is_same_v<typename From::bytes_space, space::Host>);
  tessera::Queue<space::Device> on;
  tessera::ChunkSpecification const chunk{{2, 3}, tessera::data_type_of<float>()};
  auto const form = encoding.resolve(chunk), same = decoding.resolve(chunk);
  float const values[] = {1, 2, 3, 4, 5, 6};
  Host plain{sizeof values}, bytes{form.encoded_bound()};
  std::memcpy(plain.span().data, values, sizeof values);
  auto const device = tessera::copy_to<stub::DeviceBuffer>(std::move(plain), on);
  tessera::EncodeTask<space::Host, space::Device> put{device.view(), bytes.span()};
  encoding.encode(form, {&put, 1}, on);
  stub::DeviceBuffer result{same.decoded_size, on};
  tessera::DecodeTask<space::Host, space::Device> take{put.encoded, result.span()};
  decoding.decode(same, {&take, 1}, on);
  check(on_host<float>(take.decoded, on) == std::vector<float>(values, values + 6), what);
}

int main() {
  tessera::Queue<space::Device> on;
  std::string_view const zstd =
      R"([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 1}}])";
  std::string_view const transposed = R"([{"name": "transpose", "configuration": {"order": [1, 0]}},
    {"name": "bytes", "configuration": {"endian": "big"}}, {"name": "zstd", "configuration": {"level": 1}}])";
  Transpose const order{{1, 0}};
  Bytes const big{std::endian::big};
  HostStore store;
  write_array(store, store, "a", zstd, Pipeline<space::Host, Bytes, Zstd>{});
  write_array(store, store, "b", transposed, Pipeline<space::Host, Transpose, Bytes, Zstd>{order, big, {}});
  write_array(store, store, "c", bytes_invert, HostPipeline{});

  auto const bytes_cross = open_array<float, 2, BytesCross>(store, "a", on);
  check(read_on_device(bytes_cross, on) == elements(), "encoded bytes are decoded on the host, then cross");
  check(read_on_device(open_array<float, 2, ElementsCross>(store, "b", on), on) == elements(), "elements cross");
  check(read_on_device(open_array<float, 2, Any>(store, "a", on), on) == elements(),
        "codecs chosen when the file is read");
  check(read_on_device(open_array<float, 2, Any>(store, "b", on), on) == elements(), "and transposed");
  check(read_on_device(open_array<float, 2, BytesCross>(SplitStore{store, store}, "a", on), on) == elements(),
        "over a split store whose chunks are on the host");

  stub::DeviceBuffer memory{rows * columns * sizeof(float), on};
  tessera::ArrayView<float, 2, space::Device> const view{reinterpret_cast<float*>(memory.span().data), {5, 6}, {6, 1}};
  bytes_cross.read(tessera::all, view, {.mini_batch = 64}).wait();
  stub::counts.reset();
  bytes_cross.read(tessera::all, view, {.mini_batch = 64}).wait();
  check(stub::counts.crossings == 1 && stub::counts.launches == 1 && stub::counts.waits == 1 &&
            stub::counts.allocations == 0,
        "a mini-batch is one copy, one launch, no allocation; and one wait at the end");

  SplitStore const split{store, upload<DeviceStore>(store, on)};
  std::vector<float> result(rows * columns);
  open_array<float, 2, HostArray>(split, "c", on).read(tessera::all, result);
  check(result == elements(), "an array on the host whose codec is the device's");
  result.assign(result.size(), 0);
  open_array<float, 2, AnyFromDevice>(split, "c", on).read(tessera::all, result);
  check(result == elements(), "likewise, chosen when the file is read");
  check(open_array<float, 2, HostArray>(split, "c").read(tessera::all)(4, 5) == 405,
        "an array of its own, a queue of its own");

  round_trip(BytesCross{}, BytesCross{}, "written and read from the device");
  round_trip(ElementsCross{order, {}, big, {}}, ElementsCross{order, {}, big, {}}, "and with elements crossing");
  tessera::Specification const names[] = {{"bytes", tessera::Members{{"endian", "little"}}},
                                          {"invert"},
                                          {"zstd", tessera::Members{{"level", tessera::Value::integer(1)}}}};
  round_trip(Any::from(names), Pipeline<space::Device, Bytes, CastTo<space::Host>, Invert, Zstd>{}, "two routes");
  return failed;
}
