// Compressed arrays read into device memory, by the place of decoding: on the host, whose elements cross; on the
// device, to which compressed chunks cross, from host memory and from files, or where they are already; compared with
// nvCOMP alone with all chunks on the device.
//
//   decoding [ALONG=512] [REPETITIONS=5] [CODEC...]
//
// Cubes of ALONG elements of float32, in chunks of 1 MiB, in memory and in a temporary folder. The codecs: zstd, gzip,
// lz4, blosc (of lz4, with shuffle). Checks every element. Exits with 77 without a GPU.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <unistd.h>

#include <tessera/with/blosc.hpp>
#include <tessera/with/deflate.hpp>
#include <tessera/with/lz4.hpp>
#include <tessera/with/nvcomp.cuh>
#include <tessera/with/zstd.hpp>

#include "measured.cuh"

using namespace tessera;
using namespace measured;

namespace {

using Device = Queue<space::Device>;
constexpr std::uint64_t cube = 64;
constexpr std::size_t chunk_bytes = cube * cube * cube * sizeof(float);

struct Element {
  TESSERA_HOST_DEVICE float operator()(std::uint64_t i) const { return static_cast<float>(number(i) & 0x3ff); }
};

// nvCOMP's own function, on chunks in device memory, called as tessera's codec does.
template <class Format>
class Alone {
 public:
  /// `chunks` are not moved. A frame begins after `header` bytes of each.
  Alone(std::vector<ByteView<space::Device>> const& chunks, std::size_t header, std::byte* to, Device& on)
      : on_{on}, count_{chunks.size()} {
    for (std::size_t i = 0; i < count_; ++i) {
      from_.push_back(chunks[i].data + header);
      sizes_.push_back(chunks[i].size - header);
      rooms_.push_back(chunk_bytes);
      to_.push_back(to + i * chunk_bytes);
    }
    lists_ = DeviceBuffer{5 * count_ * sizeof(std::size_t), on};
    put(0, from_), put(1, sizes_), put(2, rooms_), put(3, to_);
    good(Format::temporary(count_, chunk_bytes, Format::options, &wanted_, count_ * chunk_bytes, on.stream()));
    scratch_ = DeviceBuffer{wanted_, on};
    statuses_ = DeviceBuffer{count_ * sizeof(nvcompStatus_t), on};
    on.wait();
  }
  void decode() {
    good(Format::decompress(list<void const* const>(0), list<std::size_t const>(1), list<std::size_t const>(2),
                            list<std::size_t>(4), count_, scratch_.span().data, wanted_, list<void* const>(3),
                            Format::options, reinterpret_cast<nvcompStatus_t*>(statuses_.span().data), on_.stream()));
    on_.wait();
  }

 private:
  static void good(nvcompStatus_t status) {
    if (status != nvcompSuccess) throw Error{nvcompGetStatusString(status)};
  }
  template <class T>
  T* list(std::size_t i) {
    return reinterpret_cast<T*>(lists_.span().data + i * count_ * sizeof(std::size_t));
  }
  template <class T>
  void put(std::size_t i, std::vector<T> const& values) {
    measured::good(cudaMemcpyAsync(list<T>(i), values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice, on_.stream()),
                   "cudaMemcpyAsync");
  }

  Device& on_;
  std::size_t count_, wanted_ = 0;
  std::vector<std::byte const*> from_;
  std::vector<std::byte*> to_;
  std::vector<std::size_t> sizes_, rooms_;
  DeviceBuffer lists_, scratch_, statuses_;
};

class Cube {
 public:
  explicit Cube(std::uint64_t along) : shape_{along, along, along}, there_(shape_, on_) {}
  ~Cube() { std::filesystem::remove_all(folder_); }

  /// `Host`: the codec on the host; `OnDevice`: the same on the device; `Format`: nvCOMP's format, or void.
  template <class Host, class OnDevice, class Format = void>
  bool measure(char const* name, int repetitions, Host const& codec = {}, std::size_t header = 0) {
    write(codec);
    std::printf("\n%s: %.3f of the size of the elements\n\n| decoded | %s |\n|---|---|---|---|\n", name,
                static_cast<double>(stored_) / static_cast<double>(bytes()), cell_names);
    bool right = row("on the host, by all threads", repetitions,
                     open<Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, Host>>(documents_));
    right &= row("on the device, from the host's memory", repetitions,
                 open<Pipeline<space::Device, codec::Bytes, OnDevice, CastTo<space::Host>>>(documents_));
    right &= row("on the device, from files", repetitions,
                 open<Pipeline<space::Device, codec::Bytes, OnDevice>>(
                     SplitStore{LocalStore<HostBuffer>{folder_}, LocalStore<DeviceBuffer>{folder_}}));
    auto const in_place = open<Pipeline<space::Device, codec::Bytes, OnDevice>>(SplitStore{documents_, chunks_});
    right &= row("on the device, where the chunks are", repetitions, in_place);
    right &= row("the same, all in one mini-batch", repetitions, in_place, {.mini_batch = every_chunk});
    if constexpr (!std::same_as<Format, void>) {
      OwnedArray<float, 3, DeviceBuffer> into{shape_, on_};  // chunk after chunk
      std::vector<ByteView<space::Device>> views;
      for (auto const& lent : lent_) views.push_back(lent.bytes);
      Alone<Format> alone{views, header, reinterpret_cast<std::byte*>(into.data()), on_};
      print("by nvCOMP alone, one batch, without placing", seconds(repetitions, [&] { alone.decode(); }), true);
    }
    lent_.clear();
    return right;
  }

 private:
  std::uint64_t bytes() const { return shape_[0] * shape_[1] * shape_[2] * sizeof(float); }

  template <class Host>
  void write(Host const& codec) {
    auto const along = shape_[0];
    std::vector<float> elements(along * along * along);
    for (std::uint64_t i = 0; i < elements.size(); ++i) elements[i] = Element{}(i);
    Queue<space::Host> host{std::thread::hardware_concurrency()};
    documents_ = {}, chunks_ = {}, stored_ = 0;
    auto const write_to = [&](auto const& store) {
      create_array<float, 3>(store, "a", {.shape = shape_, .chunks = {cube, cube, cube}, .overwrite = true},
                             Pipeline<space::Host, codec::Bytes, Host>{codec::Bytes{}, codec}, host)
          .write(all, elements);
    };
    write_to(documents_);
    write_to(LocalStore<HostBuffer>{folder_});
    for (std::uint64_t i = 0; i < along * along * along / (cube * cube * cube); ++i) {
      auto const n = along / cube;
      Key const key{"a/c/" + std::to_string(i / n / n) + '/' + std::to_string(i / n % n) + '/' + std::to_string(i % n)};
      auto const value = documents_.lend(key, {}, host).value();
      DeviceBuffer copy{value.bytes.size, on_};
      crossing<space::Device, space::Host>::copy(value.bytes, copy.span(), on_);
      chunks_.write(key, copy.view(), on_);
      lent_.push_back(chunks_.lend(key, {}, on_).value());
      stored_ += value.bytes.size;
      on_.wait();
    }
  }
  template <class P, class S>
  Array<float, 3, S, P> open(S const& store) {
    return open_array<float, 3, P>(store, "a", Device{Queue<space::Host>{std::thread::hardware_concurrency()}});
  }
  template <class A>
  bool row(char const* decoded, int repetitions, A const& array, ReadOptions const& options = {}) {
    spoil({reinterpret_cast<std::byte*>(there_.data()), bytes()}, on_);
    auto const read = [&] { array.read(all, there_, options).wait(); };
    read();
    bool const right = all_are(there_.data(), bytes() / sizeof(float), Element{}, on_);
    print(decoded, seconds(repetitions, read), right);
    return right;
  }
  void print(char const* decoded, std::vector<double> const& taken, bool right) const {
    std::printf("| %s | %s |%s\n", decoded, cells(taken, bytes()).c_str(), right ? "" : " WRONG");
  }

  std::string const folder_ =
      (std::filesystem::temp_directory_path() / ("tessera-decoding-" + std::to_string(::getpid()))).string();
  Device on_;
  Extents shape_;
  OwnedArray<float, 3, DeviceBuffer> there_;
  MemoryStore<HostBuffer> documents_;
  MemoryStore<DeviceBuffer> chunks_;
  std::vector<Lent<space::Device>> lent_;
  std::uint64_t stored_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> codecs(argv + std::min(argc, 3), argv + argc);
  if (codecs.empty()) codecs = {"zstd", "lz4", "blosc", "gzip"};
  auto const along = (argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 512) / cube * cube;
  auto const repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  return measured::run([&] {
    Cube array{along};
    bool right = true;
    for (auto const& name : codecs) {
      if (name == "zstd")
        right &= array.measure<codec::Zstd, nvcomp::Trusted<nvcomp::Zstd>, tessera::detail::NvcompZstd>(  //
            "zstd", repetitions);
      else if (name == "gzip")
        right &= array.measure<codec::Gzip, nvcomp::Trusted<nvcomp::Gzip>, tessera::detail::NvcompGzip>(  //
            "gzip", repetitions);
      else if (name == "lz4")
        right &= array.measure<codec::Lz4, nvcomp::Lz4, tessera::detail::NvcompLz4>(
            "lz4", repetitions, {}, tessera::detail::Lz4Frame::header);
      else if (name == "blosc") {
        codec::Blosc blosc;
        blosc.cname = "lz4";
        right &= array.measure<codec::Blosc, nvcomp::BloscLz4>("blosc of lz4", repetitions, blosc);
      }
      else
        throw Error{"no codec is called " + name};
    }
    return right;
  });
}
