#pragma once
#include <tessera/codec/array_to_bytes/detail/pco_delta.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <tessera/codec/array_to_bytes/detail/pco_variable.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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
