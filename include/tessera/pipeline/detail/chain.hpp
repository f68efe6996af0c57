// Chain: the names of codecs as template arguments.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace tessera { inline namespace v0 {

template <std::size_t N>
struct CodecName {
  char text[N]{};
  consteval CodecName(char const (&name)[N]) { std::copy_n(name, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// The codecs of chunks as zarr.json names them, in its order: `Chain<"bytes", "zstd", "crc32c">`.
template <CodecName... texts>
struct Chain {
  static constexpr std::array<std::string_view, sizeof...(texts)> names{texts.view()...};
};

/// Shards whose inner chunks pass such a chain: `Shards<Chain<"bytes", "zstd", "crc32c">>`.
template <class Inner>
struct Shards {};

}}  // namespace tessera::v0
