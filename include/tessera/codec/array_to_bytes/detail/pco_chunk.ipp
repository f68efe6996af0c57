#pragma once
#include <tessera/codec/array_to_bytes/detail/pco_chunk.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <tessera/codec/array_to_bytes/detail/pco_delta.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void PcoChunk::read_metadata(PcoBits& from, unsigned version, DataType type) {
  type_ = type;
  auto const width = this->width();
  auto const said = from.take(4);
  if (said > static_cast<std::uint64_t>(Mode::dictionary))
    throw CodecError{to_text({"found pcodec mode ", said, ", which tessera does not support"})};
  mode_ = static_cast<Mode>(said);
  read_mode(from, version);
  delta_.read(from, version);
  lookbacks_.width = 0;
  if (delta_.kind == PcoDelta::Kind::lookback) {
    lookbacks_.read_bins(from, 32);
    lookbacks_.expect_lower(1, delta_.window);
  }
  first_.read_bins(from, mode_ == Mode::dictionary ? 32 : width);
  if (has_second()) second_.read_bins(from, width);
  from.align("the metadata of a chunk");
  delta_.expect_fits(first_);
}

TESSERA_DECL void PcoChunk::read_page(PcoBits& from, std::size_t count, std::byte* to) {
  bool const is_second_delta = has_second() && delta_.is_of_second;
  if (lookbacks_.width > 0) lookbacks_.read_states(from);
  if (delta_.kind != PcoDelta::Kind::none) first_history_.begin(from, delta_, first_.width);
  first_.read_states(from);
  if (is_second_delta) second_history_.begin(from, delta_, second_.width);
  if (has_second()) second_.read_states(from);
  from.align("the beginning of a page");
  if (count > delta_.kept &&
      (!first_.has_bins() || (has_second() && !second_.has_bins()) || (lookbacks_.width > 0 && !lookbacks_.has_bins())))
    throw CodecError{to_text({"found no bins for ", count, " numbers"})};

  PcoBatch lookbacks, first, second;
  for (std::size_t done = 0; done < count; done += pco_batch) {
    auto const left = count - done, n = std::min(left, pco_batch);
    auto const stored = std::min(left - std::min(left, delta_.kept), pco_batch);
    if (lookbacks_.width > 0) lookbacks_.read(from, stored, lookbacks);
    auto const take = [&](PcoVariable& variable, PcoHistory& history, bool is_delta, PcoBatch& batch) {
      variable.read(from, is_delta ? stored : n, batch);
      if (is_delta) history.add_up(delta_, variable, lookbacks, stored, n, batch);
    };
    take(first_, first_history_, delta_.kind != PcoDelta::Kind::none, first);
    if (has_second()) take(second_, second_history_, is_second_delta, second);
    join(n, first, second);
    auto* const numbers = to + done * type_.size;
    type_.size == 1   ? put<std::uint8_t>(n, first, numbers)
    : type_.size == 2 ? put<std::uint16_t>(n, first, numbers)
    : type_.size == 4 ? put<std::uint32_t>(n, first, numbers)
                      : put<std::uint64_t>(n, first, numbers);
  }
  from.align("a page");
}

TESSERA_DECL void PcoChunk::read_mode(PcoBits& from, unsigned version) {
  base_ = 0;
  bool is_sound = true;
  if (mode_ == Mode::multiple_of_integer) {
    if (version == 0) throw CodecError{"integer multiples of pcodec's version 0 are not supported"};
    base_ = from.take(width());
    is_sound = !is_float() && base_ != 0;
  } else if (mode_ == Mode::multiple_of_float) {
    base_ = bits_of(from.take(width()));
    auto const size = is_float() ? as_double(base_) : 0;
    is_sound = size != 0 && std::isfinite(size);
  } else if (mode_ == Mode::quantized_float) {
    base_ = from.take(8);
    is_sound = is_float() && base_ > 0 && base_ <= (width() == 16 ? 10u : width() == 32 ? 23u : 52u);
  } else if (mode_ == Mode::dictionary) {
    auto const count = from.take(25);
    from.align("the length of a dictionary");
    from.expect(count * width(), "a dictionary");
    dictionary_.clear();
    for (std::uint64_t i = 0; i < count; ++i) dictionary_.push_back(bits_of(from.take(width())));
  }
  if (!is_sound)
    throw CodecError{to_text(
        {"found a pcodec mode that elements of ", type_.name(), " do not support, or one without a valid base"})};
}

TESSERA_DECL std::uint64_t PcoChunk::bits_of(std::uint64_t ordered) const {
  auto const top = std::uint64_t{1} << (width() - 1);
  if (type_.kind == DataKind::unsigned_integer) return ordered;
  return is_float() && (ordered & top) == 0 ? ordered ^ (~std::uint64_t{0} >> (64 - width())) : ordered ^ top;
}

TESSERA_DECL std::uint64_t PcoChunk::ordered_of(std::uint64_t bits) const {
  auto const top = std::uint64_t{1} << (width() - 1);
  return (bits & top) != 0 ? bits ^ (~std::uint64_t{0} >> (64 - width())) : bits ^ top;
}

TESSERA_DECL double PcoChunk::as_double(std::uint64_t bits) const {
  if (width() == 16) return double{float_of(static_cast<std::uint16_t>(bits))};
  return width() == 32 ? double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))} : std::bit_cast<double>(bits);
}

TESSERA_DECL void PcoChunk::join(std::size_t count, PcoBatch& first, PcoBatch const& second) const {
  auto const mask = ~std::uint64_t{0} >> (64 - width()), top = std::uint64_t{1} << (width() - 1);
  switch (mode_) {
    case Mode::classic:
      break;
    case Mode::multiple_of_integer:
      for (std::size_t i = 0; i < count; ++i) first[i] = (first[i] * base_ + second[i]) & mask;
      break;
    case Mode::multiple_of_float:
      type_.size == 2   ? multiply<float16>(count, first)
      : type_.size == 4 ? multiply<float>(count, first)
                        : multiply<double>(count, first);
      for (std::size_t i = 0; i < count; ++i) first[i] = ((ordered_of(first[i]) + second[i]) & mask) ^ top;
      break;
    case Mode::quantized_float: {
      auto const lowest = (std::uint64_t{1} << base_) - 1;
      for (std::size_t i = 0; i < count; ++i) {
        auto const highest = (first[i] << base_) & mask;
        bool const is_negative = highest < top;  // their lowest bits count down
        first[i] = (highest + (is_negative ? lowest - second[i] : second[i])) & mask;
      }
      break;
    }
    case Mode::dictionary:
      for (std::size_t i = 0; i < count; ++i) {
        if (first[i] >= dictionary_.size())
          throw CodecError{to_text({"found index ", first[i], " in a dictionary of ", dictionary_.size(), " numbers"})};
        first[i] = dictionary_[static_cast<std::size_t>(first[i])];
      }
      return;
  }
  for (std::size_t i = 0; i < count; ++i) first[i] = bits_of(first[i]);
}

}}}  // namespace tessera::v0::detail
