#pragma once
#include <tessera/codec/array_to_bytes/pcodec.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tessera/codec/array_to_bytes/detail/pco_chunk.hpp>
#include <tessera/core/detail/checked.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

TESSERA_DECL DataType pco_type(std::uint64_t said) {
  using Kind = DataKind;
  constexpr std::array<std::pair<DataKind, std::uint32_t>, 12> types{{{Kind::raw, 0},
                                                                      {Kind::unsigned_integer, 4},
                                                                      {Kind::unsigned_integer, 8},
                                                                      {Kind::signed_integer, 4},
                                                                      {Kind::signed_integer, 8},
                                                                      {Kind::floating, 4},
                                                                      {Kind::floating, 8},
                                                                      {Kind::unsigned_integer, 2},
                                                                      {Kind::signed_integer, 2},
                                                                      {Kind::floating, 2},
                                                                      {Kind::unsigned_integer, 1},
                                                                      {Kind::signed_integer, 1}}};
  auto const& [kind, size] = types[said < types.size() ? static_cast<std::size_t>(said) : 0];
  return {kind, size};
}

/// Decodes a pcodec file, which is one chunk of an array. Throws: CodecError, if it is damaged, or the number or type
/// of its elements differs.
TESSERA_DECL void decode_pco(ByteView<space::Host> file, DataType type, std::size_t count, std::byte* to,
                             PcoChunk& chunk) {
  PcoBits from{file};
  constexpr std::uint64_t magic = 0x216f6370;  // "pco!"
  if (file.size < 5 || from.take(32) != magic)
    throw CodecError{to_text({"found ", file.size, " bytes that do not start with the header of a pcodec file"})};
  auto const expect_version = [](std::string_view what, std::uint64_t found, unsigned most) {
    if (found > most) throw CodecError{to_text({"found pcodec ", what, " ", found, ", expected at most ", most})};
    return static_cast<unsigned>(found);
  };
  auto const expect_type = [&](std::uint64_t said) {
    auto const found = pco_type(said);
    if (found == type) return;
    if (found.size == 0)
      throw CodecError{to_text({"found pcodec number type ", said, ", which tessera does not support"})};
    throw CodecError{to_text({"found numbers of ", found.name(), ", expected ", type.name()})};
  };
  auto version = expect_version("file version", from.take(8), 3);
  if (version >= 2) {
    if (version >= 3)
      if (auto const said = from.take(8); said != 0) expect_type(said);
    (void)from.take(static_cast<unsigned>(from.take(6)) + 1);  // the count of numbers, if its writer knew it
    from.align("the number of numbers");
    version = expect_version("format version", from.take(8), 4);
    if (version >= 4) (void)from.take(8);  // minor version: its additions are refused where they occur
  }
  std::size_t done = 0;
  while (auto const said = from.take(8)) {
    expect_type(said);
    auto const n = from.take(24) + 1;
    if (n > count - done) throw CodecError{to_text({"found more than ", count, " numbers"})};
    chunk.read_metadata(from, version, type);
    chunk.read_page(from, static_cast<std::size_t>(n), to + done * type.size);
    done += static_cast<std::size_t>(n);
  }
  if (done != count) throw CodecError{to_text({"found ", done, " numbers, expected ", count})};
  if (from.left() > 0) throw CodecError{to_text({"found ", from.left() / 8, " bytes after the last number"})};
}

}  // namespace detail

namespace codec {

TESSERA_DECL Pcodec Pcodec::from(ObjectReader& configuration) {
  Pcodec codec;
  for (auto const* member :
       {"level", "mode_spec", "delta_spec", "paging_spec", "delta_encoding_order", "equal_pages_up_to"})
    if (auto const found = configuration.find(member)) codec.given.push_back({member, found->value()});
  if (auto const found = configuration.find("equal_pages_up_to")) codec.page = found->integer<std::uint64_t>(1);
  return codec;
}

TESSERA_DECL Layout Pcodec::layout(ChunkSpecification const& chunk) const {
  (void)number_type(chunk.type);
  return Layout::c_order(chunk.shape, chunk.type.size);
}

TESSERA_DECL std::size_t Pcodec::encoded_bound(ChunkSpecification const& chunk) const {
  auto const size = chunk.size_in_bytes();
  auto const pages = size / number_type(chunk.type).size / page + 1;
  return checked_size(size + checked_product(pages, 64, "the pages of a chunk"), "a chunk");
}

TESSERA_DECL std::size_t Pcodec::decode(ChunkSpecification const& chunk, ByteView<space::Host> from,
                                        ByteSpan<space::Host> to, Queue<space::Host>& on) const {
  auto const size = chunk.size_in_bytes();
  auto const type = number_type(chunk.type);
  if (to.size < size) throw CodecError{to_text({"room for ", to.size, " bytes is too small for the elements"})};
  auto const scratch = on.lease<detail::PcoChunk>();
  detail::decode_pco(from, type, size / type.size, to.data, *scratch);
  return size;
}

TESSERA_DECL void Pcodec::refuse() {
  throw CodecError{"tessera decodes pcodec but does not encode it: an array with this codec can be read, not written"};
}

TESSERA_DECL DataType Pcodec::number_type(DataType type) {
  auto const size = static_cast<std::uint32_t>(type.component());
  bool const is_usual = type.format == NumberFormat::usual;
  switch (type.kind) {
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
    case DataKind::floating:
      if (is_usual) return {type.kind, size};
      break;
    case DataKind::complex:
      if (is_usual) return {DataKind::floating, size};
      break;
    case DataKind::datetime:
    case DataKind::timedelta:
      return {DataKind::signed_integer, size};
    default:
      break;
  }
  throw MetadataError{to_text({"found elements of ", type.name(),
                               ", expected integers, float16, float32, float64, "
                               "complex numbers or times"})};
}

}  // namespace codec

}}  // namespace tessera::v0
