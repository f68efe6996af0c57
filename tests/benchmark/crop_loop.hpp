// The upper bound of a Loader: a loop without tessera's reading that knows the places of all chunks and all crops
// before it begins.
#pragma once
#include <blosc.h>
#include <fcntl.h>
#include <lz4.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tessera/loader/detail/kept_chunks.hpp>

/// Decodes chunks of one codec, for one thread: "raw", "lz4", "blosc" or "zstd".
class CropDecoder {
 public:
  explicit CropDecoder(std::string_view codec) : codec_{codec} {}
  CropDecoder(CropDecoder const&) = delete;
  ~CropDecoder() { ZSTD_freeDCtx(zstd_); }

  bool is_raw() const { return codec_ == "raw"; }
  void decode(char const* from, std::size_t size, void* to, std::size_t bytes) {
    std::size_t made = 0;
    if (codec_ == "zstd")
      made = ZSTD_decompressDCtx(zstd_, to, bytes, from, size);
    else if (codec_ == "lz4")  // behind the decoded size, in four bytes
      made = static_cast<std::size_t>(LZ4_decompress_safe(from + 4, static_cast<char*>(to), static_cast<int>(size - 4),
                                                          static_cast<int>(bytes)));
    else if (codec_ == "blosc")
      made = static_cast<std::size_t>(blosc_decompress_ctx(from, to, bytes, 1));
    if (made != bytes) std::abort();
  }

 private:
  std::string_view codec_;
  ZSTD_DCtx* zstd_ = ZSTD_createDCtx();
};

/// Crops of an array of float32 that `loader write` wrote.
class CropLoop {
 public:
  using Place = std::array<std::size_t, 3>;
  static constexpr std::size_t chunk = 64, chunk_elements = chunk * chunk * chunk, chunk_bytes = 4 * chunk_elements;

  /// `size`: of the array along each dimension. `shard`: likewise; 0: chunks are files. `together`: batches that are
  /// read at once, and treated as one here.
  CropLoop(std::string const& folder, std::size_t size, std::size_t shard, std::size_t crop, std::size_t batch,
           std::size_t together)
      : grid_{size / chunk}, crop_{crop}, batch_{batch * together}, together_{together} {
    stored_.resize(grid_ * grid_ * grid_);
    auto const files = size / (shard ? shard : chunk), in_file = shard ? shard / chunk : 1;
    for (Place file{}; file[0] < files; advance(file, files)) {
      auto const name =
          folder + "/c/" + std::to_string(file[0]) + "/" + std::to_string(file[1]) + "/" + std::to_string(file[2]);
      auto const open_file = ::open(name.c_str(), O_RDONLY);
      struct stat found {};
      if (open_file < 0 || ::fstat(open_file, &found) != 0) throw std::runtime_error{name + " cannot be opened"};
      auto const bytes = static_cast<std::uint64_t>(found.st_size);
      std::vector<std::array<std::uint64_t, 2>> index{{0, bytes}};
      if (shard) {
        index.resize(in_file * in_file * in_file);
        read(open_file, index.data(), index.size() * 16, bytes - index.size() * 16 - 4);  // then a checksum
      }
      std::size_t i = 0;
      for (Place in{}; in[0] < in_file; advance(in, in_file)) {
        auto const [first, count] = index[i++];
        stored_[number({file[0] * in_file + in[0], file[1] * in_file + in[1], file[2] * in_file + in[2]})] = {
            open_file, first, static_cast<std::size_t>(count)};
      }
    }
  }

  /// Decides what is decoded and what is kept in `cache` bytes, as the Loader does. `crops`: of all batches. `horizon`:
  /// batches.
  void plan(std::vector<Place> crops, std::size_t cache, std::size_t horizon) {
    crops_ = std::move(crops);
    horizon /= together_;
    auto const batches = crops_.size() / batch_;
    std::vector<std::vector<tessera::detail::NumberedChunk>> wanted(batches);
    batches_.assign(batches, {});
    for (std::size_t b = 0; b < batches; ++b) {
      std::vector<std::vector<std::size_t>> by(stored_.size());
      for (auto i = b * batch_; i < (b + 1) * batch_; ++i)
        for_chunks(crops_[i], [&](Place const& place) { by[number(place)].push_back(i); });
      for (std::size_t n = 0; n < by.size(); ++n) {
        if (by[n].empty()) continue;
        wanted[b].push_back({n, wanted[b].size()});
        batches_[b].chunks.push_back({n, std::move(by[n])});
      }
    }
    auto const slots = std::min(cache / chunk_bytes, stored_.size());
    kept_.assign(slots * chunk_elements, 0);
    tessera::detail::KeptChunks kept{slots};
    for (std::size_t b = 0; b < batches; ++b) {
      kept.begin(wanted[b]);
      for (auto later = std::min(batches, b + horizon); --later > b;) kept.need_later(wanted[later]);
      kept.decide();
      batches_[b].hits.assign(kept.hits().begin(), kept.hits().end());
      batches_[b].missing.assign(kept.missing().begin(), kept.missing().end());
    }
    for (auto& one : memory_) one.assign(batch_ * crop_ * crop_ * crop_, 0);
  }

  std::uint64_t decoded(std::size_t first_batch) const {
    std::uint64_t count = 0;
    for (auto b = first_batch / together_; b < batches_.size(); ++b) count += batches_[b].missing.size();
    return count;
  }

  /// `codec`: of the chunks. Calls `begin()` before batch number `warm`. Returns the sum of the first elements of the
  /// batches from there on.
  template <class F>
  double run(std::string_view codec, std::size_t threads, std::size_t warm, F&& begin) {
    double sum = 0;
    std::size_t at = 0;
    warm /= together_;
    std::atomic<std::size_t> hit{0}, miss{0};
    std::barrier placed{static_cast<std::ptrdiff_t>(threads)};
    if (warm == 0) begin();
    auto const end = [&]() noexcept {
      if (at >= warm)
        for (std::size_t i = 0; i < together_; ++i)
          sum += static_cast<double>(memory_[at % 4][i * memory_[0].size() / together_]);
      hit = miss = 0;
      if (++at == warm) begin();
    };
    std::barrier read{static_cast<std::ptrdiff_t>(threads), end};
    auto const work = [&] {
      CropDecoder decoder{codec};
      std::vector<char> encoded;
      std::vector<float> own(chunk_elements);
      for (std::size_t b = 0; b < batches_.size(); ++b) {
        auto const& batch = batches_[b];
        for (std::size_t i; (i = hit++) < batch.hits.size();)
          place(batch.chunks[batch.hits[i].index], kept_.data() + batch.hits[i].slot * chunk_elements, b);
        if (!batch.hits.empty()) placed.arrive_and_wait();  // missing chunks may take the places of these
        for (std::size_t i; (i = miss++) < batch.missing.size();) {
          auto const& [index, slot] = batch.missing[i];
          auto const& stored = stored_[batch.chunks[index].number];
          auto* const to =
              slot == tessera::detail::KeptChunks::none ? own.data() : kept_.data() + slot * chunk_elements;
          if (decoder.is_raw()) {
            CropLoop::read(stored.file, to, stored.bytes, stored.first);
          } else {
            encoded.resize(std::max(encoded.size(), stored.bytes));
            CropLoop::read(stored.file, encoded.data(), stored.bytes, stored.first);
            decoder.decode(encoded.data(), stored.bytes, to, chunk_bytes);
          }
          place(batch.chunks[index], to, b);
        }
        read.arrive_and_wait();
      }
    };
    std::vector<std::thread> pool;
    for (std::size_t t = 1; t < threads; ++t) pool.emplace_back(work);
    work();
    for (auto& thread : pool) thread.join();
    return sum;
  }

 private:
  struct Stored {
    int file;
    std::uint64_t first;
    std::size_t bytes;
  };
  struct Chunk {
    std::size_t number;
    std::vector<std::size_t> crops;  // that want elements of it
  };
  struct Batch {
    std::vector<Chunk> chunks{};
    std::vector<tessera::detail::KeptChunks::Place> hits{}, missing{};
  };

  static void advance(Place& place, std::size_t most) {
    for (auto d = place.size(); ++place[--d] == most && d > 0;) place[d] = 0;
  }
  static void read(int file, void* to, std::size_t bytes, std::uint64_t first) {
    if (::pread(file, to, bytes, static_cast<off_t>(first)) != static_cast<ssize_t>(bytes)) std::abort();
  }
  std::size_t number(Place const& place) const { return (place[0] * grid_ + place[1]) * grid_ + place[2]; }

  template <class F>
  void for_chunks(Place const& first, F&& f) const {
    auto const last = [&](std::size_t d) { return (first[d] + crop_ - 1) / chunk; };
    for (auto z = first[0] / chunk; z <= last(0); ++z)
      for (auto y = first[1] / chunk; y <= last(1); ++y)
        for (auto x = first[2] / chunk; x <= last(2); ++x) f(Place{z, y, x});
  }

  void place(Chunk const& of, float const* elements, std::size_t b) {
    Place const at{of.number / grid_ / grid_ * chunk, of.number / grid_ % grid_ * chunk, of.number % grid_ * chunk};
    for (auto const i : of.crops) {
      auto const& crop = crops_[i];
      Place begin, end;
      for (std::size_t d = 0; d < 3; ++d) {
        begin[d] = std::max(at[d], crop[d]);
        end[d] = std::min(at[d] + chunk, crop[d] + crop_);
      }
      auto* const to = memory_[b % 4].data() + i % batch_ * crop_ * crop_ * crop_;
      for (auto z = begin[0]; z < end[0]; ++z)
        for (auto y = begin[1]; y < end[1]; ++y)
          std::memcpy(to + ((z - crop[0]) * crop_ + y - crop[1]) * crop_ + begin[2] - crop[2],
                      elements + ((z - at[0]) * chunk + y - at[1]) * chunk + begin[2] - at[2],
                      (end[2] - begin[2]) * sizeof(float));
    }
  }

  std::size_t const grid_, crop_, batch_, together_;
  std::vector<Stored> stored_{};
  std::vector<Place> crops_{};
  std::vector<Batch> batches_{};
  std::vector<float> kept_{}, memory_[4];
};
