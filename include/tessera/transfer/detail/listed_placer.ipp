#pragma once
#include <tessera/transfer/detail/listed_placer.hpp>

#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::int64_t PositionOffsets::operator()(std::uint64_t position) const {
  if (is_c_order_) return static_cast<std::int64_t>(position * layout_.item_size);
  std::int64_t sum = 0;
  for (auto d = layout_.shape.rank(); d-- > 0; position /= layout_.shape[d])
    sum += static_cast<std::int64_t>(position % layout_.shape[d]) * layout_.strides[d];
  return sum;
}

TESSERA_DECL std::int64_t PositionOffsets::step() const {
  return layout_.shape.rank() == 0 ? 0 : layout_.strides[layout_.shape.rank() - 1];
}

}}}  // namespace tessera::v0::detail
