// cufile::Block: registered device memory that files are read to and written from.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/with/detail/cufile/cufile_driver.cuh>

namespace tessera { inline namespace v0 {
namespace cufile {

inline constexpr std::size_t page = 4096;  ///< O_DIRECT needs offsets and sizes that are multiples of it
inline constexpr std::uint64_t round_down(std::uint64_t n) { return n / page * page; }
inline constexpr std::uint64_t round_up(std::uint64_t n) { return round_down(n + page - 1); }

/// Registered once and kept by a queue: registering is expensive, and memory of a pool cannot be registered.
class Block {
 public:
  static constexpr std::size_t size = std::size_t{8} << 20;  // bytes

  Block() = default;
  Block(Block const&) = delete;
  Block& operator=(Block const&) = delete;
  ~Block() { release(); }

  /// The block's memory; null, with the reason in `why_not`, if it cannot be allocated or registered.
  std::byte* take(std::shared_ptr<Driver> const& driver, Queue<space::Device>& on, std::string& why_not) {
    if (data_ && driver_->register_buffer == driver->register_buffer) return data_;
    release();
    context_ = on.shared_stream()->context();
    detail::InContext const here{context_};
    detail::ApartFromCaptures const apart;
    void* made = nullptr;
    if (auto const status = ::cudaMalloc(&made, size); status != cudaSuccess) {
      why_not = detail::cuda_failure(status, "cudaMalloc, for a block to read files into");
      return nullptr;
    }
    auto const registered = driver->register_buffer(made, size, 0);
    if (registered.err != CU_FILE_SUCCESS) {
      why_not = described(registered, "cuFileBufRegister");
      detail::succeeds(::cudaFree(made));
      return nullptr;
    }
    data_ = static_cast<std::byte*>(made);
    driver_ = driver;
    return data_;
  }

  std::size_t held() const { return data_ ? size : 0; }

 private:
  void release() noexcept {
    if (!data_) return;
    detail::InContext::call(context_, [&] {
      detail::ApartFromCaptures const apart;
      driver_->deregister_buffer(data_);
      detail::succeeds(::cudaFree(data_));
    });
    data_ = nullptr;
    driver_.reset();
  }

  std::byte* data_ = nullptr;
  std::shared_ptr<Driver> driver_;
  detail::Context context_{};
};

}  // namespace cufile
}}  // namespace tessera::v0
