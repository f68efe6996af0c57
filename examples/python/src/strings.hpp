// Elements of any length, strings and bytes: as one memory, in Arrow's form, and as Python's objects.
#pragma once
#include "module.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tessera/core/detail/function_ref.hpp>

namespace python {

/// What a read of such elements gives. The memory is never changed.
struct Strings {
  struct Memory {
    std::vector<std::int64_t> offsets{0};  ///< where each element begins in `bytes`, and where the last one ends
    std::string bytes{};                   ///< of all elements, in C order
  };

  std::shared_ptr<Memory const> memory;
  tessera::Extents shape;
  tessera::DataType type;
};

using ReadsStrings = tessera::FunctionRef<void(tessera::StridedSpan<Host> const&, tessera::ReadOptions const&)>;
using WritesStrings = tessera::FunctionRef<void(tessera::StridedView<Host> const&, tessera::WriteOptions const&)>;
using AppendsStrings = tessera::FunctionRef<void(tessera::Extents const&, tessera::StridedView<Host> const&,
                                                 tessera::WriteOptions const&)>;

/// `read` is called without the interpreter's lock.
/// `stop`: of the options.
Strings read_strings(tessera::DataType type, Selection const& selection, nb::object progress,
                     std::atomic<bool> const* stop, ReadsStrings read);
/// Sets the elements of NumPy's array `out`.
void put_strings(Strings const& strings, nb::handle out);
/// `value` is NumPy's array of str, or of bytes. Throws: TypeError, if one of them is something else.
void write_strings(tessera::DataType type, Selection const& selection, nb::handle value, nb::object progress,
                   bool keep_fill_chunks, std::atomic<bool> const* stop, WritesStrings write);
/// The same for an append, which gets C order.
void append_strings(tessera::DataType type, nb::handle value, AppendsStrings append);

}  // namespace python
