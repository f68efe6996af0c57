// The exchange by DLPack: the result for each consumer, for each request and each kind of memory.
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <device/arrays.hpp>
#include <device/capturing.hpp>
#include <tessera/with/dlpack.cuh>

using namespace tessera;
using dlpack::Copying;
using test::DeviceQueue, test::HostQueue, test::under_seeds;

namespace {

constexpr std::uint64_t count = 6;  // elements of 2 bytes, of shape 2 x 3

enum class Form { plain, read_only, swapped, transposed };
enum class Way { refused, shown, copied };

struct Row {
  DLDeviceType from;
  Form form;
  Copying copy;
  std::optional<DLDevice> device;
  int stream;  // 0: none; 1: legacy; 2: the consumer's own; 3: -1; 4: 0, which is ambiguous; 5: -7
  bool is_old;
};

std::string text_of(Row const& row) {
  return to_text({"from ", static_cast<int>(row.from), ", form ", static_cast<int>(row.form), ", copy ",
                  static_cast<int>(row.copy), ", to ", row.device ? dlpack::name_of(*row.device) : std::string{"any"},
                  ", stream ", row.stream, row.is_old ? ", old" : ", versioned"});
}

// The rules again, as a table: the array API's text of __dlpack__, and the properties of tessera's memory.
Way expected(Row const& row) {
  bool const is_host = row.from == kDLCPU;
  auto const target = row.device ? row.device->device_type : row.from;
  bool const to_other_gpu = row.device && target == kDLCUDA && row.device->device_id != 0;
  bool const to_unknown = target == kDLROCM;
  if (row.stream != 0 && target == kDLCPU) return Way::refused;
  if (row.stream == 4 || row.stream == 5) return Way::refused;
  if (to_other_gpu || to_unknown) return Way::refused;
  bool const is_seen = target == row.from || (target == kDLCPU && row.from != kDLCUDA) || (is_host && target == kDLCPU);
  bool const is_shown = is_seen && row.form != Form::swapped && !(row.form == Form::read_only && row.is_old);
  if (row.copy == Copying::always) return Way::copied;
  if (is_shown) return Way::shown;
  return row.copy == Copying::never ? Way::refused : Way::copied;
}

template <class B>
dlpack::Shared<typename B::space_type> source_of(Form form, DeviceQueue& on) {
  std::vector<std::uint16_t> elements;
  for (std::uint16_t i = 0; i < count; ++i)
    elements.push_back(form == Form::swapped ? static_cast<std::uint16_t>((0x0100 + i) << 8 | 1)
                                             : static_cast<std::uint16_t>(0x0100 + i));
  std::string bytes(count * 2, '\0');
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  auto shared = dlpack::share(test::made<B>(bytes, on));
  shared.type = tessera::data_type_of<std::uint16_t>();
  shared.layout = Layout::c_order({2, 3}, 2);
  if (form == Form::swapped) shared.layout.swapped = 2;
  if (form == Form::transposed) shared.layout = {{3, 2}, {2, 6}, 2, 1};
  shared.read_only = form == Form::read_only;
  return shared;
}

// The bytes that the consumer sees from work of its stream, or at once; then it calls the deleter, from another thread.
void expect_elements(dlpack::Tensor tensor, Row const& row, cudaStream_t stream) {
  auto const& seen = tensor.get();
  auto const elements = dlpack::elements_of(tensor);
  bool const is_transposed = row.form == Form::transposed;
  CHECK(elements.layout.shape == (is_transposed ? Extents{3, 2} : Extents{2, 3}));
  REQUIRE(seen.strides != nullptr);
  std::vector<std::uint16_t> memory(count);
  bool const on_device = seen.device.device_type == kDLCUDA;
  bool const is_ordered = on_device ? row.stream < 3 : row.stream == 0;
  if (!is_ordered) cudaDeviceSynchronize();  // it requested no order, or that of a stream
  if (on_device) {
    auto const own = row.stream == 2 ? stream : cudaStreamLegacy;
    cudaMemcpyAsync(memory.data(), elements.data, count * 2, cudaMemcpyDeviceToHost, own);
    cudaStreamSynchronize(own);
  } else {
    std::memcpy(memory.data(), elements.data, count * 2);
  }
  for (std::uint64_t i = 0; i < elements.layout.shape[0]; ++i)
    for (std::uint64_t j = 0; j < elements.layout.shape[1]; ++j) {
      auto const at = detail::offset({i, j}, elements.layout.strides) / 2;
      auto const wanted = is_transposed ? j * 3 + i : i * 3 + j;
      CHECK(memory[static_cast<std::size_t>(at)] == 0x0100 + wanted);
    }
  std::thread{[owned = std::move(tensor)]() mutable { dlpack::Tensor{}.operator=(std::move(owned)); }}.join();
}

template <class B>
void check_row(Row const& row) {
  CAPTURE(text_of(row));
  DeviceQueue on{HostQueue{}};
  cudaStream_t own = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) == cudaSuccess);
  {
    auto const source = source_of<B>(row.form, on);
    std::weak_ptr<void const> const owner = source.owner;
    dlpack::Request wanted{.device = row.device, .copy = row.copy};
    if (row.is_old) wanted.max_version.reset();
    std::intptr_t const streams[] = {0, 1, reinterpret_cast<std::intptr_t>(own), -1, 0, -7};
    if (row.stream != 0) wanted.stream = streams[row.stream];
    auto const way = expected(row);
    emulation::Watch const watch;
    if (way == Way::refused) {
      CHECK_THROWS_AS((void)dlpack::hand_over(source, on, wanted), ExchangeError);
      CHECK(test::copies(watch) + watch.launches() == 0);
    } else {
      auto tensor = dlpack::hand_over(source, on, wanted);
      auto const target = row.device ? row.device->device_type : row.from;
      CHECK(tensor.get().device.device_type == target);
      CHECK(tensor.is_old() == row.is_old);
      CHECK(tensor.is_copied() == (way == Way::copied && !row.is_old));
      CHECK(tensor.is_read_only() == (way == Way::shown && row.form == Form::read_only));
      CHECK((tensor.get().data == source.data) == (way == Way::shown));
      if (way == Way::shown) CHECK(test::copies(watch) + watch.launches() == 0);  // not a byte
      expect_elements(std::move(tensor), row, own);
    }
    on.wait();
    CHECK(owner.use_count() == 1);  // every tensor's share of it was released, once
  }
  REQUIRE(cudaStreamDestroy(own) == cudaSuccess);
}

template <class B>
void check_rows(DLDeviceType from) {
  std::optional<DLDevice> const devices[] = {
      std::nullopt,         DLDevice{kDLCPU, 0},      DLDevice{kDLCUDA, 0},
      DLDevice{kDLCUDA, 1}, DLDevice{kDLCUDAHost, 0}, DLDevice{kDLCUDAManaged, 0},
      DLDevice{kDLROCM, 0}};
  for (auto form : {Form::plain, Form::read_only, Form::swapped, Form::transposed})
    for (auto copy : {Copying::if_needed, Copying::always, Copying::never})
      for (auto const& device : devices)
        for (int stream = 0; stream < 6; ++stream)
          for (bool is_old : {false, true}) check_row<B>({from, form, copy, device, stream, is_old});
}

}  // namespace

TEST_CASE("DLPack: memory x form x copy x device x stream x version, the host's memory") {
  under_seeds(4, [] { check_rows<HostBuffer>(kDLCPU); });
}
TEST_CASE("DLPack: memory x form x copy x device x stream x version, pinned memory") {
  under_seeds(4, [] { check_rows<PinnedBuffer>(kDLCUDAHost); });
}
TEST_CASE("DLPack: memory x form x copy x device x stream x version, managed memory") {
  under_seeds(4, [] { check_rows<ManagedBuffer>(kDLCUDAManaged); });
}
TEST_CASE("DLPack: memory x form x copy x device x stream x version, device memory") {
  under_seeds(4, [] { check_rows<DeviceBuffer>(kDLCUDA); });
}

TEST_CASE("DLPack: the values of streams are those of the array API") {
  CHECK(!dlpack::detail::handle_of(-1));
  CHECK(dlpack::detail::handle_of(1) == cudaStreamLegacy);
  CHECK(dlpack::detail::handle_of(2) == cudaStreamPerThread);
  CHECK(reinterpret_cast<std::intptr_t>(*dlpack::detail::handle_of(4711)) == 4711);
  CHECK_THROWS_AS(dlpack::detail::handle_of(0), ExchangeError);
}

TEST_CASE("DLPack: memory is used again after what the consumer's stream was given before the deleter") {
  auto const no_call = ~std::size_t{0};  // none fails; otherwise that call of the deleter
  for (auto const failing : {no_call, std::size_t{0}, std::size_t{1}, std::size_t{2}})
    for (bool is_legacy : {true, false})
      under_seeds(16, [&] {
        CAPTURE(failing);
        DeviceQueue on{HostQueue{}};
        cudaStream_t own = nullptr;
        if (!is_legacy) REQUIRE(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) == cudaSuccess);
        std::byte* seen = nullptr;
        REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&seen), 100) == cudaSuccess);
        {
          auto tensor = dlpack::hand_over(dlpack::share(test::made<DeviceBuffer>(std::string(100, 'a'), on)), on,
                                          {.stream = is_legacy ? 1 : reinterpret_cast<std::intptr_t>(own)});
          auto const stream = is_legacy ? cudaStreamLegacy : own;
          cudaMemcpyAsync(seen, tensor.get().data, 100, cudaMemcpyDeviceToHost, stream);
          emulation::fail(failing);
        }
        emulation::fail_nothing();
        auto const next = test::made<DeviceBuffer>(std::string(100, 'b'), on);
        on.wait();
        cudaDeviceSynchronize();
        CHECK(std::string(reinterpret_cast<char const*>(seen), 100) == std::string(100, 'a'));
        REQUIRE(cudaFreeHost(seen) == cudaSuccess);
        if (!is_legacy) REQUIRE(cudaStreamDestroy(own) == cudaSuccess);
      });
}

// CUDA refuses to wait for a device of which a stream is being captured.
TEST_CASE("DLPack: memory of a tensor that is deleted during a capture stays until the device is waited for") {
  enum class By { another_deleter, trim, the_end };
  auto const check = [](By by) {
    DeviceQueue on{HostQueue{}};
    cudaStream_t own = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) == cudaSuccess);
    std::byte* seen = nullptr;
    REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&seen), 100) == cudaSuccess);
    std::weak_ptr<void const> owner;
    auto const hand_over = [&](char letter) {
      auto shared = dlpack::share(test::made<DeviceBuffer>(std::string(100, letter), on));
      owner = shared.owner;
      return dlpack::hand_over(shared, on, {.stream = reinterpret_cast<std::intptr_t>(own)});
    };
    {
      auto tensor = hand_over('a');
      cudaMemcpyAsync(seen, tensor.get().data, 100, cudaMemcpyDeviceToHost, own);
      test::Capturing capture;
      tensor = {};
      CHECK(capture.end() == cudaErrorStreamCaptureInvalidated);
    }
    {
      auto const next = test::made<DeviceBuffer>(std::string(100, 'b'), on);
      on.wait();
    }
    auto const first = owner;
    CHECK(!first.expired());
    if (by == By::another_deleter) hand_over('c') = {};
    if (by == By::trim) on.trim();
    if (by == By::the_end) on = DeviceQueue{HostQueue{}};
    CHECK(first.expired());
    REQUIRE(cudaStreamSynchronize(own) == cudaSuccess);
    CHECK(std::string(reinterpret_cast<char const*>(seen), 100) == std::string(100, 'a'));
    REQUIRE(cudaFreeHost(seen) == cudaSuccess);
    REQUIRE(cudaStreamDestroy(own) == cudaSuccess);
  };
  for (auto by : {By::another_deleter, By::trim, By::the_end}) under_seeds(16, [&] { check(by); });
}

TEST_CASE("DLPack: a tensor outlives array, store and queue, and its deleter may come late or never") {
  under_seeds(4, [] {
    dlpack::Tensor kept;
    {
      DeviceQueue on{HostQueue{}};
      auto const elements = test::on_device<float, 2>(test::numbers_from(1.f, 12), {3, 4}, on);
      kept = dlpack::hand_over(dlpack::share(test::on_device<float, 2>(test::numbers_from(1.f, 12), {3, 4}, on)), on);
    }
    float last = 0;
    auto const* const data = static_cast<float const*>(kept.get().data);
    REQUIRE(cudaMemcpy(&last, data + 11, sizeof last, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(last == 12);
    std::thread{[owned = std::move(kept)] {}}.join();
  });
}

TEST_CASE("DLPack: the source of a copy stays until the copy is made") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}};
    auto source = dlpack::share(test::made<HostBuffer>("abcdef", on));
    on.wait();
    std::weak_ptr<void const> const owner = source.owner;
    auto const copy = dlpack::hand_over(source, on, {.device = DLDevice{kDLCUDA, 0}, .stream = -1});
    source.owner.reset();
    auto const is_done = on.record().is_done();
    CHECK((is_done || !owner.expired()));
    on.wait();
    CHECK(owner.expired());
    CHECK(test::text(ByteView<space::Device>{static_cast<std::byte const*>(copy.get().data), 6}, on) == "abcdef");
  });
}

TEST_CASE("DLPack: the k-th call of a copy fails: its source may go") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);  // late
    bool failed = false;
    {
      DeviceQueue on{HostQueue{}}, apart{HostQueue{}};
      auto source = source_of<DeviceBuffer>(Form::transposed, apart);
      apart.wait();
      emulation::fail(k);
      try {
        (void)dlpack::hand_over(source, on, {.device = DLDevice{kDLCPU, 0}});
      } catch (Error const&) {
        CHECK(emulation::has_failed());
      }
      failed = emulation::has_failed();
      emulation::fail_nothing();
      source.owner.reset();
      apart.wait();
      apart.trim();
      CHECK_NOTHROW(on.wait());
    }
    test::check_nothing_left();
    if (!failed) {
      CHECK(k > 3);
      break;
    }
  }
}

TEST_CASE("DLPack: tensors of a device are read into and written from") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}};
    MemoryStore<HostBuffer> const store;
    auto const array =
        create_array<float, 2>(store, "a", {.shape = {3, 4}, .chunks = {2, 2}}, test::FromHost{}, on);
    auto const from = dlpack::hand_over(
        dlpack::share(test::on_device<float, 2>(test::numbers_from(1.f, 12), {3, 4}, on)), on, {.stream = -1});
    array.write(all, dlpack::view<float const, 2, space::Device>(from, on)).wait();
    OwnedArray<float, 2, DeviceBuffer> there{{3, 4}, on};
    auto const to = dlpack::hand_over(dlpack::share(there.view(), nullptr), on, {.stream = -1});
    emulation::Watch const watch;
    array.read(all, dlpack::view<float, 2, space::Device>(to, on)).wait();
    CHECK(watch.copied(cudaMemcpyDeviceToDevice) == 0);
    CHECK(test::on_host(there, on) == test::numbers_from(1.f, 12));
  });
}

TEST_CASE("DLPack: a space or a device number that is not the tensor's is refused, also where the tensor lies") {
  under_seeds(1, [] {
    DeviceQueue on{HostQueue{}};
    auto tensor = dlpack::hand_over(dlpack::share(test::on_device<float, 1>({1, 2}, {2}, on)), on, {.stream = -1});
    auto* const managed = tensor.release();
    auto const view_as = [&](DLDevice device, void* data, auto space) {
      auto const before = managed->dl_tensor;
      managed->dl_tensor.device = device;
      if (data) managed->dl_tensor.data = data;
      dlpack::Tensor borrowed{managed};
      auto const restore = [&] { (void)borrowed.release(), managed->dl_tensor = before; };
      try {
        using S = decltype(space);
        if constexpr (std::same_as<S, space::Host>)
          (void)dlpack::view<float, 1>(borrowed);
        else
          (void)dlpack::view<float, 1, S>(borrowed, on);
      } catch (ExchangeError const& error) {
        restore();
        return std::string{error.what()};
      }
      restore();
      return std::string{};
    };
    CHECK(view_as({kDLCUDA, 0}, nullptr, space::Device{}) == "");
    CHECK(view_as({kDLCUDA, 1}, nullptr, space::Device{}) ==
          "the tensor is in the memory of CUDA device 1, expected CUDA device 0");
    CHECK(view_as({kDLCUDA, 0}, nullptr, space::Host{}) ==
          "the tensor is in the memory of CUDA device 0, expected that of the host");
    CHECK(view_as({kDLCUDAManaged, 0}, nullptr, space::Host{}) ==
          "the tensor is in the memory of managed memory, expected that of the host");
    CHECK(view_as({kDLCUDAHost, 0}, nullptr, space::Managed{}) != "");
    CHECK(view_as({kDLCUDAHost, 0}, nullptr, space::Pinned{}).find("the CUDA runtime says") != std::string::npos);
    float here[2] = {};
    CHECK(view_as({kDLCUDA, 0}, here, space::Device{}).find("the CUDA runtime says") != std::string::npos);
    dlpack::Tensor{managed};
  });
}
