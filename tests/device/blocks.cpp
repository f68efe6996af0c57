// Kernels whose threads work together, in phases.
#include <device/device.hpp>

using namespace tessera;
using test::DeviceQueue, test::made, test::text, test::under_seeds;

namespace {

/// Each block reverses its part of the bytes: each thread reads what another wrote.
struct Reverse {
  static constexpr unsigned threads = 64, phases = 2;
  struct Shared {
    char bytes[threads];
  };
  char* bytes;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    if constexpr (Phase == 0)
      shared.bytes[thread] = bytes[block * threads + thread];
    else
      bytes[block * threads + thread] = shared.bytes[threads - 1 - thread];
  }
};

/// The sum of a block's numbers, halving their count in each phase.
struct Sum {
  static constexpr unsigned threads = 32, phases = 7;
  struct Shared {
    std::uint32_t sum[threads];
  };
  std::uint32_t* sums;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    if constexpr (Phase == 0) {
      shared.sum[thread] = static_cast<std::uint32_t>(block * threads + thread);
    } else if constexpr (Phase < 6) {
      constexpr unsigned half = threads >> Phase;
      if (thread < half) shared.sum[thread] += shared.sum[thread + half];
    } else {
      if (thread == 0) sums[block] = shared.sum[0];
    }
  }
};

/// Block b passes a number from thread to thread b + 1 times: each time each thread takes its neighbour's, and adds 1.
struct Passing {
  static constexpr unsigned threads = 32, phases = 3, repeated = 1;
  struct Shared {
    std::uint32_t numbers[threads], next[threads], left;
  };
  std::uint32_t* results;

  TESSERA_HOST_DEVICE bool goes_on(std::uint64_t, Shared const& shared) const { return shared.left != 0; }

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    if constexpr (Phase == 0) {
      shared.next[thread] = thread * 1000;
      if (thread == 0) shared.left = static_cast<std::uint32_t>(block) + 1;
    } else if constexpr (Phase == 1) {
      shared.numbers[thread] = shared.next[thread];
    } else {
      shared.next[thread] = shared.numbers[(thread + 1) % threads] + 1;
      if (thread == 0) --shared.left;
      results[block * threads + thread] = shared.next[thread];
    }
  }
};

/// The number of the thread that ran before: a mistake on a GPU, which runs them at once.
struct Racing {
  static constexpr unsigned threads = 8, phases = 1;
  struct Shared {
    std::uint32_t last;
  };
  std::uint32_t* results;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    results[block * threads + thread] = shared.last;
    shared.last = thread;
  }
};

}  // namespace

TEST_CASE("a phase begins when all threads of the block have ended the one before") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    std::string const before = test::long_text(64 * 40);
    auto buffer = made<DeviceBuffer>(before, on);
    launch_blocks(on, 40, Reverse{reinterpret_cast<char*>(buffer.span().data)});
    std::string expected;
    for (std::size_t block = 0; block < 40; ++block) {
      auto part = before.substr(block * 64, 64);
      std::reverse(part.begin(), part.end());
      expected += part;
    }
    CHECK(text(buffer.view(), on) == expected);
  });
}

TEST_CASE("each block has shared memory of its own, through all of its phases") {
  under_seeds(16, [] {
    constexpr std::uint32_t blocks = 1000;
    DeviceQueue on{test::HostQueue{}};
    PinnedBuffer sums(blocks * sizeof(std::uint32_t), on);
    launch_blocks(on, blocks, Sum{reinterpret_cast<std::uint32_t*>(sums.span().data)});
    on.wait();
    std::uint32_t found[blocks], wrong = 0;
    std::memcpy(found, sums.view().data, sizeof found);
    for (std::uint32_t b = 0; b < blocks; ++b) wrong += found[b] != 32 * 32 * b + 31 * 16;
    CHECK(wrong == 0);
  });
}

TEST_CASE("phases are repeated as often as a block says, each block for itself") {
  under_seeds(16, [] {
    constexpr std::uint32_t blocks = 100, threads = Passing::threads;
    DeviceQueue on{test::HostQueue{}};
    PinnedBuffer results(blocks * threads * sizeof(std::uint32_t), on);
    launch_blocks(on, blocks, Passing{reinterpret_cast<std::uint32_t*>(results.span().data)});
    on.wait();
    std::uint32_t found[blocks][threads], wrong = 0;
    std::memcpy(found, results.view().data, sizeof found);
    for (std::uint32_t b = 0; b < blocks; ++b)
      for (std::uint32_t t = 0; t < threads; ++t) wrong += found[b][t] != (t + b + 1) % threads * 1000 + b + 1;
    CHECK(wrong == 0);
  });
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("threads of a phase run forwards in some blocks and phases, and backwards in others") {
  under_seeds(4, [] {
    DeviceQueue on{test::HostQueue{}};
    PinnedBuffer results(2 * 8 * sizeof(std::uint32_t), on);
    launch_blocks(on, 2, Racing{reinterpret_cast<std::uint32_t*>(results.span().data)});
    on.wait();
    std::uint32_t found[2][8];
    std::memcpy(found, results.view().data, sizeof found);
    for (std::uint32_t t = 1; t < 7; ++t) {
      CHECK(found[0][t] == t - 1);
      CHECK(found[1][t] == t + 1);
    }
  });
}
#endif

TEST_CASE("no blocks are no launch") {
  under_seeds(1, [] {
    DeviceQueue on{test::HostQueue{}};
#if defined(TESSERA_CUDA_EMULATION)
    emulation::Watch watch;
#endif
    launch_blocks(on, 0, Reverse{nullptr});
#if defined(TESSERA_CUDA_EMULATION)
    CHECK(watch.launches() == 0);
#endif
    CHECK_NOTHROW(on.wait());
  });
}
