// A file into device memory by cuFile, compared with the same file through page-locked memory; and the path it took.
//
//   direct FILE [MIB=1024] [REPETITIONS=5] [KEEP]
//
// Makes the file, reads all of it, in ranges of 1 MiB and at once, and checks every element. KEEP leaves the file, for
// gdsio to read. Exits with 77 without a GPU. A path through page-locked memory is not a failure: the cause is printed.
#include <cstdlib>
#include <filesystem>

#include <tessera/with/cufile.cuh>

#include "measured.cuh"

using namespace tessera;
using namespace measured;

namespace {

struct Word {
  TESSERA_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const { return number(i); }
};

struct Place {
  ByteSpan<space::Device> to;
  ByteSpan<space::Device> operator()(std::size_t n) const { return to.sub(0, n); }
};

template <class S>
bool read(char const* what, S const& store, Key const& key, std::uint64_t bytes, std::uint64_t piece, int repetitions,
          Queue<space::Device>& on) {
  DeviceBuffer memory(bytes, on);
  std::vector<Place> places;
  for (std::uint64_t at = 0; at < bytes; at += piece) places.push_back({memory.span().sub(at, piece)});
  std::vector<ReadRequest<space::Device>> requests;
  for (std::uint64_t i = 0; i < places.size(); ++i)
    requests.push_back({&key, {i * piece, piece}, places[i], {}, memory.span()});
  auto const whole = [&] {
    get_many(store, std::span{requests}, on);
    on.wait();
  };
  whole();
  bool const right =
      all_are(reinterpret_cast<std::uint64_t const*>(memory.view().data), bytes / sizeof(std::uint64_t), Word{}, on);
  std::printf("| %s, %llu KiB at once | %s |%s\n", what, static_cast<unsigned long long>(piece >> 10),
              cells(seconds(repetitions, whole), bytes).c_str(), right ? "" : " WRONG");
  return right;
}

bool run(std::filesystem::path const& file, std::uint64_t bytes, int repetitions, bool keeps) {
  Queue<space::Device> on;
  DirectStore<DeviceBuffer> const direct{file.parent_path().string()};
  Key const key{file.filename().string()};
  {
    HostBuffer words(bytes);
    auto* const to = reinterpret_cast<std::uint64_t*>(words.span().data);
    for (std::uint64_t i = 0; i < bytes / sizeof *to; ++i) to[i] = number(i);
    DeviceBuffer const value = copy_to<DeviceBuffer>(std::move(words), on);
    direct.write(key, value.view(), on);
  }
  std::printf("| | %s |\n|---|---|---|---|\n", cell_names);
  bool right = true;
  for (std::uint64_t const piece : {std::uint64_t{1} << 20, bytes}) {
    right = read("DirectStore", direct, key, bytes, piece, repetitions, on) && right;
    right = read("LocalStore", direct.source(), key, bytes, piece, repetitions, on) && right;
  }
  for (auto const& one : direct.transfer_path())
    std::printf("%s: %llu reads of %llu bytes, %llu writes of %llu%s%s\n",
                one.path == TransferPath::direct ? "directly" : "through page-locked memory",
                static_cast<unsigned long long>(one.reads), static_cast<unsigned long long>(one.read_bytes),
                static_cast<unsigned long long>(one.writes), static_cast<unsigned long long>(one.written_bytes),
                one.why.empty() ? "" : ": ", one.why.c_str());
  if (!keeps) direct.erase(key, on);
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("direct FILE [MIB] [REPETITIONS] [KEEP]\n", stderr), 2;
  auto const argument = [&](int i, int otherwise) { return argc > i ? std::max(std::atoi(argv[i]), 1) : otherwise; };
  return measured::run([&] {
    return run(std::filesystem::absolute(argv[1]), static_cast<std::uint64_t>(argument(2, 1024)) << 20, argument(3, 5),
               argc > 4);
  });
}
