// --space: whether chunks are decoded and placed in host memory or in device memory, behind one interface.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

#include "bench/timed_read.hpp"
#include "source.hpp"

namespace cli {

/// One array, read through a space.
class Reader {
 public:
  Reader() = default;
  Reader(Reader const&) = delete;
  Reader& operator=(Reader const&) = delete;
  virtual ~Reader() = default;

  /// The elements of a region in host memory, in C order, until the next call. Throws: tessera::Error, naming a key.
  virtual std::span<std::byte> read(tessera::Region const& region, tessera::Traffic& traffic) = 0;
  /// Decodes and places them only to check that this works. For any thread. Throws: tessera::Error; one that names no
  /// key is about the region.
  virtual void check(tessera::Region const& region, tessera::Traffic& traffic) const = 0;
  /// As the array's.
  virtual void keep_shard_indexes(std::uint64_t most) const = 0;
};

class Space {
 public:
  Space() = default;
  Space(Space const&) = delete;
  Space& operator=(Space const&) = delete;
  virtual ~Space() = default;

  /// Requires: the array and this outlive it.
  virtual std::unique_ptr<Reader> reader(Array const& array) const = 0;
};

/// "host" or "device", whose host work that queue does. Throws: UsageError, if there is no device.
std::unique_ptr<Space> space_named(std::string const& name, Queue const& on);

/// The memory of a device.
class DeviceSpace : public Space {
 public:
  /// Which device it is.
  virtual std::string description() const = 0;
  /// The timed read of a region. Requires: the region has elements, and the array and this outlive it.
  virtual std::unique_ptr<TimedRead> timed_read(Array const& array, tessera::Region const& region) const = 0;
};

/// In device.cpp; of a command without CUDA in no_device.cpp. Throws: UsageError.
std::unique_ptr<DeviceSpace> device_space(Queue const& on);

}  // namespace cli
