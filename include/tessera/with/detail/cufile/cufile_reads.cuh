// cufile::Reads: from files to the device without the host: whole pages to a registered block, from there the bytes
// asked for.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>

#include <tessera/cast/detail/host_device.cuh>
#include <tessera/core/error.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/store/detail/posix/range_reader.hpp>
#include <tessera/store/detail/upload_ranges.cuh>
#include <tessera/with/detail/cufile/cufile_batch.cuh>
#include <tessera/with/detail/cufile/cufile_block.cuh>
#include <tessera/with/detail/cufile/cufile_file.cuh>
#include <tessera/with/detail/cufile/cufile_transfers.cuh>

namespace tessera { inline namespace v0 {
namespace cufile {

/// The reads of one batch of requests. Those of all files fill a block, which is one cuFile batch. The calling thread
/// waits for it; then each range, or each run of ranges that are neighbours in the file and in memory, is one copy in
/// the stream's order. Failed reads use page-locked memory.
class Reads {
  using Device = space::Device;
  using ReadRequest = tessera::ReadRequest<Device>;

 public:
  static constexpr std::uint64_t most = std::uint64_t{1} << 20;  ///< bytes of a request: a disk serves several at once

  /// Lists, kept by a host queue.
  struct Kept {
    Batch batch;
    std::vector<Request> requests;
    struct Copy {
      std::shared_ptr<File const> file;
      std::uint64_t offset;
      std::size_t at;  // in the block
      ByteSpan<Device> to;
      ReadRequest const* asked;
    };
    std::vector<Copy> copies;
  };

  /// `must`: a read that cannot be direct is an error.
  Reads(std::shared_ptr<Driver> const& driver, Transfers& transfers, bool must, Kept& kept, Queue<Device>& on)
      : driver_{driver}, transfers_{transfers}, must_{must}, kept_{kept}, on_{on} {
    clear();
  }
  Reads(Reads const&) = delete;
  ~Reads() { clear(); }

  /// Adds ranges that are read together. The requests outlive this.
  void add(std::shared_ptr<File const> const& file, std::span<WantedRange const> run,
           detail::DeviceRanges const& ranges, std::span<ReadRequest const> requests) {
    auto end = run.front().offset;
    for (auto const& range : run) end = std::max(end, range.offset + range.size);
    for (auto begin = round_down(run.front().offset); begin < end;) {
      if (block_ && used_ == Block::size) finish();
      std::string why_not;
      if (!block_) take_block(why_not);
      auto const room = std::min<std::uint64_t>(round_up(end) - begin, Block::size - used_);
      for (auto const& range : run) add_copy(file, begin, begin + room, range, ranges, requests);
      if (data_) {
        add_requests(*file, begin, room, end);
        used_ += static_cast<std::size_t>(room);
      } else {
        send_pinned(why_not);
      }
      begin += room;
    }
  }

  /// Queues the copies of all ranges added.
  void finish() {
    if (kept_.copies.empty()) return clear();
    std::string why_not;
    {
      detail::InContext const here{on_.shared_stream()->context()};
      why_not = kept_.batch.run(driver_, CUFILE_READ, kept_.requests);
    }
    if (why_not.empty())
      send();
    else
      send_pinned(why_not);
    clear();
  }

 private:
  void take_block(std::string& why_not) {
    block_.emplace(on_.template lease<Block>());
    data_ = (*block_)->take(driver_, on_, why_not);
    if (!data_) block_.reset();
  }

  void add_copy(std::shared_ptr<File const> const& file, std::uint64_t begin, std::uint64_t end,
                WantedRange const& range, detail::DeviceRanges const& ranges, std::span<ReadRequest const> requests) {
    auto const from = std::max(begin, range.offset), to = std::min(end, range.offset + range.size);
    if (from >= to) return;
    auto const memory = ranges.destinations[range.request].sub(static_cast<std::size_t>(from - range.offset),
                                                               static_cast<std::size_t>(to - from));
    kept_.copies.push_back(
        {file, from, used_ + static_cast<std::size_t>(from - begin), memory, &requests[range.request]});
    ends_ += to == range.offset + range.size;
  }

  void add_requests(File const& file, std::uint64_t begin, std::uint64_t room, std::uint64_t end) {
    for (std::uint64_t at = 0; at < room; at += most) {
      auto const size = std::min(most, room - at);
      auto const needed = std::min(size, end - (begin + at));
      kept_.requests.push_back({file.handle(), data_, used_ + static_cast<std::size_t>(at), begin + at,
                                static_cast<std::size_t>(size), static_cast<std::size_t>(needed)});
    }
  }

  void send() {
    ByteView<Device> from;
    ByteSpan<Device> to;
    std::uint64_t bytes = 0;
    auto const copy = [&] { crossing<Device, Device>::copy(from, to, on_); };
    for (auto const& next : kept_.copies) {
      auto const& slab = next.asked->slab;
      bool const follows = data_ + next.at == from.data + from.size && next.to.data == to.data + to.size &&
                           lies_in<Device>(to, slab) && lies_in<Device>(next.to, slab);
      if (!follows) {
        copy();
        from = {data_ + next.at, 0};
        to = {next.to.data, 0};
      }
      from.size += next.to.size;
      to.size += next.to.size;
      bytes += next.to.size;
    }
    copy();
    transfers_.read({}, ends_, bytes);
  }

  void send_pinned(std::string const& why_not) {
    std::uint64_t bytes = 0;
    detail::Upload upload{on_};
    for (auto const& copy : kept_.copies) try {
        if (must_) throw StoreError{to_text({"the value cannot be read directly: ", why_not})};
        auto const file = open_again(copy.file->descriptor(), O_RDONLY);
        if (!file) detail::posix::fail("open the file again");
        detail::posix::RangeReader reader{file};
        upload.add(reader, copy.offset, copy.to, *copy.asked);
        reader.read();
        bytes += copy.to.size;
      } catch (Error& error) {
        error.in_key(copy.asked->key->path);
        throw;
      }
    upload.send();
    transfers_.read(why_not, ends_, bytes);
    kept_.copies.clear();
    ends_ = 0;
  }

  void clear() {
    kept_.requests.clear();
    kept_.copies.clear();
    block_.reset();
    data_ = nullptr;
    used_ = ends_ = 0;
  }

  std::shared_ptr<Driver> driver_;
  Transfers& transfers_;
  bool must_;
  Kept& kept_;
  Queue<Device>& on_;
  std::optional<DeviceLease<Block>> block_;
  std::byte* data_ = nullptr;  // of the block
  std::size_t used_ = 0;       // bytes of the block
  std::size_t ends_ = 0;       // number of ranges whose ends were added
};

}  // namespace cufile
}}  // namespace tessera::v0
