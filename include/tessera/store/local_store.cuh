// A folder on disk whose values are read into a device's memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/buffer/scratch.hpp>
#include <tessera/cast/host_device.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/store/local_store.hpp>

namespace tessera::inline v0 {
namespace detail {

inline constexpr std::size_t bounce_block = std::size_t{4} << 20;  // bytes: what a disk gives at once, and a bus takes

/// Bytes on their way from files to the device: read into page-locked blocks, and copied from there in the stream's
/// order while the next are read. The host waits when a block is needed again that the stream is not done with, and
/// nowhere else.
class Upload {
 public:
  explicit Upload(Queue<space::Device>& on) : on_{on} {}

  /// n bytes, of a block at most, for the host to write to.
  ByteSpan<space::Pinned> take(std::size_t n) {
    if (!block_ || n > bounce_block - used_) {
      block_.reset();  // first: it may be the next one
      block_.emplace(on_.template lease<Scratch<space::Pinned>>());
      used_ = 0;
    }
    auto const bytes = (*block_)->take(bounce_block, on_).sub(used_, n);
    used_ += n;
    return bytes;
  }

 private:
  Queue<space::Device>& on_;
  std::optional<DeviceLease<Scratch<space::Pinned>>> block_;
  std::size_t used_ = 0;
};

}  // namespace detail

/// As LocalStore of host buffers; its values pass through page-locked blocks of 4 MiB that the queue keeps. A value of
/// more than one is read by the threads of the queue's host queue. Writing waits for each block to arrive.
template <Buffer B>
requires std::same_as<typename B::space_type, space::Device>
class LocalStore<B> {
  using Request = ReadRequest<space::Device>;
  using Queue = tessera::Queue<space::Device>;

 public:
  using buffer_type = B;

  explicit LocalStore(std::string root, LocalOptions options = {}) : folder_{std::move(root), options} {}
  explicit LocalStore(detail::LocalFolder folder) : folder_{std::move(folder)} {}

  std::string name() const { return folder_.name(); }
  LocalStore<HostBuffer> host_side() const { return LocalStore<HostBuffer>{folder_}; }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Room<space::Device> room, Queue& on) const {
    Request request{&key, range, room};
    get_many({&request, 1}, on);
    return request.size;
  }

  std::optional<std::uint64_t> size(Key const& key, Queue&) const { return folder_.size(key); }

  /// Ranges of a key that are close together are read at once, and values that are small share blocks.
  void get_many(std::span<Request> requests, Queue& on) const {
    auto const lists = on.host().template lease<Lists>();
    detail::Upload upload{on};
    for_each_key(requests, [&](Key const& key, std::span<Request> of_key) {
      detail::at_key(*this, key, [&] { read_ranges(of_key, *lists, upload, on); });
    });
  }

  void write(Key const& key, ByteView<space::Device> value, Queue& on) const {
    detail::at_key(*this, key, [&] {
      folder_.write(key, [&](detail::posix::Descriptor const& file) { download(value, file, on); });
    });
  }

  bool erase(Key const& key, Queue&) const { return folder_.erase(key); }
  auto lock(Key const& key) const { return folder_.lock(key); }
  void list(std::string_view prefix, Visitor visit) const { folder_.list(prefix, visit); }
  void list_directory(std::string_view prefix, Visitor visit) const { folder_.list_directory(prefix, visit); }

 private:
  struct Lists {
    std::vector<WantedRange> wanted;
    std::vector<ByteSpan<space::Device>> rooms;
  };

  // Requests for one key.
  void read_ranges(std::span<Request> requests, Lists& lists, detail::Upload& upload, Queue& on) const {
    for (auto& request : requests) request.size.reset();
    auto const file = folder_.find(*requests.front().key);
    if (!file) return;
    lists.wanted.clear();
    lists.rooms.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto const [offset, size] = requests[i].range.resolve(file->size);
      lists.wanted.push_back({offset, checked_size(size, "the value"), i});
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
      lists.rooms.push_back(requests[i].room(lists.wanted[i].size));
      requests[i].size = lists.rooms[i].size;
    }
    for_each_run(lists.wanted, largest_gap, [&](std::span<WantedRange const> run) {
      auto const begin = run.front().offset;
      auto end = begin;
      for (auto const& range : run) end = std::max(end, range.offset + range.size);
      auto const blocks = static_cast<std::size_t>((end - begin + detail::bounce_block - 1) / detail::bounce_block);
      auto const part = [&](std::size_t i, detail::Upload& by) {
        auto const at = begin + i * std::uint64_t{detail::bounce_block};
        copy_part(file->descriptor, at, std::min<std::uint64_t>(end - at, detail::bounce_block), run, lists.rooms, by,
                  on);
      };
      if (blocks == 1) return part(0, upload);
      on.host().for_each(blocks, [&](std::size_t i) {
        detail::Upload own{on};
        part(i, own);
      });
    });
  }

  // Bytes of the file from `at` on, to the ranges that want some of them.
  static void copy_part(detail::posix::Descriptor const& file, std::uint64_t at, std::uint64_t size,
                        std::span<WantedRange const> run, std::vector<ByteSpan<space::Device>> const& rooms,
                        detail::Upload& by, Queue& on) {
    auto const bytes = by.take(static_cast<std::size_t>(size));
    detail::posix::Piece piece{bytes.data, bytes.size};
    detail::posix::read(file, {&piece, 1}, at);
    for (auto const& range : run) {
      auto const first = std::max(at, range.offset), last = std::min(at + size, range.offset + range.size);
      if (first >= last) continue;
      auto const n = static_cast<std::size_t>(last - first);
      crossing<space::Device, space::Pinned>::copy(
          bytes.sub(static_cast<std::size_t>(first - at), n),
          rooms[range.request].sub(static_cast<std::size_t>(first - range.offset), n), on);
    }
  }

  // Block by block: while one is written to the file, the next is on its way.
  static void download(ByteView<space::Device> value, detail::posix::Descriptor const& file, Queue& on) {
    struct Block {
      DeviceLease<Scratch<space::Pinned>> memory;
      ByteSpan<space::Pinned> bytes;
    };
    auto const fetch = [&](std::size_t at) {
      Block block{on.template lease<Scratch<space::Pinned>>(), {}};
      auto const n = std::min(value.size - at, detail::bounce_block);
      block.bytes = block.memory->take(detail::bounce_block, on).sub(0, n);
      crossing<space::Pinned, space::Device>::copy(value.sub(at, n), block.bytes, on);
      block.memory.record();
      return block;
    };
    std::optional<Block> next;
    for (std::size_t at = 0; at < value.size; at += detail::bounce_block) {
      if (!next) next.emplace(fetch(at));
      auto const now = std::move(*next);
      next.reset();
      if (value.size - at > detail::bounce_block) next.emplace(fetch(at + detail::bounce_block));
      now.memory.wait();
      detail::posix::write(file, now.bytes.data, now.bytes.size);
    }
  }

  static constexpr std::uint64_t largest_gap = 256;  // bytes: less than the time of a system call
  detail::LocalFolder folder_;
};

static_assert(Store<LocalStore<DeviceBuffer>> && ListableStore<LocalStore<DeviceBuffer>>);

}  // namespace tessera::inline v0
