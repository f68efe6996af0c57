// text_of_views: an array of Arrow's string views or binary views as one text with offsets.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/arrow/arrow_bits.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

// Elements 0 to length, without the array's offset. No mask: no element is null.
struct TextOfViews {
  std::vector<std::int64_t> offsets{0};
  std::vector<char> characters{};
  std::shared_ptr<Bits> mask{};
};

// A view has a length and, up to twelve characters, these; otherwise four of them, the number of a buffer, and an
// offset in it. Buffers: mask, views, any number with characters, and their sizes. Views of nulls are undefined.
// Throws: ExchangeError, if buffers are missing, or a view leads outside of them.
inline TextOfViews text_of_views(ArrowSchema const& schema, ArrowArray const& array) {
  struct View {
    std::int32_t size;
    char start[4];
    std::int32_t buffer, offset;
  };
  static_assert(sizeof(View) == 16);
  if (array.length < 0 || array.offset < 0 || array.null_count < -1 || array.n_buffers < 3 || !array.buffers)
    refuse_array(schema, to_text({"the array has length ", array.length, ", offset ", array.offset, " and ",
                                  array.n_buffers, " buffers, expected 3 or more"}));
  auto const texts = array.n_buffers - 3;
  auto const* const views = static_cast<std::byte const*>(array.buffers[1]);
  auto const* const sizes = static_cast<std::byte const*>(array.buffers[array.n_buffers - 1]);
  if ((!views && array.length != 0) || (!sizes && texts != 0)) refuse_array(schema, "a buffer is missing");
  auto const first = static_cast<std::uint64_t>(array.offset), count = static_cast<std::uint64_t>(array.length);
  TextOfViews result;
  if (array.buffers[0]) result.mask = bits_of(count, [&](auto i) { return bit(array.buffers[0], first + i); });
  for (std::uint64_t i = 0; i < count; ++i) {
    View view{};
    if (!result.mask || bit(result.mask->data(), i)) std::memcpy(&view, views + (first + i) * sizeof view, sizeof view);
    char const* from = reinterpret_cast<char const*>(views + (first + i) * sizeof view + 4);
    if (view.size > 12) {
      std::int64_t size = 0;
      bool const is_buffer = view.buffer >= 0 && view.buffer < texts && array.buffers[2 + view.buffer];
      if (is_buffer) std::memcpy(&size, sizes + static_cast<std::size_t>(view.buffer) * sizeof size, sizeof size);
      if (view.offset < 0 || size < view.offset || size - view.offset < view.size)
        refuse_array(schema, to_text({"view ", i, " leads out of its buffer"}));
      from = static_cast<char const*>(array.buffers[2 + view.buffer]) + view.offset;
    } else if (view.size < 0) {
      refuse_array(schema, to_text({"view ", i, " has a size of ", view.size}));
    }
    result.characters.insert(result.characters.end(), from, from + view.size);
    result.offsets.push_back(static_cast<std::int64_t>(result.characters.size()));
  }
  return result;
}

}}}}  // namespace tessera::v0::arrow_c::detail
