#pragma once
#include <tessera/parallel/detail/agreed.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/parallel/detail/travelling.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline std::exception_ptr broadcast_text(ErasedCommunicator& ranks, std::string& text, int root) {
  // The first message has the size and the beginning; the others at most as much. All ranks know their sizes.
  std::array<char, 4096> block{};
  std::uint64_t size = text.size();
  std::memcpy(block.data(), &size, sizeof size);
  text.copy(block.data() + sizeof size, block.size() - sizeof size);
  ranks.broadcast(std::as_writable_bytes(std::span{block}), root);
  std::memcpy(&size, block.data(), sizeof size);
  auto const error = error_of([&] { text.resize(checked_size(size, "the text of another rank")); });
  auto at = std::min<std::uint64_t>(block.size() - sizeof size, size);
  if (!error) std::memcpy(text.data(), block.data() + sizeof size, static_cast<std::size_t>(at));
  for (; at < size; at += block.size()) {
    auto* const to = error ? block.data() : text.data() + at;
    auto const count = std::min<std::uint64_t>(block.size(), size - at);
    ranks.broadcast(std::as_writable_bytes(std::span{to, static_cast<std::size_t>(count)}), root);
  }
  return error;
}

// An error travels as its kind, problem, store, key, work, inner chunk and codec.

// The number of an error's type; derived types before their bases.
inline std::size_t kind_of(Error const& error) {
  if (dynamic_cast<NodeNotFound const*>(&error)) return 0;
  if (dynamic_cast<MetadataError const*>(&error)) return 1;
  if (dynamic_cast<StoreError const*>(&error)) return 2;
  if (dynamic_cast<CodecError const*>(&error)) return 3;
  if (dynamic_cast<OutOfMemory const*>(&error)) return 4;
  if (dynamic_cast<DeviceError const*>(&error)) return 5;
  if (dynamic_cast<HostOutOfMemory const*>(&error)) return 6;
  if (dynamic_cast<BudgetError const*>(&error)) return 7;
  if (dynamic_cast<SelectionError const*>(&error)) return 8;
  if (dynamic_cast<Cancelled const*>(&error)) return 9;
  return 10;
}

// The error's text without its places.
inline std::string problem_of(Error const& error) {
  Error places{""};
  places.in_store(error.store()).in_key(error.key()).in_work(error.work());
  places.in_inner_chunk(error.inner_chunk()).in_codec(error.codec());
  std::string_view text{error.what()}, before{places.what()};
  return std::string{text.starts_with(before) ? text.substr(before.size()) : text};
}

inline std::string travelling(std::exception_ptr const& error) {
  TravellingText parts;
  try {
    std::rethrow_exception(error);
  } catch (Error const& found) {
    parts.add(std::to_string(kind_of(found)));
    for (auto const& part : {problem_of(found), found.store(), found.key(), found.work(), found.inner_chunk(),
                             found.codec()})
      parts.add(part);
    return std::move(parts).text();
  } catch (std::bad_alloc const&) {
    parts.add("6");
    parts.add("too little memory is free");
  } catch (std::exception const& found) {
    parts.add("10");
    parts.add(found.what());
  } catch (...) {
    parts.add("10");
    parts.add("an exception of an unknown type");
  }
  for (int i = 0; i < 5; ++i) parts.add("");
  return std::move(parts).text();
}

template <class E>
[[noreturn]] void throw_arrived(TravellingText& parts, std::uint64_t rank) {
  E error{to_text({"rank ", rank, ": ", parts.take()})};
  error.in_store(parts.take());
  error.in_key(parts.take());
  error.in_work(parts.take());
  error.in_inner_chunk(parts.take());
  error.in_codec(parts.take());
  throw error;
}

[[noreturn]] inline void throw_arrived(std::string text, std::uint64_t rank) {
  TravellingText parts{std::move(text)};
  auto const kind = parts.take();
  if (kind == "0") throw_arrived<NodeNotFound>(parts, rank);
  if (kind == "1") throw_arrived<MetadataError>(parts, rank);
  if (kind == "2") throw_arrived<StoreError>(parts, rank);
  if (kind == "3") throw_arrived<CodecError>(parts, rank);
  if (kind == "4") throw_arrived<OutOfMemory>(parts, rank);
  if (kind == "5") throw_arrived<DeviceError>(parts, rank);
  if (kind == "6") throw_arrived<HostOutOfMemory>(parts, rank);
  if (kind == "7") throw_arrived<BudgetError>(parts, rank);
  if (kind == "8") throw_arrived<SelectionError>(parts, rank);
  if (kind == "9") throw_arrived<Cancelled>(parts, rank);
  throw_arrived<Error>(parts, rank);
}

inline void agree(ErasedCommunicator& ranks, std::exception_ptr const& error) {
  static_cast<void>(agreed_most(ranks, 0, error));
}

// One call of all ranks: the numbers of ranks with an error are less than the inverted numbers of the others.
inline std::uint64_t agreed_most(ErasedCommunicator& ranks, std::uint64_t number, std::exception_ptr const& error) {
  auto const own = static_cast<std::uint64_t>(ranks.rank());
  auto const failed = ranks.least(error ? own : ~std::min(number, std::uint64_t{1} << 63));
  if (failed >= static_cast<std::uint64_t>(ranks.size())) return ~failed;
  std::string text;  // empty: that rank has no memory for it either
  if (failed == own) static_cast<void>(error_of([&] { text = travelling(error); }));
  if (auto const missing = broadcast_text(ranks, text, static_cast<int>(failed))) std::rethrow_exception(missing);
  if (text.empty()) throw HostOutOfMemory{to_text({"rank ", failed, ": too little memory is free"})};
  throw_arrived(std::move(text), failed);
}

}}}  // namespace tessera::v0::detail
