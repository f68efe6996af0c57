#pragma once
#include <tessera/codec/bytes_to_bytes/detail/walk_blosc.hpp>

#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL BloscLists BloscLists::in(std::byte* memory, std::uint64_t streams) {
  auto const list = [&](std::size_t which) { return memory + which * streams * sizeof(void*); };
  BloscLists lists{};
  lists.from = reinterpret_cast<void const**>(list(0));
  lists.sizes = reinterpret_cast<std::size_t*>(list(1));
  lists.to = reinterpret_cast<void**>(list(2));
  lists.bytes = reinterpret_cast<std::byte const**>(list(3));
  lists.slots = reinterpret_cast<std::byte**>(list(4));
  return lists.answers_in(memory + streams * each_list, streams);
}

TESSERA_DECL BloscLists BloscLists::answers_in(std::byte* memory, std::uint64_t streams) const {
  auto lists = *this;
  lists.rooms = reinterpret_cast<std::size_t*>(memory);
  lists.decoded = lists.rooms + streams;
  lists.statuses = reinterpret_cast<std::int32_t*>(lists.decoded + streams);
  lists.problems = reinterpret_cast<FrameProblem*>(lists.statuses + streams);
  return lists;
}

}}}  // namespace tessera::v0::detail
