// PcoChunk: the numbers of a pcodec chunk, made of one or two latent variables according to its mode.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/codec/array_to_bytes/detail/pco_delta.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 { namespace detail {

class PcoChunk {
 public:
  /// `type`: that of one number: an integer, float16, float or double. Throws: CodecError.
  void read_metadata(PcoBits& from, unsigned version, DataType type);

  /// A page of `count` numbers. Throws: CodecError.
  void read_page(PcoBits& from, std::size_t count, std::byte* to);

 private:
  enum class Mode : std::uint8_t {
    classic,
    multiple_of_integer,  ///< multiples of a base, and remainders
    multiple_of_float,    ///< multiples of a base, and their errors in units of the last place
    quantized_float,      ///< the lowest bits of a number, apart from the others
    dictionary,           ///< indices into a table
  };

  unsigned width() const { return 8 * type_.size; }
  bool has_second() const { return mode_ != Mode::classic && mode_ != Mode::dictionary; }
  bool is_float() const { return type_.kind == DataKind::floating; }

  void read_mode(PcoBits& from, unsigned version);

  // Between a number's bits and the unsigned integer that keeps the numbers' order.
  std::uint64_t bits_of(std::uint64_t ordered) const;
  std::uint64_t ordered_of(std::uint64_t bits) const;
  double as_double(std::uint64_t bits) const;

  template <class T>
  static void put(std::size_t count, PcoBatch const& bits, std::byte* to) {
    for (std::size_t i = 0; i < count; ++i) reinterpret_cast<T*>(to)[i] = static_cast<T>(bits[i]);
  }
  // Converts latents to the bits of numbers, in `first`.
  void join(std::size_t count, PcoBatch& first, PcoBatch const& second) const;

  // Converts factors to the bits of multiples of the base. Factors up to 2^digits are the integers; larger ones, which
  // are not dense, are counted by their bits.
  template <class T>
  void multiply(std::size_t count, PcoBatch& factors) const {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    constexpr auto dense = std::uint64_t{1} << (std::is_same_v<T, double> ? 53 : std::is_same_v<T, float> ? 24 : 11);
    auto const bits = [](T number) -> std::uint64_t {
      if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::uint64_t>(number);
      if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(number);
      if constexpr (sizeof(T) == 2) return std::bit_cast<std::uint16_t>(number);
    };
    auto const number = [](std::uint64_t of) {
      if constexpr (sizeof(T) == 8) return std::bit_cast<T>(of);
      if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<std::uint32_t>(of));
      if constexpr (sizeof(T) == 2) return std::bit_cast<T>(static_cast<std::uint16_t>(of));
    };
    auto const top = std::uint64_t{1} << (width() - 1);
    auto const base = static_cast<Wide>(number(base_));
    auto const first_bits = bits(static_cast<T>(static_cast<Wide>(dense)));
    for (std::size_t i = 0; i < count; ++i) {
      bool const is_negative = factors[i] < top;
      auto const size = is_negative ? top - 1 - factors[i] : factors[i] - top;
      auto const factor = static_cast<Wide>(size < dense ? static_cast<T>(static_cast<Wide>(size))
                                                         : number(first_bits + (size - dense)));
      factors[i] = bits(static_cast<T>((is_negative ? -factor : factor) * base));
    }
  }

  DataType type_{};
  Mode mode_ = Mode::classic;
  std::uint64_t base_ = 0;  // the bits of a float; of a quantized one, how many lowest bits are apart
  std::vector<std::uint64_t> dictionary_{};
  PcoDelta delta_{};
  PcoVariable lookbacks_{}, first_{}, second_{};
  PcoHistory first_history_{}, second_history_{};
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_bytes/detail/pco_chunk.ipp>
#endif
