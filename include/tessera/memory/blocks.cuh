// Memory of a stream's buffers, used again where giving it back would make the whole device wait.
#pragma once
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/core/capture_mode.cuh>
#include <tessera/core/cuda_context.cuh>
#include <tessera/memory/event.cuh>
#include <tessera/memory/resource.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

struct Block {
  std::byte* data = nullptr;
  std::size_t size = 0;
  Event<space::Device> used{};  // what the stream does with it
};

/// Blocks of one kind of memory. A stream-ordered resource gets back what is freed; of any other (page-locking and
/// freeing page-locked memory are dear, and wait for the device) blocks are kept, and lent again when the stream is
/// done with them.
class Blocks {
 public:
  /// `host_touches`: the host writes to them without asking the stream, so it gets them only when they are free.
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
      made.used.record(stream, context);  // makes it: none fails later
      reserve();
    }
    try {
      made.data = resource_.allocate(made.size, stream);
    } catch (Error const&) {  // what lies idle may be in the way
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
    } catch (Error const&) {  // then the place in the stream is its end, now; or there is no stream any more
      drain(stream, context);
    }
    std::lock_guard lock{mutex_};
    idle_.push_back(std::move(block));
  }

  /// Gives back everything that is idle, when the stream is done with it. Returns the number of blocks.
  std::size_t release(cudaStream_t stream, Context const& context) noexcept {
    std::lock_guard lock{mutex_};
    auto const count = idle_.size();
    for (auto& block : idle_) {
      try {
        block.used.wait();
      } catch (Error const&) {  // the stream may go on all the same; or its context is no more
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
  // What is too large for that is for the resource to refuse.
  static std::size_t rounded(std::size_t size) {
    return size > std::numeric_limits<std::size_t>::max() - step ? size : (size + step - 1) / step * step;
  }
  // Where the resource is at home: RMM's ask for it.
  void deallocate(Block const& block, cudaStream_t stream, Context const& context) const noexcept {
    std::optional<InContext> here;
    try {
      here.emplace(context);
    } catch (Error const&) {  // of a context that is no more
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
