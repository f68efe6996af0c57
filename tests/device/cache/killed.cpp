// A process that is killed after a flush, with chunks of its cache on the device and in page-locked memory.
#include <csignal>
#include <cstdlib>

#include <unistd.h>

#include <sys/wait.h>

#include <device/cache/cached.hpp>

namespace cache_killed_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_chunk;

namespace {

constexpr char const* here = "TESSERA_TEST_KILLED_IN";
constexpr std::uint64_t rows = 128, columns = 64;  // 32 chunks

std::vector<std::int32_t> numbers() { return test::numbers_from<std::int32_t>(100, rows * columns); }

// Ends by a signal.
void write_and_be_killed(char const* folder) {
  DeviceQueue on{HostQueue{}};
  auto const array = open_array<std::int32_t, 2, test::Compressed>(LocalStore<HostBuffer>{folder}, "a", on);
  ChunkCache const cache{array, {.device = 5 * cached_chunk, .host = 64 << 10}};
  auto const memory = test::on_device<std::int32_t, 2>(numbers(), {rows, columns}, on);
  cache.on(on).write(all, memory);
  auto const found = cache.statistics();
  bool const is_everywhere = found.dirty == 32 && found.on_device == 5 && found.on_host == 27;
  cache.flush();
  cache.hold_for_writing<space::Host>({0, 0})[0].view(0, 0) = -7;  // which is lost
  std::raise(is_everywhere ? SIGKILL : SIGTERM);
}

}  // namespace

TEST_CASE("a process that is killed after a flush has lost nothing, wherever its chunks were") {
  if (char const* const folder = std::getenv(here)) return write_and_be_killed(folder);
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / "s"};
  using Stored = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  NewArray<std::int32_t> const described{.shape = {rows, columns}, .chunks = {16, 16}};
  auto const array = create_array<std::int32_t, 2>(store, "a", described, Stored{}, HostQueue{});
  auto const child = ::fork();  // CUDA does not survive that, so a new program begins
  if (child == 0) {
    ::setenv(here, (folder / "s").c_str(), 1);
    ::execl("/proc/self/exe", "killed", "--test-case=a process that is killed after a flush*", nullptr);
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGKILL);
  std::vector<std::int32_t> stored(rows * columns);
  array.read(all, stored);
  CHECK(stored == numbers());
}

#endif

}  // namespace cache_killed_tests
