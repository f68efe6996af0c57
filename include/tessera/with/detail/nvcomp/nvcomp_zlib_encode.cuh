// ZlibEncodedByNvcomp: encodes numcodecs' zlib in device memory: the deflate stream of a gzip member that nvCOMP makes,
// between zlib's header and checksum. nvCOMP documents a limit of 64 KiB for its deflate. Included by nvcomp.cuh.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/codec/bytes_to_bytes/detail/align_frames.hpp>
#include <tessera/codec/bytes_to_bytes/detail/write_zlib.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/with/detail/nvcomp/nvcomp_encode.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Kept by the queue: it grows as needed, and then allocates nothing. Functions that launch kernels are templates, for
/// units that only name the codec.
class ZlibEncodeBatch {
 public:
  /// `room`: bytes for a gzip member; 0: none is made. Throws: CodecError with the number of the first empty chunk.
  void begin(std::span<CodecTask<space::Device> const> tasks, std::size_t room, Queue<space::Device>& on) {
    room_ = room = aligned_size(room);
    auto* member = room == 0 ? nullptr : members_.take(in_steps(tasks.size() * room), on).data;
    chunks_.clear(), listed_.clear();
    slices_ = 0;
    for (auto const& task : tasks) {
      if (task.from.size == 0) {
        CodecError error{"this implementation cannot encode a chunk of 0 bytes"};
        error.in_chunk(chunks_.size());
        throw error;
      }
      chunks_.push_back({task.from.data, task.to.data, member, task.from.size, slices_});
      listed_.push_back({task.from, {member, room}});
      slices_ += chunks_.back().slices();
      if (member) member += room;
    }
    auto const size = chunks_.size() * sizeof(ZlibChunk);
    auto const from = staging_.take(in_steps(size), on).sub(0, size);
    std::memcpy(from.data, chunks_.data(), size);
    auto const there =
        memory_.take(in_steps(size + slices_ * sizeof(Adler32) + chunks_.size() * sizeof(std::size_t)), on);
    crossing<space::Device, space::Pinned>::copy(from, there.sub(0, size), on);
    there_ = reinterpret_cast<ZlibChunk const*>(there.data);
    sizes_ = reinterpret_cast<std::size_t*>(there.data + size);
    parts_ = reinterpret_cast<Adler32*>(sizes_ + chunks_.size());
  }
  /// The chunks, and room for their gzip members.
  std::span<CodecTask<space::Device> const> listed() const { return listed_; }
  std::size_t* sizes() const { return sizes_; }  ///< of the members, to be written

  /// Costs two launches. `header`: of the streams.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void write(std::uint32_t header, EncodedSizes const& sizes, DeviceQueue& on) const {
    auto const count = chunks_.size();
    launch_blocks(on, slices_, AdlerSlices{there_, count, sizes.before, parts_});
    launch_blocks(on, slices_, WriteZlib{there_, count, parts_, room_ == 0 ? nullptr : sizes_, room_, header, sizes});
  }

  std::size_t held() const { return staging_.held() + memory_.held() + members_.held(); }

 private:
  std::vector<ZlibChunk> chunks_;
  std::vector<CodecTask<space::Device>> listed_;
  std::uint64_t slices_ = 0;
  std::size_t room_ = 0;
  Scratch<space::Pinned> staging_;
  Scratch<space::Device> memory_, members_;
  ZlibChunk const* there_ = nullptr;
  std::size_t* sizes_ = nullptr;
  Adler32* parts_ = nullptr;
};

/// The base of a codec C.
template <class C>
struct ZlibEncodedByNvcomp {
  static constexpr bool takes_sizes = true;

  /// Costs two copies of lists and three launches, one of them nvCOMP's, and one more if sizes are in device memory.
  /// Throws: CodecError, with the number of the chunk; DeviceError.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void encode(std::span<CodecTask<space::Device> const> batch, EncodedSizes const& sizes, DeviceQueue& on) const {
    if constexpr (check_kernels<DeviceQueue>()) {
      using Gzip = NvcompGzipEncoding;
      auto const level = static_cast<C const&>(*this).level;
      // The second byte names an effort, and makes both bytes a multiple of 31 (RFC 1950, 2.2).
      std::uint32_t const effort = level == -1 || level == 6 ? 0x9c : level < 2 ? 0x01 : level < 6 ? 0x5e : 0xda;
      auto const header = 0x78 | effort << 8;
      auto lent = on.template lease<ZlibEncodeBatch>();
      if (level == 0) {
        lent->begin(batch, 0, on);
        return lent->write(header, sizes, on);
      }
      auto const options = Gzip::of_level(level == -1 ? 6 : level);
      std::size_t largest = 1, room = 0;
      for (auto const& task : batch) largest = std::max(largest, task.from.size);
      check_encoding<Gzip>(Gzip::bound(largest, options, &room), "CompressGetMaxOutputChunkSize");
      lent->begin(batch, room, on);
      auto encoding = on.template lease<EncodeBatch>();
      compress_by_nvcomp<Gzip>(lent->listed(), options, {sizes.before, lent->sizes(), sizes.statuses}, *encoding, on);
      lent->write(header, sizes, on);
    }
  }
  void expect_encoded(CodecTask<space::Device> const& task, std::size_t size, std::int32_t status) const {
    expect_nvcomp_encoded(task, size, status);
  }
};

}}}  // namespace tessera::v0::detail
