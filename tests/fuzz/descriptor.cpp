// Any text as a descriptor of an array or a column: an accepted one lies in its allocation, and is written and read
// back unchanged.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/detail/check_column.hpp>
#include <tessera/ipc/published_column.hpp>

using namespace tessera;

namespace {

// The outermost bytes, in numbers that cannot overflow.
bool lies_inside(ipc::Descriptor const& array) {
  __int128 first = array.offset, last = array.offset;
  for (std::size_t d = 0; d < array.shape.rank(); ++d) {
    if (array.shape[d] == 0) return array.offset <= array.memory.size;
    // At most 2^63 * 2^63 * 2^20, clamped to a size that is too large anyway.
    __int128 const steps = array.shape[d] - 1, stride = array.strides[d];
    __int128 reach = steps * stride;
    __int128 const most = __int128{1} << 100;
    reach = reach > most ? most : reach < -most ? -most : reach * array.type.size;
    (reach < 0 ? first : last) += reach;
  }
  return first >= 0 && last + array.type.size <= static_cast<__int128>(array.memory.size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  try {
    auto const array = ipc::parse_descriptor(text);
    if (!lies_inside(array)) std::abort();
    if (ipc::parse_descriptor(ipc::to_json(array)) != array) std::abort();
    if (ipc::parse_descriptor(ipc::to_json(array, ipc::Octets::list)) != array) std::abort();
  } catch (Error const&) {
  }
  try {
    auto const column = ipc::parse_column_descriptor(text);
    if (ipc::parse_column_descriptor(ipc::to_json(column)) != column) std::abort();
    if (column.length > 0) ipc::detail::check_column(column.slice(column.length - 1, 1));
  } catch (Error const&) {
  }
  return 0;
}
