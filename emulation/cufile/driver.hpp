// State of cuFile's stand-in: one driver, under one lock, never destroyed.
#pragma once
#include <cufile.h>
#include <emulation/cufile.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "../runtime/report.hpp"

namespace emulation::cufile {

inline constexpr std::size_t direct_page = 4096;  ///< a disk's alignment of offsets, sizes and addresses

struct Batch {
  unsigned most = 0;
  std::vector<CUfileIOParams_t> waiting;  ///< submitted, and not done
  std::vector<CUfileIOEvents_t> done;     ///< not reported
};

struct Driver {
  std::mutex mutex;
  Machine machine;
  std::size_t opened = 0;
  bool compatible = true;  ///< whether the host may copy instead: the default of cufile.json
  std::map<CUfileHandle_t, int> files;
  std::map<std::byte const*, std::size_t> buffers;
  std::set<Batch*> batches;
  std::uintptr_t next_file = 0xf11e000;
  std::map<std::string, std::size_t, std::less<>> calls;
  std::size_t until_failure = ~std::size_t{0}, until_short = ~std::size_t{0}, short_size = 0;
  std::string failed;
  bool tells_fewer = false;
};
Driver& driver();

/// Counts a call; returns whether it fails.
bool begin(char const* name);

/// Moves the requested bytes, or fewer; negative is an error.
ssize_t transfer(CUfileIOParams_t const& request);

}  // namespace emulation::cufile
