// Arrays in files, read whole into device memory, compared with a hand-written loop: by the size of a mini-batch and
// the number of threads. The files are in the page cache.
//
//   end_to_end make FOLDER [ALONG=1024]
//   end_to_end read FOLDER [ALONG=1024] [REPETITIONS=5] [KIND...]
//   end_to_end once FOLDER [ALONG=1024] [KIND...]     two reads of each with all threads, for a profiler
//
// The kinds: raw and zstd, of float32, and transposed, of float64 in Fortran order in their chunks. Chunks are cubes of
// 64 elements along each side. Every timed read runs once before into spoiled memory and is checked, element by
// element. Exits with 77 without a GPU.
#include <optional>

#include <tessera/with/zstd.hpp>

#include "device_loop.cuh"

using namespace tessera;
using namespace measured;

namespace {

constexpr std::uint64_t cube = 64;

template <class T>
struct Element {
  TESSERA_HOST_DEVICE T operator()(std::uint64_t i) const { return static_cast<T>(number(i) & 0xffff); }
};

Cubes cubes_of(std::uint64_t along, std::string const& kind) {
  auto const planes = std::max(cube, along / 2 / cube * cube);
  return {{planes, along, along}, cube, kind == "transposed", kind == "zstd"};
}

Extents shape_of(Cubes const& cubes) { return {cubes.shape[0], cubes.shape[1], cubes.shape[2]}; }

template <class T, class Made>
void make(std::string const& folder, Cubes const& cubes, Made const& pipeline) {
  Queue<space::Host> on;
  LocalStore<HostBuffer> const store{folder};
  auto const array = create_array<T, 3>(
      store, "", {.shape = shape_of(cubes), .chunks = {cube, cube, cube}, .overwrite = true}, pipeline, on);
  std::vector<T> layer(cube * cubes.shape[1] * cubes.shape[2]);
  for (std::uint64_t z = 0; z < cubes.shape[0]; z += cube) {
    for (std::uint64_t i = 0; i < layer.size(); ++i) layer[i] = Element<T>{}(z * cubes.shape[1] * cubes.shape[2] + i);
    array.write({{z, z + cube}, all, all}, layer);
  }
  std::printf("%s: %llu chunks of %zu bytes\n", folder.c_str(), static_cast<unsigned long long>(cubes.chunks()),
              cube * cube * cube * sizeof(T));
}

/// One kind's reads.
template <class T>
class Reads {
 public:
  Reads(std::string folder, std::string kind, Cubes const& cubes)
      : folder_{std::move(folder)}, kind_{std::move(kind)}, cubes_{cubes}, there_(shape_of(cubes), on_) {}

  template <class OnDevice>
  bool measure(int repetitions) {
    std::printf(
        "\n%s: %llu x %llu x %llu elements of %zu bytes\n\n| threads | mini-batch | program | %s |\n"
        "|---|---|---|---|---|---|\n",
        kind_.c_str(), static_cast<unsigned long long>(cubes_.shape[0]),
        static_cast<unsigned long long>(cubes_.shape[1]), static_cast<unsigned long long>(cubes_.shape[2]), sizeof(T),
        cell_names);
    bool right = true;
    for (auto const threads : {16u, 8u, 4u, 2u, 1u})  // the fastest first: it may be cut short
      for (auto const batch : {4u, 1u, 2u, 8u, 16u, 32u}) right &= row<OnDevice>(threads, batch, repetitions);
    return right;
  }

  /// Two reads with all the threads: the first starts them and allocates memory.
  template <class OnDevice>
  bool once() {
    auto const on = queue(std::thread::hardware_concurrency());
    auto const array = open_array<T, 3, OnDevice>(LocalStore<HostBuffer>{folder_}, "", on);
    array.read(all, there_).wait();
    array.read(all, there_).wait();
    return is_right();
  }

 private:
  static constexpr std::size_t MiB = std::size_t{1} << 20;

  static Queue<space::Device> queue(std::size_t threads) { return Queue<space::Device>{Queue<space::Host>{threads}}; }
  ByteSpan<space::Device> bytes() { return {reinterpret_cast<std::byte*>(there_.data()), cubes_.size() * sizeof(T)}; }
  bool is_right() { return all_are(there_.data(), cubes_.size(), Element<T>{}, on_); }

  template <class OnDevice>
  bool row(std::size_t threads, std::size_t batch, int repetitions) {
    bool right = true;
    {
      DeviceLoop<T> loop{folder_, cubes_, threads, batch * MiB};
      right &= print(threads, batch, "loop", repetitions, [&] { loop.read(there_.data()); });
    }
    auto on = queue(threads);
    ReadOptions const options{.mini_batch_bytes = batch * MiB};
    auto const array = open_array<T, 3, OnDevice>(LocalStore<HostBuffer>{folder_}, "", on);
    right &= print(threads, batch, "tessera", repetitions, [&] { array.read(all, there_, options).wait(); });
    if (batch != 4) return right;
    // Memory that is new each time.
    std::optional<OwnedArray<T, 3, DeviceBuffer>> made;
    auto const fresh = seconds(repetitions, [&] {
      made.reset();
      made.emplace(array.read(all, options));
      on.wait();
    });
    bool const fresh_right = all_are(made->data(), cubes_.size(), Element<T>{}, on);
    right &= say(threads, batch, "tessera, into a new array", fresh, fresh_right);
    made.reset();
    return right;
  }

  template <class F>
  bool print(std::size_t threads, std::size_t batch, char const* program, int repetitions, F const& f) {
    spoil(bytes(), on_);
    f();
    bool const right = is_right();
    return say(threads, batch, program, seconds(repetitions, f), right);
  }
  bool say(std::size_t threads, std::size_t batch, char const* program, std::vector<double> const& taken, bool right) {
    std::printf("| %zu | %zu MiB | %s | %s |%s\n", threads, batch, program,
                cells(taken, cubes_.size() * sizeof(T)).c_str(), right ? "" : " WRONG");
    return right;
  }

  std::string folder_, kind_;
  Cubes cubes_;
  Queue<space::Device> on_;
  OwnedArray<T, 3, DeviceBuffer> there_;
};

using Raw = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
using Zstd = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;
using Transposed = Pipeline<space::Device, codec::Transpose, codec::Bytes, CastTo<space::Host>>;

template <class F>
bool for_each_kind(std::vector<std::string> kinds, F const& f) {
  if (kinds.empty()) kinds = {"raw", "transposed", "zstd"};
  bool right = true;
  for (auto const& kind : kinds) {
    if (kind == "raw")
      right &= f.template operator()<float, Raw>(kind);
    else if (kind == "zstd")
      right &= f.template operator()<float, Zstd>(kind);
    else if (kind == "transposed")
      right &= f.template operator()<double, Transposed>(kind);
    else
      throw Error{"no kind is called " + kind};
  }
  return right;
}

void make_all(std::string const& folder, std::uint64_t along) {
  make<float>(folder + "/raw", cubes_of(along, "raw"), Pipeline<space::Host, codec::Bytes>{});
  make<float>(folder + "/zstd", cubes_of(along, "zstd"), Pipeline<space::Host, codec::Bytes, codec::Zstd>{});
  make<double>(folder + "/transposed", cubes_of(along, "transposed"),
               Pipeline<space::Host, codec::Transpose, codec::Bytes>{codec::Transpose{{2, 1, 0}}, {}});
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> const arguments(argv + 1, argv + argc);
  auto const number_at = [&](std::size_t i, unsigned long otherwise) {
    return i < arguments.size() ? std::stoul(arguments[i]) : otherwise;
  };
  auto const kinds_from = [&](std::size_t i) {
    return std::vector<std::string>(arguments.begin() + static_cast<std::ptrdiff_t>(std::min(i, arguments.size())),
                                    arguments.end());
  };
  if (arguments.size() < 2) {
    std::fprintf(stderr, "end_to_end make|read|once FOLDER [ALONG] ...\n");
    return 2;
  }
  auto const what = arguments[0], folder = arguments[1];
  auto const along = number_at(2, 1024) / cube * cube;
  return measured::run([&] {
    if (what == "make") {
      make_all(folder, along);
      return true;
    }
    bool const once = what == "once";
    auto const repetitions = static_cast<int>(once ? 1 : number_at(3, 5));
    return for_each_kind(kinds_from(once ? 3 : 4), [&]<class T, class OnDevice>(std::string const& kind) {
      Reads<T> reads{folder + '/' + kind, kind, cubes_of(along, kind)};
      return once ? reads.template once<OnDevice>() : reads.template measure<OnDevice>(repetitions);
    });
  });
}
