// Reads and writes of an open array over any store, without the interpreter's lock while chunks are processed.
#pragma once
#include "strings.hpp"

#include <optional>
#include <string>
#include <thread>

#include <tessera/core/detail/numpy_type.hpp>

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

template <class A>
void read_into(A const& array, Selection const& selection, std::byte* data, tessera::Layout const& memory,
               nb::object progress) {
  auto const strides = strides_of(selection, memory);
  Interruption interruption{std::move(progress)};
  tessera::ReadOptions const options{.stop = stop_at_end(), .progress = interruption.hook()};
  interruption.run([&] { array.on(queue()).read(selection.what, {data, strides}, options); });
}

/// NumPy's type of the elements, as JSON: its type string; of a struct the list of fields; a name of ml_dtypes.
template <class A>
std::string numpy_type(A const& array) {
  auto const metadata = array.metadata();
  return tessera::to_json(tessera::detail::numpy_type_value({metadata.type, false, metadata.fields}));
}

/// All elements, to memory in C order. Requires: the interpreter's lock is not held.
void read_whole(Array const& array, tessera::Extents const& shape, std::byte* data);

template <class A>
Strings read_strings(A const& array, Selection const& selection, nb::object progress) {
  return read_strings(array.type(), selection, std::move(progress), [&](auto const& to, auto const& options) {
    array.on(queue()).read_into(selection.what, to, options);
  });
}

template <class A>
void read_out(A const& array, Selection const& selection, nb::handle out, nb::object progress) {
  if (array.type().varies()) return put_strings(read_strings(array, selection, std::move(progress)), out);
  auto const memory = borrow(out);
  expect_type(array, memory);
  if (memory.read_only) throw tessera::ExchangeError{"the memory to read into is read-only"};
  read_into(array, selection, memory.elements.data, memory.elements.layout, std::move(progress));
}

/// `keep_fill_chunks`: chunks that hold only the fill value are written too.
template <class A>
void write(A const& array, Selection const& selection, nb::handle value, nb::object progress, bool keep_fill_chunks) {
  if (array.type().varies())
    return write_strings(array.type(), selection, value, std::move(progress), keep_fill_chunks,
                         [&](auto const& from, auto const& options) {
                           array.on(queue()).write_from(selection.what, from, options);
                         });
  auto const memory = borrow(value);
  expect_type(array, memory);
  auto const strides = strides_of(selection, memory.elements.layout);
  Interruption interruption{std::move(progress)};
  tessera::WriteOptions const options{
      .stop = stop_at_end(), .progress = interruption.hook(), .store_fill_chunks = keep_fill_chunks};
  interruption.run([&] { array.on(queue()).write(selection.what, {memory.elements.data, strides}, options); });
}

}  // namespace python
