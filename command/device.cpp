// --space device: the host decodes, elements cross, and a kernel places them in device memory.
#include "cuda.cuh"

#include <memory>
#include <string>
#include <utility>

#include "bench/timed_read.cuh"
#include "failure.hpp"
#include "space.hpp"

namespace cli {
namespace {

class DeviceReader final : public Reader {
 public:
  DeviceReader(Array const& array, DeviceQueue on)
      : array_{array.store(), array.path(), array.metadata(), on}, on_{std::move(on)}, document_of_{array} {}

  std::span<std::byte> read(tessera::Region const& region, tessera::Traffic& traffic) override {
    here_ = {};  // first, otherwise two regions would be held at once
    here_ = about(document_of_, [&] { return tessera::copy_to<tessera::HostBuffer>(placed(region, traffic), on_); });
    return {here_.span().data, here_.span().size};
  }
  void check(tessera::Region const& region, tessera::Traffic& traffic) const override { placed(region, traffic); }
  void keep_shard_indexes(std::uint64_t most) const override { array_.keep_shard_indexes(most); }

 private:
  tessera::DeviceBuffer placed(tessera::Region const& region, tessera::Traffic& traffic) const {
    auto on = on_;  // a handle: each thread has its own
    tessera::DeviceBuffer there(size_in_bytes(region.count, array_.type()), on);
    auto const strides = tessera::Layout::c_order(region.count, array_.type().size).strides;
    array_.on(on).read(region, {there.span().data, strides}, {.traffic = &traffic}).wait();
    return there;
  }

  DeviceArray array_;
  DeviceQueue on_;
  Array const& document_of_;  // named in errors
  tessera::HostBuffer here_{};
};

class CudaSpace final : public DeviceSpace {
 public:
  explicit CudaSpace(Queue const& on) : on_{on} {}

  std::unique_ptr<Reader> reader(Array const& array) const override {
    return std::make_unique<DeviceReader>(array, on_);
  }
  std::string description() const override {
    auto const asked = [&](cudaDeviceAttr what) {
      int value = 0;
      tessera::detail::check(::cudaDeviceGetAttribute(&value, what, on_.device()), "cudaDeviceGetAttribute");
      return value;
    };
    auto const major = asked(cudaDevAttrComputeCapabilityMajor), minor = asked(cudaDevAttrComputeCapabilityMinor),
               processors = asked(cudaDevAttrMultiProcessorCount);
    return tessera::to_text({"device ", on_.device(), ": compute capability ", major, ".", minor, ", ", processors,
                             processors == 1 ? " multiprocessor" : " multiprocessors"});
  }
  std::unique_ptr<TimedRead> timed_read(Array const& array, tessera::Region const& region) const override {
    return cli::timed_read(array, region, on_);
  }

 private:
  DeviceQueue on_;
};

}  // namespace

std::unique_ptr<DeviceSpace> device_space(Queue const& on) try {
  return std::make_unique<CudaSpace>(on);
} catch (tessera::DeviceError const& error) {
  throw UsageError{std::string{"--space device: there is no GPU here that CUDA can use: "} + error.what()};
}

}  // namespace cli
