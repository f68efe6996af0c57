// Each exception becomes a status and a message; none leaves a function.
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include <tessera/c/detail/guarded.hpp>

using namespace tessera;

namespace c_tests {

template <class Thrown>
std::string caught(int status, Thrown const& thrown) {
  tessera_error error{-1, "before"};
  auto const fails = [&] { throw thrown; };
  CHECK(c::detail::guarded(&error, fails) == status);
  CHECK(error.status == status);
  CHECK(c::detail::guarded(nullptr, fails) == status);
  int value = 0, *made = &value;
  CHECK(c::detail::guarded_make(&made, "made", &error, [&]() -> int* { throw thrown; }) == status);
  CHECK(made == nullptr);
  return error.message;
}

TEST_CASE("every exception becomes a status and a message") {
  CHECK(caught(TESSERA_NOT_FOUND, NodeNotFound{"why"}.in_store("s").in_key("k")) == "s: key \"k\": why");
  CHECK(caught(TESSERA_STORE, StoreError{"why"}) == "why");
  CHECK(caught(TESSERA_METADATA, MetadataError{"why"}) == "why");
  CHECK(caught(TESSERA_CODEC, CodecError{"why"}) == "why");
  CHECK(caught(TESSERA_SELECTION, SelectionError{"why"}) == "why");
  CHECK(caught(TESSERA_MEMORY, BudgetError{"why"}) == "why");
  CHECK(caught(TESSERA_MEMORY, std::bad_alloc{}) == "too little memory is free");
  CHECK(caught(TESSERA_MEMORY, std::bad_array_new_length{}) == "too little memory is free");
  CHECK(caught(TESSERA_IPC, ipc::IpcError{"why"}) == "why");
  CHECK(caught(TESSERA_PRODUCER_GONE, ipc::ProducerGone{"why"}) == "why");
  CHECK(caught(TESSERA_LEASE_REFUSED, ipc::LeaseRefused{"why"}) == "why");
  CHECK(caught(TESSERA_OTHER, Error{"why"}) == "why");
  CHECK(caught(TESSERA_OTHER, std::out_of_range{"why"}) == "why");
  CHECK(caught(TESSERA_OTHER, 7) == "an exception of an unknown type");
  CHECK(caught(TESSERA_OTHER, static_cast<char const*>("why")) == "an exception of an unknown type");
}

TEST_CASE("a success replaces the error of an earlier call") {
  tessera_error error{TESSERA_STORE, "before"};
  CHECK(c::detail::guarded(&error, [] {}) == TESSERA_OK);
  CHECK(error.status == TESSERA_OK);
  CHECK(std::strlen(error.message) == 0);
}

TEST_CASE("a message of every length fits, and is cut between characters") {
  constexpr std::size_t room = sizeof(tessera_error{}.message) - 1;
  for (std::size_t length = 0; length < 2 * room; ++length) {
    std::string text(length % 4, 'a');
    while (text.size() < length) text += "\xf0\x9f\x8e\xa8";  // a character of four bytes
    tessera_error error{};
    c::detail::report(&error, TESSERA_OTHER, text);
    std::string const found = error.message;
    CHECK(text.starts_with(found));
    CHECK((text.size() <= room ? found.size() == text.size() : found.size() > room - 4));
    CHECK(found.size() % 4 == length % 4);
  }
}

}  // namespace c_tests
