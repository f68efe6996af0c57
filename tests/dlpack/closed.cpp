// Tensors of a shared library that was closed: linker flags keep it loaded, and with it its deleters.
#include <atomic>
#include <cstdint>
#include <dlfcn.h>
#include <thread>
#include <utility>
#include <vector>

#include <dlpack/dlpack.h>
#include <doctest/doctest.h>

namespace {

std::atomic<int> gone{0};

}  // namespace

TEST_CASE("DLPack: the deleter runs once, in another thread, after dlclose") {
  gone = 0;
  auto* const library = ::dlopen(TESSERA_TEST_PRODUCER, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library != nullptr, ::dlerror());
  using Make = DLManagedTensorVersioned*(void (*)());
  auto* const make = reinterpret_cast<Make*>(::dlsym(library, "make_tensor"));
  REQUIRE(static_cast<bool>(make));
  std::vector<DLManagedTensorVersioned*> tensors;
  for (int i = 0; i < 3; ++i) tensors.push_back(make([] { ++gone; }));
  REQUIRE(::dlclose(library) == 0);
  for (auto const* tensor : tensors) {
    auto const* const elements = static_cast<std::uint16_t const*>(tensor->dl_tensor.data);
    CHECK(std::vector<std::uint16_t>(elements, elements + 6) == std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6});
  }
  CHECK(gone == 0);
  tensors[0]->deleter(tensors[0]);
  CHECK(gone == 1);
  std::thread{[&] { tensors[1]->deleter(tensors[1]); }}.join();
  CHECK(gone == 2);
  tensors[2]->deleter(tensors[2]);
  CHECK(gone == 3);
}
