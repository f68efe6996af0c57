// How memory of an M is classified for reads into it and writes from it.
#pragma once
#include <concepts>
#include <type_traits>
#include <utility>

#include <tessera/array/detail/caller_memory.hpp>

template <class M, class Space, class T>
constexpr bool is_seen_as = [] {
  using Memory = tessera::detail::CallerMemory<M>;
  if constexpr (Memory::known)
    return std::same_as<typename Memory::space, Space> && std::same_as<typename Memory::element, T>;
  else
    return false;
}();

// Also if it is const: as the source of a write. `Const` is the type of its elements then.
template <class M, class Space, class T, class Const = T const>
constexpr bool is_seen = is_seen_as<M, Space, T>&& is_seen_as<M const, Space, Const>;

// The result of an array of T in Space for an M as destination of a read, and as source of a write.
template <class T, class Space, class M, std::size_t rank = 1>
constexpr bool is_read = tessera::detail::check_destination<T, rank, Space, M&>();
template <class T, class Space, class M, std::size_t rank = 1>
constexpr bool is_written = tessera::detail::check_memory<T, rank, Space, M const>();
