#pragma once
#include <tessera/codec/array_to_bytes/detail/pco_variable.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/codec/array_to_bytes/detail/pco_bits.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t PcoVariable::mask() const { return ~std::uint64_t{0} >> (64 - width); }

TESSERA_DECL std::uint64_t PcoVariable::middle() const { return std::uint64_t{1} << (width - 1); }

TESSERA_DECL void PcoVariable::expect_lower(std::uint64_t least, std::uint64_t most) const {
  for (auto const& bin : bins_)
    if (bin.lower < least || bin.lower > most)
      throw CodecError{
          to_text({"found a bin that starts at ", bin.lower, ", expected a start from ", least, " to ", most})};
}

TESSERA_DECL void PcoVariable::read_bins(PcoBits& from, unsigned bits) {
  width = bits;
  log_ = static_cast<unsigned>(from.take(4));
  auto const count = from.take(15);
  if (log_ > 14 || count > std::uint64_t{1} << log_ || (count == 1 && log_ > 0))
    throw CodecError{to_text({"found ", count, " bins in a table of 2^", log_, " states"})};
  auto const offset_width = static_cast<unsigned>(std::bit_width(width));
  from.expect(count * (log_ + width + offset_width), "the bins");
  bins_.clear();
  std::uint64_t weights = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Bin bin;
    weights += bin.weight = static_cast<std::uint32_t>(from.take(log_)) + 1;
    bin.lower = from.take(width);
    bin.offset_bits = static_cast<std::uint8_t>(from.take(offset_width));
    if (bin.offset_bits > width)
      throw CodecError{to_text({"found offsets of ", unsigned{bin.offset_bits}, " bits in values of ", width})};
    bins_.push_back(bin);
  }
  if (weights != (count == 0 ? 0 : std::uint64_t{1} << log_) || (count == 0 && log_ > 0))
    throw CodecError{to_text({"found bins with a total weight of ", weights, " in a table of 2^", log_, " states"})};
  fill_table();
}

TESSERA_DECL void PcoVariable::read_states(PcoBits& from) {
  for (auto& state : states_) state = static_cast<std::uint32_t>(from.take(log_));
}

TESSERA_DECL void PcoVariable::read(PcoBits& from, std::size_t count, PcoBatch& to) {
  std::array<std::uint8_t, pco_batch> offset_bits;
  for (std::size_t i = 0; i < count; ++i) {
    auto& at = states_[i % states_.size()];
    auto const& state = table_[at];
    to[i] = state.lower;
    offset_bits[i] = state.offset_bits;
    at = state.next + static_cast<std::uint32_t>(from.take(state.bits));
  }
  for (std::size_t i = 0; i < count; ++i) to[i] = (to[i] + from.take(offset_bits[i])) & mask();
}

TESSERA_DECL void PcoVariable::fill_table() {
  auto const size = std::uint32_t{1} << log_;
  auto const step = (3 * size / 5) | 1u;
  table_.assign(size, {});
  of_states_.assign(size, 0);
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < bins_.size(); ++i)
    for (std::uint32_t k = 0; k < bins_[i].weight; ++k, at = (at + step) & (size - 1)) of_states_[at] = i;
  if (bins_.empty()) return;
  next_.clear();
  for (auto const& bin : bins_) next_.push_back(bin.weight);
  for (std::uint32_t i = 0; i < size; ++i) {
    auto const& bin = bins_[of_states_[i]];
    auto const number = next_[of_states_[i]]++;  // from the weight to below twice the weight
    auto const bits = log_ + 1 - static_cast<unsigned>(std::bit_width(number));
    table_[i] = {bin.lower, (number << bits) - size, static_cast<std::uint8_t>(bits), bin.offset_bits};
  }
}

}}}  // namespace tessera::v0::detail
