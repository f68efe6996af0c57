// The rival of writing: what a programmer would write by hand for one known array, and nothing else. Writes a 1024^3
// uint16 array as 256^3 chunks: strided copy into reused scratch, zstd, a file under a temporary name, rename.
//
//   bare_write_loop raw|zstd PATH [THREADS=2] [REPETITIONS=5]
//
// Writes chunks PATH/c/z/y/x only. The elements are mapped once, with huge pages, before the first repetition is timed;
// the files of an earlier repetition are removed in the time, as overwriting an array does. Prints seconds per
// repetition and the median.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

constexpr std::size_t N = 1024, C = 256, G = N / C, chunk_bytes = C * C * C * 2;

[[noreturn]] static void fail(std::string const& what) {
  std::perror(what.c_str());
  std::exit(1);
}

static void write_file(std::string const& path, std::uint8_t const* from, std::size_t size) {
  std::string const unfinished = path + ".unfinished";
  int const fd = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (fd < 0) fail(unfinished);
  for (std::size_t at = 0; at < size;) {
    ssize_t const written = write(fd, from + at, size - at);
    if (written <= 0) fail(unfinished);
    at += static_cast<std::size_t>(written);
  }
  if (close(fd) != 0 || rename(unfinished.c_str(), path.c_str()) != 0) fail(path);
}

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: bare_write_loop raw|zstd PATH [THREADS] [REPETITIONS]\n"), 2;
  bool const raw = std::strcmp(argv[1], "raw") == 0;
  std::string const path = std::string(argv[2]) + "/c";
  int const threads = argc > 3 ? std::atoi(argv[3]) : 2, repetitions = argc > 4 ? std::atoi(argv[4]) : 5;

  std::size_t const total = N * N * N * 2, huge = 2u << 20;
  void* const all_of_it = mmap(nullptr, total + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all_of_it == MAP_FAILED) fail("mmap");
  auto* const from = reinterpret_cast<std::uint8_t*>((reinterpret_cast<std::uintptr_t>(all_of_it) + huge - 1) & ~(huge - 1));
  madvise(from, total, MADV_HUGEPAGE);
  auto* at = reinterpret_cast<std::uint16_t*>(from);
  for (std::size_t z = 0; z < N; ++z)
    for (std::size_t y = 0; y < N; ++y)
      for (std::size_t x = 0; x < N; ++x) *at++ = static_cast<std::uint16_t>(x + y * y / 32 + z * z * z);

  std::vector<double> seconds;
  for (int r = 0; r < repetitions; ++r) {
    auto const start = std::chrono::steady_clock::now();
    std::filesystem::remove_all(path);
    for (std::size_t i = 0; i < G * G; ++i)
      std::filesystem::create_directories(path + "/" + std::to_string(i / G) + "/" + std::to_string(i % G));
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t)
      pool.emplace_back([&] {
        ZSTD_CCtx* context = ZSTD_createCCtx();
        std::vector<std::uint8_t> chunk(chunk_bytes), encoded(ZSTD_compressBound(chunk_bytes));
        for (std::size_t i; (i = next++) < G * G * G;) {
          std::size_t const z = i / (G * G), y = i / G % G, x = i % G;
          std::uint8_t const* const box = from + ((z * C * N + y * C) * N + x * C) * 2;
          for (std::size_t row = 0; row < C * C; ++row)
            std::memcpy(chunk.data() + row * C * 2, box + ((row / C) * N + row % C) * N * 2, C * 2);
          std::string const file = path + "/" + std::to_string(z) + "/" + std::to_string(y) + "/" + std::to_string(x);
          if (raw) {
            write_file(file, chunk.data(), chunk_bytes);
          } else {
            std::size_t const size = ZSTD_compressCCtx(context, encoded.data(), encoded.size(), chunk.data(), chunk_bytes, 0);
            if (ZSTD_isError(size)) fail(file);
            write_file(file, encoded.data(), size);
          }
        }
        ZSTD_freeCCtx(context);
      });
    for (auto& thread : pool) thread.join();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::printf("%.3f ", seconds.back());
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("median %.3f s\n", seconds[seconds.size() / 2]);
}
