// RowCopies: rows of elements copied in a queue's order, rows at equal distances in one call.
#pragma once
#include <cstddef>
#include <limits>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace detail {

class RowCopies {
 public:
  explicit RowCopies(Queue<space::Device> const& on) : on_{on} {}

  /// Between memory of any spaces. Throws: DeviceError.
  void add(std::byte* to, std::byte const* from, std::size_t size) {
    if (rows_ != 0 && follows(to, from, size)) return void(++rows_);
    flush();
    to_ = to, from_ = from, size_ = size, rows_ = 1;
  }
  /// Starts the copies of all rows. Throws: DeviceError.
  void flush() {
    if (rows_ == 0 || size_ == 0) return;
    InContext const here{on_.shared_stream()->context()};
    if (rows_ == 1) to_pitch_ = from_pitch_ = size_;
    check(::cudaMemcpy2DAsync(to_, to_pitch_, from_, from_pitch_, size_, rows_, cudaMemcpyDefault, on_.stream()),
          "cudaMemcpy2DAsync");
    rows_ = 0;
  }

 private:
  // The second row decides the distance.
  bool follows(std::byte* to, std::byte const* from, std::size_t size) {
    if (size != size_) return false;
    if (rows_ != 1) return to == to_ + rows_ * to_pitch_ && from == from_ + rows_ * from_pitch_;
    constexpr std::ptrdiff_t most = std::numeric_limits<int>::max();  // CUDA's least limit of a pitch
    auto const width = static_cast<std::ptrdiff_t>(size);
    if (to - to_ < width || from - from_ < width || to - to_ > most || from - from_ > most) return false;
    to_pitch_ = static_cast<std::size_t>(to - to_);
    from_pitch_ = static_cast<std::size_t>(from - from_);
    return true;
  }

  Queue<space::Device> on_;
  std::byte* to_ = nullptr;
  std::byte const* from_ = nullptr;
  std::size_t size_ = 0, rows_ = 0, to_pitch_ = 0, from_pitch_ = 0;
};

}}}  // namespace tessera::v0::detail
