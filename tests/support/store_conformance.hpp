// Values put into stores and read from them, as text; and the suite that every store passes.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/refused.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>

namespace test {

using HostQueue = tessera::Queue<tessera::space::Host>;

template <class S>
void put(S const& store, std::string const& key, std::string_view value) {
  HostQueue on;
  auto const bytes = test::bytes(value);
  store.write({key}, view(bytes), on);
}

/// The value as text; "(missing)", if there is none.
template <class S>
std::string value(S const& store, std::string const& key, tessera::ByteRange range = {}) {
  HostQueue on;
  auto const buffer = tessera::get_value(store, {key}, on, range);
  return buffer ? text(buffer->view()) : "(missing)";
}

template <class S>
bool erase(S const& store, std::string const& key) {
  HostQueue on;
  return store.erase({key}, on);
}

/// A listing, sorted: "a/b:3" is a key of three bytes, "c/" a prefix.
template <class S>
std::vector<std::string> listed(S const& store, std::string_view prefix) {
  std::vector<std::string> result;
  store.list(prefix, [&](tessera::Listed const& entry) {
    CHECK_FALSE(entry.is_prefix);
    result.push_back(std::string{entry.path} + ':' + std::to_string(entry.size));
  });
  std::sort(result.begin(), result.end());
  return result;
}
template <class S>
std::vector<std::string> listed_directory(S const& store, std::string_view prefix) {
  std::vector<std::string> result;
  store.list_directory(prefix, [&](tessera::Listed const& entry) {
    result.push_back(std::string{entry.path} + (entry.is_prefix ? "/" : ':' + std::to_string(entry.size)));
  });
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace test
