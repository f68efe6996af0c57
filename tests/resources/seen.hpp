// How memory of an M is seen where arrays are read into it and written from it.
#pragma once
#include <concepts>
#include <type_traits>
#include <utility>

#include <tessera/array/caller_memory.hpp>

template <class M, class Space, class T>
constexpr bool is_seen_as = [] {
  using Memory = tessera::detail::CallerMemory<M>;
  if constexpr (Memory::known)
    return std::same_as<typename Memory::space, Space> && std::same_as<typename Memory::element, T>;
  else
    return false;
}();

// Also where it is const: as it is written from. `Const` is what its elements are then.
template <class M, class Space, class T, class Const = T const>
constexpr bool is_seen = is_seen_as<M, Space, T>&& is_seen_as<M const, Space, Const>;

// What an array of T in Space says of an M that it is to be read into, and written from.
template <class T, class Space, class M, std::size_t rank = 1>
constexpr bool is_read = tessera::detail::check_destination<T, rank, Space, M&>();
template <class T, class Space, class M, std::size_t rank = 1>
constexpr bool is_written = tessera::detail::check_memory<T, rank, Space, M const>();
