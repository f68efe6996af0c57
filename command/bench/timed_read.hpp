// Repeats one read into device memory, and notes when its parts were active.
#pragma once
#include <vector>

#include <tessera/transfer/options.hpp>

#include "../read_log.hpp"
#include "timeline.hpp"

namespace cli {

/// Throws: tessera::Error.
class TimedRead {
 public:
  TimedRead() = default;
  TimedRead(TimedRead const&) = delete;
  TimedRead& operator=(TimedRead const&) = delete;
  virtual ~TimedRead() = default;

  /// As a program does it: returns when the elements are in device memory.
  virtual void read() = 0;

  struct Noted {
    Timeline timeline{};
    std::vector<ReadLog::Call> calls{};  ///< of the store
  };
  /// The same, timed. Bytes are added to `traffic`.
  virtual Noted noted(tessera::Traffic& traffic) = 0;
};

}  // namespace cli
