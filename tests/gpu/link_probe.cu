// The maximum rate of the link between host and device, and the rate left if a mini-batch's table and kernel are
// between its copies: the upper bound for reads into device memory.
//
//   link_probe [MiB=512] [PIECE MiB=4] [REPETITIONS=20]
//
// Prints the GPU and a table of rates with their spread. Each job is checked, element by element, before it is timed.
// Exits with 77 without a GPU.
#include <cstdlib>
#include <optional>

#include "measured.cuh"

using namespace tessera;
using namespace measured;

namespace {

using Word = std::uint64_t;
struct Numbers {
  TESSERA_HOST_DEVICE Word operator()(std::uint64_t i) const { return number(i); }
};
// A piece's destination is counted from the end, as in the table.
struct Place {
  Word const* from;
  Word* to;
  std::uint64_t const* table;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { to[table[0] + i] = from[i]; }
};
struct Placed {
  std::uint64_t pieces, words;
  TESSERA_HOST_DEVICE Word operator()(std::uint64_t i) const {
    return number((pieces - 1 - i / words) * words + i % words);
  }
};

class Link {
 public:
  Link(std::uint64_t bytes, std::uint64_t piece)
      : bytes_{bytes / piece * piece},
        piece_{piece},
        here_(bytes_, copies_),
        there_(bytes_, copies_),
        placed_(bytes_, copies_),
        tables_here_(table_bytes * pieces(), copies_),
        tables_there_(table_bytes * pieces(), copies_) {
    auto* const words = reinterpret_cast<Word*>(here_.span().data);
    for (std::uint64_t i = 0; i < bytes_ / sizeof(Word); ++i) words[i] = number(i);
    for (std::uint64_t i = 0; i < pieces(); ++i)
      *reinterpret_cast<std::uint64_t*>(tables_here_.span().data + i * table_bytes) =
          (pieces() - 1 - i) * piece_ / sizeof(Word);
  }

  bool measure(int repetitions) {
    std::printf("%llu MiB, pieces of %llu MiB\n\n| job | %s |\n|---|---|---|---|\n",
                static_cast<unsigned long long>(bytes_ >> 20), static_cast<unsigned long long>(piece_ >> 20),
                cell_names);
    auto const one = [&] { copy(0, bytes_); };
    auto const many = [&] { for_each_piece([&](auto i) { copy(i * piece_, piece_); }); };
    auto const tables = [&](Queue<space::Device>& on) {
      for_each_piece([&](auto i) {
        copy(i * piece_, piece_);
        if (on.stream() != copies_.stream()) on.after(copies_.record());
        good(cudaMemcpyAsync(table(i), tables_here_.view().data + i * table_bytes, table_bytes, cudaMemcpyHostToDevice,
                             on.stream()),
             "cudaMemcpyAsync");
        launch(on, piece_ / sizeof(Word),
               Place{words(there_) + i * piece_ / sizeof(Word), words(placed_),
                     reinterpret_cast<std::uint64_t const*>(table(i))});
      });
    };
    bool right = job("one copy", repetitions, there_, Numbers{}, one);
    right &= job("copies of a piece, one stream", repetitions, there_, Numbers{}, many);
    Placed const expected{pieces(), piece_ / sizeof(Word)};
    right &=
        job("a table and a kernel between them, one stream", repetitions, placed_, expected, [&] { tables(copies_); });
    right &= job("the tables and kernels on another stream", repetitions, placed_, expected, [&] { tables(kernels_); });
    right &= job(
        "one copy back", repetitions, there_, Numbers{},
        [&] {
          good(cudaMemcpyAsync(here_.span().data, there_.view().data, bytes_, cudaMemcpyDeviceToHost, copies_.stream()),
               "cudaMemcpyAsync");
        },
        false);
    return right;
  }

 private:
  static constexpr std::uint64_t table_bytes = 16384;  // of about 300 boxes

  std::uint64_t pieces() const { return bytes_ / piece_; }
  std::byte* table(std::uint64_t i) { return tables_there_.span().data + i * table_bytes; }
  static Word* words(DeviceBuffer& buffer) { return reinterpret_cast<Word*>(buffer.span().data); }

  void copy(std::uint64_t at, std::uint64_t size) {
    good(cudaMemcpyAsync(there_.span().data + at, here_.view().data + at, size, cudaMemcpyHostToDevice,
                         copies_.stream()),
         "cudaMemcpyAsync");
  }
  template <class F>
  void for_each_piece(F const& f) {
    for (std::uint64_t i = 0; i < pieces(); ++i) f(i);
  }

  template <class Expected, class F>
  bool job(char const* what, int repetitions, DeviceBuffer& to, Expected const& expected, F const& f,
           bool fills = true) {
    auto const whole = [&] {
      f();
      copies_.wait();
      kernels_.wait();
    };
    if (fills) {
      spoil(there_.span(), copies_);
      spoil(to.span(), copies_);
    } else {
      std::fill_n(here_.span().data, bytes_, std::byte{0xee});
    }
    whole();
    bool right = all_are(words(to), bytes_ / sizeof(Word), expected, copies_);
    if (!fills) {  // copied back
      auto const* const back = reinterpret_cast<Word const*>(here_.view().data);
      for (std::uint64_t i = 0; i < bytes_ / sizeof(Word); ++i) right = right && back[i] == expected(i);
    }
    std::printf("| %s | %s |%s\n", what, cells(seconds(repetitions, whole), bytes_).c_str(), right ? "" : " WRONG");
    return right;
  }

  Queue<space::Device> copies_, kernels_;
  std::uint64_t bytes_, piece_;
  PinnedBuffer here_;
  DeviceBuffer there_, placed_;
  PinnedBuffer tables_here_;
  DeviceBuffer tables_there_;
};

int attribute(cudaDeviceAttr which) {
  int value = 0;
  good(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
  return value;
}

bool run(std::uint64_t bytes, std::uint64_t piece, int repetitions) {
  int driver = 0;
  good(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  std::size_t free = 0, total = 0;
  good(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  std::printf("compute capability %d.%d, %zu MiB of memory, %zu of them free, driver for CUDA %d.%d\n",
              attribute(cudaDevAttrComputeCapabilityMajor), attribute(cudaDevAttrComputeCapabilityMinor), total >> 20,
              free >> 20, driver / 1000, driver % 1000 / 10);
  return Link{bytes, piece}.measure(repetitions);
}

}  // namespace

int main(int argc, char** argv) {
  auto const argument = [&](int i, int otherwise) { return argc > i ? std::max(std::atoi(argv[i]), 1) : otherwise; };
  return measured::run([&] {
    return run(static_cast<std::uint64_t>(argument(1, 512)) << 20, static_cast<std::uint64_t>(argument(2, 4)) << 20,
               argument(3, 20));
  });
}
