#pragma once
#include <tessera/codec/array_to_bytes/detail/pco_delta.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t PcoBits::left() const { return std::uint64_t{8} * from_.size - at_; }

TESSERA_DECL void PcoBits::expect(std::uint64_t count, std::string_view what) const {
  if (count > left()) throw CodecError{to_text({"the ", from_.size, " bytes end within ", what})};
}

TESSERA_DECL std::uint64_t PcoBits::take(unsigned count) {
  if (count > left()) throw CodecError{to_text({"the ", from_.size, " bytes end before the last number"})};
  if (count == 0) return 0;
  auto const* const from = from_.data + at_ / 8;
  auto const shift = static_cast<unsigned>(at_ % 8);
  auto const bytes = (shift + count + 7) / 8;  // at most 9
  std::uint64_t low = 0;
  if (from_.size - at_ / 8 >= 8)
    for (unsigned i = 0; i < 8; ++i) low |= std::uint64_t{static_cast<std::uint8_t>(from[i])} << 8 * i;
  else
    for (unsigned i = 0; i < bytes; ++i) low |= std::uint64_t{static_cast<std::uint8_t>(from[i])} << 8 * i;
  auto bits = low >> shift;
  if (bytes == 9) bits |= std::uint64_t{static_cast<std::uint8_t>(from[8])} << (64 - shift);
  at_ += count;
  return bits & ~std::uint64_t{0} >> (64 - count);
}

TESSERA_DECL void PcoBits::align(std::string_view what) {
  if (at_ % 8 != 0 && take(8 - static_cast<unsigned>(at_ % 8)) != 0)
    throw CodecError{to_text({"found nonzero bits after ", what})};
}

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

TESSERA_DECL void PcoDelta::read(PcoBits& from, unsigned version) {
  *this = {};
  auto const said = version < 3 ? 1 : from.take(4);
  switch (said) {
    case 0:
      return;
    case 1:
      kept = from.take(3);
      if (kept > 0) kind = Kind::consecutive;
      if (version < 3) return;
      if (kept == 0) throw CodecError{"found delta order 0, expected at least 1"};
      is_of_second = from.take(1) != 0;
      return;
    case 2: {
      kind = Kind::lookback;
      auto const log = from.take(5) + 1, kept_log = from.take(4);
      if (log > 24 || kept_log > log)
        throw CodecError{
            to_text({"found a lookback window of 2^", log, " values that starts with 2^", kept_log, " values"})};
      window = std::uint64_t{1} << log;
      kept = std::size_t{1} << kept_log;
      is_of_second = from.take(1) != 0;
      return;
    }
    case 3:
      kind = Kind::convolution;
      shift = static_cast<unsigned>(from.take(5));
      bias = static_cast<std::int64_t>(from.take(64) ^ std::uint64_t{1} << 63);
      kept = from.take(5) + 1;
      for (std::size_t i = 0; i < kept; ++i)
        weights[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(from.take(32)) ^ 0x80000000u);
      return;
    default:
      throw CodecError{to_text({"found pcodec delta encoding ", said, ", which tessera does not support"})};
  }
}

TESSERA_DECL void PcoDelta::expect_fits(PcoVariable const& variable) const {
  if (kind != Kind::convolution) return;
  auto sum = std::abs(static_cast<double>(bias));
  for (std::size_t i = 0; i < kept; ++i)
    sum += std::ldexp(std::abs(static_cast<double>(weights[i])), static_cast<int>(variable.width));
  auto const bits = 2 * variable.width;
  if (bits > 64 || shift >= bits || sum >= std::ldexp(1.0, static_cast<int>(bits) - 1))
    throw CodecError{to_text({"found convolution weights that do not fit values of ", variable.width, " bits"})};
}

TESSERA_DECL void PcoHistory::begin(PcoBits& from, PcoDelta const& delta, unsigned width) {
  from.expect(std::uint64_t{delta.kept} * width, "the first values of a page");
  values_.clear();
  for (std::size_t i = 0; i < delta.kept; ++i) values_.push_back(from.take(width));
  done_ = 0;
}

TESSERA_DECL void PcoHistory::add_up(PcoDelta const& delta, PcoVariable const& variable, PcoBatch const& lookbacks,
                                     std::size_t read, std::size_t count, PcoBatch& batch) {
  for (std::size_t i = 0; i < read; ++i) batch[i] ^= variable.middle();
  std::fill(batch.begin() + static_cast<std::ptrdiff_t>(read), batch.end(), std::uint64_t{0});
  if (delta.kind == PcoDelta::Kind::consecutive) return sum(variable.mask(), count, batch);
  forget(delta);
  for (std::size_t i = 0; i < read; ++i) {
    auto const before = delta.kind == PcoDelta::Kind::lookback ? at_lookback(delta, lookbacks[i]) : predicted(delta);
    values_.push_back((batch[i] + before) & variable.mask());
  }
  std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(done_), count, batch.begin());
  done_ += count;
}

TESSERA_DECL void PcoHistory::sum(std::uint64_t mask, std::size_t count, PcoBatch& batch) {
  for (auto k = values_.size(); k-- > 0;)
    for (std::size_t i = 0; i < count; ++i) {
      auto const difference = batch[i];
      batch[i] = values_[k];
      values_[k] = (values_[k] + difference) & mask;
    }
}

TESSERA_DECL std::uint64_t PcoHistory::at_lookback(PcoDelta const& delta, std::uint64_t lookback) const {
  if (lookback == 0 || lookback > delta.window)
    throw CodecError{to_text({"found a lookback of ", lookback, " values, expected 1 to ", delta.window})};
  return lookback <= values_.size() ? values_[values_.size() - static_cast<std::size_t>(lookback)] : 0;
}

TESSERA_DECL std::uint64_t PcoHistory::predicted(PcoDelta const& delta) const {
  auto sum = static_cast<std::uint64_t>(delta.bias);
  auto const* const from = values_.data() + (values_.size() - delta.kept);
  for (std::size_t i = 0; i < delta.kept; ++i) sum += static_cast<std::uint64_t>(delta.weights[i]) * from[i];
  return static_cast<std::uint64_t>(std::max(static_cast<std::int64_t>(sum), std::int64_t{0})) >> delta.shift;
}

TESSERA_DECL void PcoHistory::forget(PcoDelta const& delta) {
  auto const needed = static_cast<std::size_t>(delta.window) + delta.kept + pco_batch;
  if (values_.size() < 2 * needed) return;
  auto const gone = values_.size() - needed;
  values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(gone));
  done_ -= gone;
}

}}}  // namespace tessera::v0::detail
