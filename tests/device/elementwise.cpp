// Codecs of single elements in device memory make the same bytes as the host's, for elements of any bits.
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <device/codec_batches.hpp>
#include <support/random_array.hpp>
#include <support/refused.hpp>
#include <tessera/codec/on_device.cuh>

namespace device_elementwise_tests {

using namespace tessera;
using codec::Bytes, codec::OnDevice;
using test::DeviceQueue, test::HostQueue, test::Random;

namespace {

template <class C>
using There = Pipeline<space::Device, OnDevice<C>, Bytes, CastTo<space::Host>>;
template <class C>
using Here = Pipeline<space::Host, C, Bytes>;

constexpr std::uint64_t rows = 60, columns = 17;

template <class T>
std::vector<T> any_elements(Random& random) {
  std::vector<T> elements(rows * columns);
  auto const bytes = random.noise(elements.size() * sizeof(T));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    T const special[]{Limits::quiet_NaN(),
                      Limits::infinity(),
                      -Limits::infinity(),
                      T(-0.0),
                      Limits::denorm_min(),
                      Limits::max(),
                      T(0.5),
                      T(1.5),
                      T(-2.5),
                      T(300)};
    std::copy(std::begin(special), std::end(special), elements.begin());
    for (std::size_t i = 100; i < 400; ++i) elements[i] = static_cast<T>(random(0, 20000)) / 16 - 500;
  }
  return elements;
}

// The bits of a computed NaN depend on the processor: where there is arithmetic, `any_nan` matches any NaN.
template <class T, bool any_nan>
bool are_same(std::string const& a, std::string const& b) {
  if constexpr (any_nan && (std::is_floating_point_v<T> || std::same_as<T, float16>)) {
    for (std::size_t i = 0; a.size() == b.size() && i < a.size() / sizeof(T) * sizeof(T); i += sizeof(T)) {
      T one, other;
      std::memcpy(&one, a.data() + i, sizeof(T)), std::memcpy(&other, b.data() + i, sizeof(T));
      bool const are_nan = one != one && other != other;
      if (!are_nan && std::memcmp(&one, &other, sizeof(T)) != 0) return false;
    }
    return a.size() == b.size();
  } else {
    return a == b;
  }
}
template <class T>
std::string bytes_of(std::vector<T> const& elements) {
  return {reinterpret_cast<char const*>(elements.data()), elements.size() * sizeof(T)};
}

template <class Store>
std::string stored(Store const& store, Key const& key) {
  HostQueue on{1};
  auto const bytes = get_value(store, key, on);
  REQUIRE(bytes);
  return {reinterpret_cast<char const*>(bytes->view().data), bytes->view().size};
}

// By a pipeline on the device and one on the host.
template <class T, bool any_nan = false, class OnThere, class OnHere>
void check_pipelines(OnThere const& on_there, OnHere const& on_here, std::vector<T> const& elements) {
  DeviceQueue on{HostQueue{2}};
  NewArray<T> const wanted{.shape = {rows, columns}, .chunks = {7, 4}};
  MemoryStore<HostBuffer> const there, here;
  auto const device = create_array<T, 2>(there, "a", wanted, on_there, on);
  auto const host = create_array<T, 2>(here, "a", wanted, on_here, HostQueue{1});
  device.on(on).write(all, test::on_device<T, 2>(elements, {rows, columns}, on)).wait();
  host.write(all, elements);
  std::size_t other = 0;
  for (std::uint64_t row = 0; row < 9; ++row)
    for (std::uint64_t column = 0; column < 5; ++column) {
      auto const key = to_text({"a/c/", row, "/", column});
      auto const one = stored(there, {key}), another = stored(here, {key});
      other += !are_same<T, any_nan>(one, another);
    }
  CHECK(other == 0);
  std::vector<T> expected(elements.size());
  host.read(all, expected);
  auto const found = test::on_host(device.on(on).read(all), on);
  CHECK(are_same<T, any_nan>(bytes_of(found), bytes_of(expected)));
}

template <class T, class C>
void check_same(C const& codec, std::uint64_t seed) {
  CAPTURE(std::string{C::name});
  CAPTURE(seed);
  Random random{seed};
  check_pipelines<T, std::same_as<C, codec::Delta>>(There<C>{OnDevice<C>{codec}, {}, {}}, Here<C>{codec, {}},
                                                    any_elements<T>(random));
}

template <class C>
C made(std::string const& configuration) {
  auto const value = parse_json(configuration);
  ObjectReader reader{value, "configuration"};
  return C::from(reader);
}

}  // namespace

TEST_CASE("codecs of single elements make on the device what they make on the host") {
  check_same<float>(codec::BitRound{{}, 5}, 1);
  check_same<double>(codec::BitRound{{}, 0}, 2);
  check_same<std::int16_t>(codec::BitRound{{}, 4}, 3);
  for (auto const* type : {"|i1", "|u1", "<i2", "<i4", "<i8", "<u8", "<f2", "<f4", "<f8"}) {
    CAPTURE(std::string{type});
    auto const astype = R"({"encode_dtype": ")" + std::string{type} + "\"}";
    check_same<float>(made<codec::AsType>(astype), 4);
    check_same<std::int64_t>(made<codec::AsType>(astype), 5);
  }
  check_same<double>(made<codec::FixedScaleOffset>(R"({"offset": 1.5, "scale": 10, "astype": "<i2"})"), 6);
  check_same<float>(made<codec::FixedScaleOffset>(R"({"offset": 1.5, "scale": 10, "astype": "|u1"})"), 7);
  check_same<std::int16_t>(made<codec::FixedScaleOffset>(R"({"offset": 3, "scale": 2, "astype": "<i4"})"), 8);
  check_same<float>(made<codec::Quantize>(R"({"digits": 2})"), 9);
  check_same<double>(made<codec::Quantize>(R"({"digits": -1, "astype": "<f4"})"), 10);
  check_same<std::int32_t>(made<codec::CastValue>(R"({"data_type": "int16", "out_of_range": "wrap"})"), 11);
  check_same<double>(
      made<codec::CastValue>(R"({"data_type": "float32", "out_of_range": "clamp", "rounding": "towards-negative"})"),
      12);
  check_same<std::int64_t>(made<codec::CastValue>(R"({"data_type": "float32", "rounding": "nearest-away"})"), 13);
  check_same<float>(made<codec::ScaleOffset>(R"({"offset": 5, "scale": 0.1})"), 14);
  check_same<std::int32_t>(made<codec::Reshape>(R"({"shape": [28]})"), 15);
}

TEST_CASE("delta makes on the device what it makes on the host") {
  auto const delta = [](std::string const& dtype, std::string const& astype) {
    return made<codec::Delta>(R"({"dtype": ")" + dtype + R"(", "astype": ")" + astype + R"("})");
  };
  check_same<float>(delta("<f4", "<f4"), 16);
  check_same<double>(delta("<f8", "<f8"), 17);
  check_same<float16>(delta("<f2", "<f2"), 22);
  for (auto const* astype : {"|i1", "|u1", "<i2", "<u4", "<i8"}) {
    CAPTURE(std::string{astype});
    check_same<std::int8_t>(delta("|i1", astype), 18);
    check_same<std::uint16_t>(delta("<u2", astype), 19);
    check_same<std::int32_t>(delta("<i4", astype), 20);
    check_same<std::uint64_t>(delta("<u8", astype), 21);
  }
}

TEST_CASE("delta says which chunk of a mini-batch it refuses on the device, too") {
  DeviceQueue on{HostQueue{1}};
  OnDevice<codec::Delta> const codec{made<codec::Delta>(R"({"dtype": "<i4"})")};
  std::byte memory[8]{};  // it is refused before anything is changed
  CodecTask<space::Device> tasks[]{{{memory, 4}, {memory + 4, 4}}, {{memory, 4}, {memory + 4, 3}}};
  ChunkSpecification const chunk{{1}, {DataKind::signed_integer, 4}, {}};
  auto const refused = [&](auto&& f) {
    try {
      f();
    } catch (CodecError const& error) {
      return error.chunk() == 1;
    }
    return false;
  };
  CHECK(refused([&] { codec.decode(chunk, tasks, on); }));
  CHECK(refused([&] { codec.encode(chunk, tasks, on); }));
}

TEST_CASE("packbits and shuffle make on the device what they make on the host") {
  using codec::PackBits, codec::Shuffle;
  auto const packed = [](auto one, std::string const& configuration, std::uint64_t seed) {
    CAPTURE(configuration);
    Random random{seed};
    auto const codec = made<PackBits>(configuration);
    check_pipelines(Pipeline<space::Device, OnDevice<PackBits>, CastTo<space::Host>>{OnDevice<PackBits>{codec}, {}},
                    Pipeline<space::Host, PackBits>{codec}, any_elements<decltype(one)>(random));
  };
  for (auto const* padding : {"none", "first_byte", "last_byte"}) {
    auto const with = [&](std::string const& bits) {
      return R"({"padding_encoding": ")" + std::string{padding} + "\"" + bits + "}";
    };
    packed(std::uint8_t{}, with(""), 22);
    packed(std::int32_t{}, with(R"(, "first_bit": 3, "last_bit": 7)"), 23);
    packed(std::int64_t{}, with(R"(, "first_bit": 1, "last_bit": 62)"), 24);
    packed(std::uint16_t{}, with(R"(, "last_bit": 0)"), 25);
    packed(float{}, with(R"(, "first_bit": 13)"), 26);
  }
  auto const shuffled = [](auto one, std::size_t size, std::uint64_t seed) {
    CAPTURE(size);
    Random random{seed};
    Shuffle const codec{size};
    check_pipelines(
        Pipeline<space::Device, Bytes, OnDevice<Shuffle>, CastTo<space::Host>>{{}, OnDevice<Shuffle>{codec}, {}},
        Pipeline<space::Host, Bytes, Shuffle>{{}, codec}, any_elements<decltype(one)>(random));
  };
  shuffled(float{}, 4, 27);
  shuffled(double{}, 8, 28);
  shuffled(std::int16_t{}, 7, 29);  // of 56 bytes
  shuffled(std::uint8_t{}, 0, 30);
  shuffled(std::uint8_t{}, 28, 31);  // one element is the whole chunk
}

TEST_CASE("a byte of padding that is wrong is an error of its chunk on the device, too") {
  DeviceQueue on{HostQueue{1}};
  MemoryStore<HostBuffer> const store;
  using C = codec::PackBits;
  auto const array = create_array<std::uint8_t, 1>(
      store, "a", {.shape = {12}, .chunks = {4}},
      Pipeline<space::Device, OnDevice<C>, CastTo<space::Host>>{
          OnDevice<C>{made<C>(R"({"padding_encoding": "last_byte", "last_bit": 2})")}, {}},
      on);
  std::vector<std::uint8_t> const elements{1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5};
  array.on(on).write(all, test::on_device<std::uint8_t, 1>(elements, {12}, on)).wait();
  CHECK(test::on_host(array.on(on).read(all), on) == elements);
  auto bytes = stored(store, {"a/c/1"});
  bytes.back() = 3;
  HostQueue host{1};
  store.write({"a/c/1"}, {reinterpret_cast<std::byte const*>(bytes.data()), bytes.size()}, host);
  test::check_refused<CodecError>([&] { (void)array.on(on).read(all); },
                                  {"\"a/c/1\"", "packbits", "bits of padding, expected 4"});
}

TEST_CASE("packbits of numcodecs makes on the device what it makes on the host, and refuses what it refuses") {
  using C = codec::PackedBooleans;
  Random random{32};
  std::vector<std::uint8_t> elements(rows * columns);
  for (auto& element : elements) element = static_cast<std::uint8_t>(random(0, 1));
  DeviceQueue on{HostQueue{2}};
  OwnedArray<bool, 2, DeviceBuffer> memory{{rows, columns}, on};
  crossing<space::Device, space::Host>::copy(
      test::bytes_of(elements), {reinterpret_cast<std::byte*>(memory.data()), elements.size()}, on);
  on.wait();
  std::span<bool const> const booleans{reinterpret_cast<bool const*>(elements.data()), elements.size()};
  for (auto const& chunks : {Extents{7, 4}, Extents{8, 4}, Extents{1, 1}, Extents{60, 17}}) {
    CAPTURE(to_string(chunks));
    NewArray<bool> const wanted{.shape = {rows, columns}, .chunks = chunks};
    MemoryStore<HostBuffer> const there, here;
    auto const device = create_array<bool, 2>(there, "a", wanted, There<C>{OnDevice<C>{C{}}, {}, {}}, on);
    auto const host = create_array<bool, 2>(here, "a", wanted, Here<C>{C{}, {}}, HostQueue{1});
    device.on(on).write(all, memory).wait();
    host.write(all, booleans);
    std::size_t compared = 0;
    here.list("a/c", [&](Listed const& entry) {
      CHECK(stored(there, Key{std::string{entry.path}}) == stored(here, Key{std::string{entry.path}}));
      ++compared;
    });
    CHECK(compared > 0);
    auto const found = device.on(on).read(all);
    std::vector<std::uint8_t> read(elements.size());
    crossing<space::Host, space::Device>::copy({reinterpret_cast<std::byte const*>(found.data()), read.size()},
                                               test::room_in(read), on);
    on.wait();
    CHECK(read == elements);
    Key const first{"a/c/0/0"};
    auto bytes = stored(here, first);
    bytes.front() = static_cast<char>(bytes.front() ^ 1);
    HostQueue here_on{1};
    there.write(first, {reinterpret_cast<std::byte const*>(bytes.data()), bytes.size()}, here_on);
    test::check_refused<CodecError>([&] { (void)device.on(on).read(all); },
                                    {"\"a/c/0/0\"", "numcodecs.packbits", "bits of padding, expected"});
  }
}

TEST_CASE("an element that becomes nothing is an error of its chunk on the device, too") {
  DeviceQueue on{HostQueue{1}};
  MemoryStore<HostBuffer> const store;
  using C = codec::CastValue;
  auto const array = create_array<int, 1>(store, "a", {.shape = {12}, .chunks = {4}},
                                          There<C>{OnDevice<C>{made<C>(R"({"data_type": "int8"})")}, {}, {}}, on);
  std::vector<int> elements(12, 5);
  elements[9] = 200;
  test::check_refused<CodecError>([&] { array.on(on).write(all, test::on_device<int, 1>(elements, {12}, on)).wait(); },
                                  {"\"a/c/2\"", "cast_value", "element 1 of the chunk"});
  elements[9] = -100;
  array.on(on).write(all, test::on_device<int, 1>(elements, {12}, on)).wait();
  CHECK(test::on_host(array.on(on).read(all), on) == elements);
}

TEST_CASE("a list takes the codec of elements that runs where they are") {
  DeviceQueue on{HostQueue{1}};
  MemoryStore<HostBuffer> const store;
  auto const elements = test::numbers_from(1.f, 12);
  create_array<float, 1>(store, "a", {.shape = {12}, .chunks = {4}}, Here<codec::BitRound>{{{}, 3}, {}},
                         HostQueue{1})
      .write(all, elements);
  using Known = AnyPipeline<space::Device, space::Device, Codecs<codec::BitRound, OnDevice<codec::BitRound>, Bytes>>;
  using Both = AnyPipeline<space::Device, space::Host, Codecs<codec::BitRound, OnDevice<codec::BitRound>, Bytes>>;
  CHECK_NOTHROW(Known::from(open_array<float, 1, Codecs<codec::BitRound, Bytes>>(store, "a").metadata().codecs));
  auto const found = test::on_host(open_array<float, 1, Both>(store, "a", on).read(all), on);
  CHECK(found[8] == 9);
  CHECK(found[10] == 11);
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("a mini-batch is one launch of a codec of elements, and one that places them") {
  DeviceQueue on{HostQueue{1}};
  MemoryStore<HostBuffer> const store;
  using C = codec::FixedScaleOffset;
  auto const array = test::in_chunks::made(
      store, There<C>{OnDevice<C>{made<C>(R"({"offset": 0, "scale": 1, "astype": "<i4"})")}, {}, {}}, on);
  array.on(on).write(all, test::on_device<float, 2>(test::in_chunks::elements, test::in_chunks::shape, on)).wait();
  auto memory =
      test::on_device<float, 2>(std::vector<float>(test::in_chunks::elements.size()), test::in_chunks::shape, on);
  ReadOptions const options{.mini_batch = every_chunk};
  array.read(all, memory, options).wait();
  emulation::Watch const watch;
  array.read(all, memory, options).wait();
  CHECK(watch.launches() == 2);
  CHECK(watch.synchronisations() == 0);
  CHECK(test::on_host(memory, on) == test::in_chunks::elements);
}
#endif

}  // namespace device_elementwise_tests
