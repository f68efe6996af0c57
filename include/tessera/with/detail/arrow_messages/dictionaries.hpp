// Dictionaries that a MessageReader has, and what a message that adds to one of them needs. StagedDictionary: a
// dictionary in device memory, as a column in host memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>
#include <tessera/with/detail/arrow_messages/compressed_body.hpp>
#include <tessera/with/detail/arrow_messages/message.hpp>
#include <tessera/with/detail/arrow_messages/read_batch.hpp>
#include <tessera/with/detail/arrow_messages/read_schema.hpp>
#include <tessera/with/detail/arrow_messages/write_batch.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

template <MemorySpace S>
using Dictionaries = std::map<std::int64_t, Column<S>>;  // by number

template <MemorySpace S>
bool is_same(Column<S> const& a, Column<S> const& b) {
  return a.length == b.length && a.buffers == b.buffers &&
         std::ranges::equal(a.children, b.children, [](auto const& x, auto const& y) { return is_same(x, y); });
}
/// A delta's indices are into the dictionaries of now, and so must be those of the dictionary that it adds to. Throws:
/// ExchangeError.
template <MemorySpace S>
void expect_same_dictionaries(FieldType const& type, Column<S> const& column, Dictionaries<S> const& now) {
  for (std::size_t i = 0; i < type.children.size(); ++i)
    expect_same_dictionaries(type.children[i], column.children[i], now);
  if (type.number && !is_same(column.dictionary.front(), now.at(*type.number)))
    refuse_array(type.name, type.format, "its own dictionary changed before the delta of the one around it");
}
/// What the check of indices needs of dictionaries in another space.
template <MemorySpace S>
Dictionaries<space::Host> without_elements(Dictionaries<S> const& dictionaries) {
  Dictionaries<space::Host> result;
  for (auto const& [number, column] : dictionaries)
    result.insert({number, {.format = column.format, .name = column.name, .length = column.length}});
  return result;
}

/// The elements of a batch with one column, in the memory of its body.
template <MemorySpace S>
Column<S> only_column(FieldType const& type, tessera::detail::FlatTable const& table, BatchBody<S> body,
                      Dictionaries<S> const& dictionaries) {
  BatchReader<S> batch{table, std::move(body), dictionaries};
  auto column = batch.column(type, batch.length());
  batch.expect_end();
  return column;
}

/// A dictionary as the body and the header of its message.
template <MemorySpace S>
class StagedDictionary {
 public:
  /// `header` and `body`: of a message with the whole dictionary.
  StagedDictionary(ByteView<space::Host> header, BatchBody<S> const& body)
      : header_(header.data, header.data + header.size), body_{body.bytes}, owner_{body.owner} {
    if (body.places) places_.emplace(body.places->begin(), body.places->end());
  }

  /// The elements, with offsets and indices checked. The first call copies the body to host memory, and waits for the
  /// queue. Throws: ExchangeError; DeviceError.
  Column<space::Host> const& on_host(FieldType const& type, Dictionaries<space::Host> const& dictionaries,
                                     Queue<S>& on) {
    if (!column_) {
      auto const here = std::make_shared<HostBuffer>(body_.size);
      crossing<space::Host, S>::copy(body_, here->span(), on);
      on.wait();
      auto const batch = content_of(header_).table.table(1).value();
      put(only_column<space::Host>(type, batch, {here->view(), places(), here}, dictionaries));
    }
    return *column_;
  }
  /// Replaces the elements.
  void put(Column<space::Host> column) {
    column_ = std::move(column);
    header_ = {}, places_ = {}, owner_ = {}, body_ = {};
  }

 private:
  FlatBytes places() const { return places_ ? FlatBytes{std::span{*places_}} : std::nullopt; }

  std::vector<std::byte> header_;
  std::optional<std::vector<std::byte>> places_{};
  ByteView<S> body_;
  std::shared_ptr<void const> owner_;
  std::optional<Column<space::Host>> column_{};
};

/// A column as the message of a whole dictionary.
inline Message<space::Host> whole_dictionary(Column<space::Host> const& column) {
  auto const copy = [](void* to, void const* from, std::size_t size) { std::memcpy(to, from, size); };
  return BatchWriter<space::Host, decltype(copy)>{copy}.message({&column}, 0, column.length, 0);
}

}}}}  // namespace tessera::v0::arrow_c::detail
