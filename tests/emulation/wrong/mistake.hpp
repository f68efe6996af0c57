// A mistake that the emulation must catch: a small wrong program, and its twin that differs only by the correction.
#pragma once
#include <thread>
#include <vector>

#include <emulation/kernels.hpp>

namespace wrong {

using namespace test;

/// How a mistake is caught. If it depends on when streams run, at least one of the first 16 seeds must show it, the
/// same on each run; under ThreadSanitizer each seed must.
enum class Caught {
  by_order,     ///< wrong data or a report under some seeds; under ThreadSanitizer a race under each
  by_answer,    ///< wrong data under some seeds, in every build: it depends on answers to the program
  always,       ///< reported under each seed, in every build
  by_memory,    ///< reported under each seed; not where kernels and the host share the first view (ThreadSanitizer)
  by_accesses,  ///< reported under each seed, if each access is checked: in all builds except those of sanitizers
};

struct Mistake {
  Mistake(char const* its_name, Caught how, char const* words, bool (*program)(bool cured))
      : name{its_name}, caught{how}, says{words}, run{program}, next{all} {
    all = this;
  }
  Mistake(Mistake const&) = delete;
  Mistake& operator=(Mistake const&) = delete;

  char const* name;  ///< "file: the problem"
  Caught caught;
  char const* says;         ///< words of the report: alternatives are separated by '|'
  bool (*run)(bool cured);  ///< whether the data was right
  Mistake const* next;

  static inline Mistake const* all = nullptr;
};

inline char const* const wrong_data = "wrong data";
inline char const* const host_touch = "touched device memory";

/// Whether each of the elements is the value.
inline bool all_are(int value, int const* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (values[i] != value) return false;
  return true;
}
inline bool all_are(int value, std::vector<int> const& values) { return all_are(value, values.data(), values.size()); }

/// Puts `value` into each element.
inline void fill(Pinned<int> const& to, int value) {
  for (std::size_t i = 0; i < to.bytes() / sizeof(int); ++i) to[i] = value;
}
/// Puts `value` into each element of device memory, and waits.
inline void fill(Device<int> const& to, int value) {
  write(to.data(), std::vector<int>(to.bytes() / sizeof(int), value));
}

constexpr std::size_t count = 1000;

}  // namespace wrong
