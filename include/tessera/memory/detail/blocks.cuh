// Blocks: memory for a stream's buffers, reused if freeing it would make the whole device wait.
#pragma once
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/detail/event.cuh>
#include <tessera/memory/resource.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

struct Block {
  std::byte* data = nullptr;
  std::size_t size = 0;
  Event<space::Device> used{};  // the end of the stream's use of the block
};

/// Blocks of one kind of memory. A stream-ordered resource gets freed blocks back at once. Blocks of others are kept,
/// and reused when the stream is done with them: allocating and freeing page-locked memory is slow and waits for the
/// device.
class Blocks {
 public:
  /// `host_touches`: the host writes to blocks without waiting for the stream, so they must be free when taken.
  Blocks(MemoryResource resource, bool host_touches) : resource_{resource}, host_touches_{host_touches} {}
  Blocks(Blocks const&) = delete;
  Blocks& operator=(Blocks const&) = delete;

  Block take(std::size_t size, cudaStream_t stream, Context const& context) {
    if (auto found = take_idle(size); found.data) return found;
    InContext const here{context};
    ApartFromCaptures const apart;
    Block made;
    made.size = is_kept() ? rounded(size) : size;
    if (is_kept()) {
      made.used.record(stream, context);  // creates the event, so that later calls cannot fail
      reserve();
    }
    try {
      made.data = resource_.allocate(made.size, stream);
    } catch (Error const&) {  // idle blocks may occupy the memory
      if (release(stream, context) == 0) throw;
      made.data = resource_.allocate(made.size, stream);
    }
    if (host_touches_ && !is_kept()) try {
        made.used.record(stream, context);
        made.used.wait();
      } catch (...) {
        resource_.deallocate(made.data, made.size, stream);
        throw;
      }
    return made;
  }

  void give_back(Block block, cudaStream_t stream, Context const& context) noexcept {
    if (!is_kept()) return deallocate(block, stream, context);
    try {
      block.used.record(stream, context);
    } catch (Error const&) {  // then wait for the end of the stream, or the stream no longer exists
      drain(stream, context);
    }
    std::lock_guard lock{mutex_};
    idle_.push_back(std::move(block));
  }

  /// Frees all idle blocks when the stream is done with them. Returns their number.
  std::size_t release(cudaStream_t stream, Context const& context) noexcept {
    std::lock_guard lock{mutex_};
    auto const count = idle_.size();
    for (auto& block : idle_) {
      try {
        block.used.wait();
      } catch (Error const&) {  // the stream may still run, or its context was destroyed
        drain(stream, context);
      }
      deallocate(block, stream, context);
    }
    idle_.clear();
    if (is_kept()) made_ -= count;
    return count;
  }

  std::size_t idle_bytes() noexcept {
    std::lock_guard lock{mutex_};
    std::size_t sum = 0;
    for (auto const& block : idle_) sum += block.size;
    return sum;
  }

 private:
  static constexpr std::size_t step = std::size_t{64} << 10;

  bool is_kept() const { return !resource_.is_stream_ordered(); }
  // If the sum would overflow, the resource refuses the size.
  static std::size_t rounded(std::size_t size) {
    return size > std::numeric_limits<std::size_t>::max() - step ? size : (size + step - 1) / step * step;
  }
  // In the context of the allocation: RMM's resources require it.
  void deallocate(Block const& block, cudaStream_t stream, Context const& context) const noexcept {
    std::optional<InContext> here;
    try {
      here.emplace(context);
    } catch (Error const&) {  // the context was destroyed
    }
    ApartFromCaptures const apart;
    resource_.deallocate(block.data, block.size, stream);
  }

  Block take_idle(std::size_t size) {
    std::lock_guard lock{mutex_};
    for (auto i = idle_.size(); i-- > 0;) {
      auto& block = idle_[i];
      if (block.size < size || block.size / 2 > size + step || (host_touches_ && !block.used.is_done())) continue;
      auto found = std::move(block);
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
      return found;
    }
    return {};
  }
  void reserve() {
    std::lock_guard lock{mutex_};
    idle_.reserve(++made_);  // so that giving back neither allocates nor throws
  }

  MemoryResource resource_;
  bool host_touches_;
  std::mutex mutex_;
  std::vector<Block> idle_;
  std::size_t made_ = 0;
};

}  // namespace detail
}}  // namespace tessera::v0
