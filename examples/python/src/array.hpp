// Reads and writes of an open array over any store, without the interpreter's lock while chunks are processed.
#pragma once
#include "strings.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <thread>

namespace python {

/// Lets Python's signals and the caller's `progress(done, chunks)` end a call.
class Interruption {
 public:
  explicit Interruption(nb::object progress) : progress_{std::move(progress)} {}

  tessera::Progress hook() {
    return [this](std::uint64_t done, std::uint64_t chunks) {
      if (progress_.is_none() && std::this_thread::get_id() != caller_) return;
      Locked const held{caller_};
      if (!held) throw tessera::Cancelled{"the interpreter is ending"};
      try {
        in_python([&] {
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
          if (!progress_.is_none()) progress_(done, chunks);
        });
      } catch (nb::python_error& error) {
        if (!raised_) raised_.emplace(std::move(error));
        throw tessera::Cancelled{"cancelled"};
      }
    };
  }
  /// Calls f without the lock. Throws: an exception that Python raised meanwhile, otherwise that of f.
  template <class F>
  void run(F&& f) {
    try {
      Unlocked const unlocked;
      f();
    } catch (tessera::Cancelled const&) {
      if (raised_) throw std::move(*raised_);
      throw;
    }
  }

 private:
  nb::object progress_;
  std::optional<nb::python_error> raised_{};
  std::thread::id const caller_ = std::this_thread::get_id();
};

/// Set by one thread, it ends another's call before the next group of chunks.
struct Stop {
  std::atomic<bool> is_set{false};
};
/// For `stop` of options. Null: the call ends with the interpreter.
inline std::atomic<bool> const* flag_of(Stop const* stop) { return stop ? &stop->is_set : stop_at_end(); }

/// Whether memory of raw bytes is accepted as such elements: NumPy's interface has no name for them.
inline bool is_of_bytes(tessera::DataType type) {
  return type.kind == tessera::DataKind::structure || type.format != tessera::NumberFormat::usual;
}

inline void expect_type(tessera::DataType type, Borrowed const& memory) {
  auto const found = memory.elements.type;
  if (found == type || (is_of_bytes(type) && found == tessera::DataType{tessera::DataKind::raw, type.size})) return;
  throw tessera::ExchangeError{
      tessera::to_text({"the memory's elements are ", found.name(), ", expected ", type.name()})};
}
template <class A>
void expect_type(A const& array, Borrowed const& memory) {
  expect_type(array.type(), memory);
}

void read_into(Array const& array, Selection const& selection, std::byte* data, tessera::Layout const& memory,
               nb::object progress, Stop const* stop = nullptr);
/// All elements, to memory in C order. Requires: the interpreter's lock is not held.
void read_whole(Array const& array, tessera::Extents const& shape, std::byte* data);
void read_out(Array const& array, Selection const& selection, nb::handle out, nb::object progress,
              Stop const* stop = nullptr);
/// `keep_fill_chunks`: chunks that hold only the fill value are written too.
void write(Array const& array, Selection const& selection, nb::handle value, nb::object progress, bool keep_fill_chunks,
           Stop const* stop = nullptr);

/// NumPy's type of the elements, as JSON: its type string; of a struct the list of fields; a name of ml_dtypes.
std::string numpy_type(Array const& array);

}  // namespace python
