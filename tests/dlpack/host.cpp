// Tensors of other producers, and host memory as tensors: without CUDA.
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/core/types/small_numbers.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/dlpack.hpp>

using namespace tessera;

namespace {

// An older producer, whose tensor counts the calls of its deleter.
template <class Managed>
struct Producer {
  int deleted = 0;
  float elements[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  Managed managed{};

  Producer() {
    managed.dl_tensor = {elements, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Producer*>(self->manager_ctx)->deleted; };
    if constexpr (requires { managed.version; }) managed.version = {1, 0};
  }
  std::string refusal() {
    try {
      dlpack::Tensor const tensor{&managed};
      (void)dlpack::view<float, 2>(tensor);
    } catch (Error const& error) {
      return error.what();
    }
    return "";
  }
};
using New = Producer<DLManagedTensorVersioned>;
using Old = Producer<DLManagedTensor>;

}  // namespace

TEST_CASE_TEMPLATE("DLPack: a producer's tensor is a destination and a source, and is deleted once", P, New, Old) {
  P producer;
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<float, 2>(store, "a", {.shape = {2, 3}, .chunks = {2, 2}},
                                            Pipeline<space::Host, codec::Bytes>{});
  {
    dlpack::Tensor const tensor{&producer.managed};
    array.write(all, dlpack::view<float const, 2>(tensor));
    for (auto& x : producer.elements) x = 0;
    array.read(all, dlpack::view<float, 2>(tensor));
    CHECK(producer.deleted == 0);
  }
  CHECK(producer.deleted == 1);
  for (int i = 0; i < 6; ++i) CHECK(producer.elements[i] == static_cast<float>(i + 1));
}

TEST_CASE("DLPack: strides of null are C order; negative ones, byte offsets and rank 0 are taken as they are") {
  {
    New producer;
    producer.managed.dl_tensor.strides = nullptr;
    dlpack::Tensor const tensor{&producer.managed};
    CHECK(dlpack::view<float, 2>(tensor)(1, 0) == 4);
  }
  {
    New producer;
    producer.strides[1] = -1;
    producer.managed.dl_tensor.byte_offset = 2 * sizeof(float);
    dlpack::Tensor const tensor{&producer.managed};
    CHECK(dlpack::view<float, 2>(tensor)(1, 0) == 6);
    CHECK(dlpack::view<float, 2>(tensor)(1, 2) == 4);
  }
  New producer;
  producer.managed.dl_tensor.ndim = 0;
  producer.managed.dl_tensor.shape = producer.managed.dl_tensor.strides = nullptr;
  dlpack::Tensor const tensor{&producer.managed};
  CHECK(dlpack::view<float, 0>(tensor)() == 1);
}

TEST_CASE("DLPack: a tensor without elements has no memory") {
  New producer;
  producer.shape[0] = 0;
  producer.managed.dl_tensor.data = nullptr;
  dlpack::Tensor const tensor{&producer.managed};
  CHECK(dlpack::view<float, 2>(tensor).data == nullptr);
  auto const shared = dlpack::share(OwnedArray<float, 2, HostBuffer>{{0, 3}, Queue<space::Host>{}.host()});
  auto const mine = dlpack::hand_over(shared);
  CHECK(mine.get().data == nullptr);
  CHECK(mine.get().shape[1] == 3);
}

TEST_CASE("DLPack: what cannot be taken is refused with its reason, and deleted once") {
  auto const refused = [](auto change) {
    New producer;
    change(producer, producer.managed.dl_tensor);
    auto const why = producer.refusal();
    CHECK(producer.deleted == 1);
    return why;
  };
  CHECK(refused([](auto& p, auto&) { p.managed.version.major = 2; }) ==
        "the tensor is of DLPack version 2, expected 1");
  CHECK(refused([](auto& p, auto&) { p.managed.version.minor = 99; }) == "");
  CHECK(refused([](auto& p, auto&) { p.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY; }) ==
        "the tensor is read-only: ask for const elements");
  CHECK(refused([](auto&, auto& t) {
          t.dtype = {kDLBfloat, 16, 1};
        }) == "the tensor's elements are bfloat16, expected float32, which this program asks for");
  CHECK(refused([](auto&, auto& t) {
          t.dtype = {kDLFloat8_e5m2, 8, 1};
        }) == "the tensor's elements are float8_e5m2, expected float32, which this program asks for");
  CHECK(refused([](auto&, auto& t) {
          t.dtype = {kDLFloat4_e2m1fn, 4, 1};
        }) ==
        "the tensor packs its float4_e2m1fn numbers, expected one in each byte and the flag IS_SUBBYTE_TYPE_PADDED");
  CHECK(refused([](auto&, auto& t) { t.dtype.lanes = 4; }) ==
        "the tensor's elements are float32 of 4 lanes, which tessera has no data type for");
  CHECK(refused([](auto&, auto& t) {
          t.dtype = {kDLInt, 4, 1};
        }) == "the tensor packs its int4 numbers, expected one in each byte and the flag IS_SUBBYTE_TYPE_PADDED");
  CHECK(refused([](auto& p, auto& t) {
          t.dtype = {kDLInt, 4, 1}, p.managed.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
        }) == "the tensor's elements are int4, expected float32, which this program asks for");
  CHECK(refused([](auto&, auto& t) {
          t.dtype = {kDLInt, 32, 1};
        }) == "the tensor's elements are int32, expected float32, which this program asks for");
  CHECK(refused([](auto&, auto& t) { t.ndim = 1; }) == "the tensor has 1 dimensions, expected 2");
  CHECK(refused([](auto&, auto& t) { t.ndim = -1; }).find("-1 dimensions") != std::string::npos);
  CHECK(refused([](auto&, auto& t) { t.ndim = 1000; }).find("1000 dimensions") != std::string::npos);
  CHECK(refused([](auto& p, auto&) { p.shape[1] = -3; }) ==
        "dimension 1 of the tensor has length -3, expected 0 or more");
  for (auto const length : {std::int64_t{1} << 31, std::numeric_limits<std::int64_t>::max()}) {
    New vast;
    vast.shape[0] = vast.shape[1] = length, vast.managed.dl_tensor.strides = nullptr;
    dlpack::Tensor const tensor{&vast.managed};
    CHECK_THROWS_AS((dlpack::view<float, 2>(tensor)), ExchangeError);
  }
  CHECK(refused([](auto& p, auto&) { p.strides[0] = std::int64_t{1} << 62; }) ==
        "dimension 0 of the tensor has a stride of 4611686018427387904 elements");
  CHECK(refused([](auto& p, auto&) { p.strides[1] = std::numeric_limits<std::int64_t>::min(); }) ==
        "dimension 1 of the tensor has a stride of -9223372036854775808 elements");
  CHECK(refused([](auto& p, auto&) { p.shape[0] = 1, p.strides[0] = std::int64_t{1} << 62; }) == "");
  CHECK(refused([](auto&, auto& t) { t.byte_offset = 1; }) ==
        "the tensor's memory is not aligned to the 4 bytes of float32");
  CHECK(refused([](auto&, auto& t) { t.data = nullptr; }) == "the tensor has elements but no memory");
  CHECK(refused([](auto&, auto& t) { t.shape = nullptr; }) == "the tensor has dimensions but no shape");
  CHECK(refused([](auto&, auto& t) {
          t.device = {kDLCUDA, 1};
        }) == "the tensor is in the memory of CUDA device 1, expected that of the host");
  CHECK(refused([](auto&, auto& t) { t.device = {kDLCUDAHost, 0}; }) == "");
  New none;
  none.managed.deleter = nullptr;  // which the header allows
  CHECK(none.refusal() == "");
}

TEST_CASE("DLPack: every data type but raw bits has one type of DLPack, and comes back") {
  for (auto type : data_types) CHECK(dlpack::data_type_of(dlpack::type_of(type)) == type);
  for (auto const format : {NumberFormat::bfloat16, NumberFormat::float8_e3m4, NumberFormat::float8_e4m3,
                            NumberFormat::float8_e4m3b11fnuz, NumberFormat::float8_e4m3fn,
                            NumberFormat::float8_e4m3fnuz, NumberFormat::float8_e5m2, NumberFormat::float8_e5m2fnuz,
                            NumberFormat::float8_e8m0fnu}) {
    DataType const type{DataKind::floating, detail::size_of(format), format};
    CHECK(dlpack::name_of(dlpack::type_of(type)) == type.name());
    CHECK(dlpack::data_type_of(dlpack::type_of(type)) == type);
  }
  CHECK(dlpack::data_type_of(dlpack::type_of({DataKind::complex, 4})) == DataType{DataKind::complex, 4});
  for (auto const type : {DataType{DataKind::signed_integer, 1, NumberFormat::int2},
                          DataType{DataKind::unsigned_integer, 1, NumberFormat::int4},
                          DataType{DataKind::floating, 1, NumberFormat::float6_e2m3fn},
                          DataType{DataKind::floating, 1, NumberFormat::float6_e3m2fn},
                          DataType{DataKind::floating, 1, NumberFormat::float4_e2m1fn}}) {
    CHECK(dlpack::name_of(dlpack::type_of(type)) == type.name());
    CHECK(dlpack::data_type_of(dlpack::type_of(type), true) == type);
    CHECK_THROWS_AS(dlpack::data_type_of(dlpack::type_of(type)), ExchangeError);
  }
  CHECK_THROWS_WITH_AS(dlpack::type_of({DataKind::complex, 4, NumberFormat::bfloat16}),
                       "DLPack has no data type for complex_bfloat16", ExchangeError);
  CHECK_THROWS_AS(dlpack::type_of({DataKind::datetime, 8}), ExchangeError);
  CHECK_THROWS_WITH_AS(dlpack::type_of({DataKind::raw, 3}), "DLPack has no data type for r24", ExchangeError);
  auto const complex = dlpack::type_of(tessera::data_type_of<std::complex<float>>());
  CHECK(complex.code == kDLComplex);
  CHECK(complex.bits == 64);
  CHECK(dlpack::type_of(tessera::data_type_of<bool>()).code == kDLBool);
}

TEST_CASE("DLPack: the host's memory is shown without a copy, and lives until the last tensor is gone") {
  Queue<space::Host> on;
  OwnedArray<float, 2, HostBuffer> array{{2, 3}, on};
  for (auto& x : array) x = 7;
  auto* const data = array.data();
  auto shared = dlpack::share(std::move(array));
  std::weak_ptr<void const> const owner = shared.owner;
  auto first = dlpack::hand_over(shared);
  auto* const second = dlpack::hand_over(shared, {.max_version = std::nullopt}).release_old();
  shared.owner.reset();
  CHECK(first.get().data == data);
  CHECK(first.flags() == 0);
  CHECK(second->dl_tensor.data == data);
  std::thread{[tensor = std::move(first)] {}}.join();
  CHECK(*static_cast<float*>(second->dl_tensor.data) == 7);
  second->deleter(second);
  CHECK(owner.expired());
}

TEST_CASE("DLPack: numbers of fewer bits than a byte are exchanged with one in each byte") {
  std::vector<int4_bits> elements(3);
  auto const shared = dlpack::share(ArrayView<int4_bits, 1>{elements.data(), {3}, {1}}, nullptr);
  auto const tensor = dlpack::hand_over(shared);
  CHECK(tensor.flags() == DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
  CHECK(tensor.get().dtype.bits == 4);
  CHECK(dlpack::view<int4_bits, 1>(tensor).data == elements.data());
  CHECK_THROWS_WITH_AS((void)dlpack::hand_over(shared, {.max_version = std::nullopt}),
                       "DLPack has tensors of int4 with one number in each byte from version 1.1 on", ExchangeError);
  CHECK_THROWS_AS((void)dlpack::hand_over(shared, {.max_version = DLPackVersion{1, 0}}), ExchangeError);
}

TEST_CASE("DLPack: the host refuses streams and devices, and copies what it cannot show") {
  std::vector<std::uint16_t> const elements{0x0102, 0x0304};
  ArrayView<std::uint16_t const, 1> const view{elements.data(), {2}, {1}};
  auto shared = dlpack::share(view, nullptr);
  CHECK(dlpack::hand_over(shared).is_read_only());
  CHECK_THROWS_WITH_AS((void)dlpack::hand_over(shared, {.stream = 1}),
                       "found a stream, expected none: host tensors have no stream", ExchangeError);
  CHECK_THROWS_WITH_AS((void)dlpack::hand_over(shared, {.device = DLDevice{kDLCUDA, 0}}),
                       "the consumer asks for CUDA device 0, but the elements are in host memory", ExchangeError);
  CHECK_THROWS_WITH_AS(
      (void)dlpack::hand_over(shared, {.max_version = DLPackVersion{0, 8}, .copy = dlpack::Copying::never}),
      "the consumer allows no copy, but the array is read-only, which unversioned DLPack cannot express",
      ExchangeError);
  shared.layout.swapped = 2;
  CHECK_THROWS_WITH_AS((void)dlpack::hand_over(shared, {.copy = dlpack::Copying::never}),
                       "the consumer allows no copy, but the elements are not in native byte order", ExchangeError);
  auto const copy = dlpack::hand_over(shared);
  CHECK(copy.is_copied());
  CHECK(!copy.is_read_only());
  CHECK(dlpack::view<std::uint16_t, 1>(copy)(1) == 0x0403);
  struct [[gnu::packed]] Record {
    char tag;
    std::uint16_t value;
  };
  static Record records[2] = {{'a', 5}, {'b', 6}};
  dlpack::Shared<space::Host> const odd{
      reinterpret_cast<std::byte*>(&records[0]) + 1, {DataKind::unsigned_integer, 2}, {{2}, {3}, 2, 1}, false, nullptr};
  auto const dense = dlpack::hand_over(odd);
  CHECK(dlpack::view<std::uint16_t, 1>(dense)(1) == 6);
}
