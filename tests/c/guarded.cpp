// What a program in C cannot provoke: every exception becomes a status and a message; columns that C does not have.
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/c/detail/column.hpp>
#include <tessera/c/detail/guarded.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/ipc/published_column.hpp>

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
  CHECK(caught(TESSERA_MEMORY, HostOutOfMemory{"why"}) == "why");
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

template <class T>
ipc::Published published(ipc::Producer& producer, std::vector<T> const& elements) {
  return producer.publish(ArrayView<T const, 1>::c_order(elements.data(), {elements.size()}));
}

TEST_CASE("a column without one value for each element is refused by name") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const expect_refused = [&](ipc::PublishedColumn column, std::string const& schema) {
    auto const made = std::move(column).named("x");
    CHECK(test::error_of([&] { (void)c::detail::attach(consumer, made.json()); }) ==
          "column \"x\" of schema \"" + schema +
              "\": it does not have one value for each element, as columns in C have");
  };
  auto const offsets = [&] { return published<std::int32_t>(producer, {0, 1, 3}); };
  auto const characters = [&] { return published<std::uint8_t>(producer, {'a', 'b', 'c'}); };
  expect_refused(ipc::PublishedColumn::strings(offsets(), characters()), "u");
  expect_refused(ipc::PublishedColumn::lists(offsets(), ipc::PublishedColumn::values(characters())), "+l");
  std::vector<ipc::PublishedColumn> fields;
  fields.push_back(ipc::PublishedColumn::values(characters()));
  expect_refused(ipc::PublishedColumn::structure(std::move(fields)), "+s");
}

TEST_CASE("times, bools in bits, and values that are not aligned") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const times =
      ipc::PublishedColumn::times(published<std::int64_t>(producer, {10, 20}), "datetime64", "ns").named("when");
  auto const attached = c::detail::attach(consumer, times.json());
  auto const info = c::detail::describe(attached);
  CHECK(std::string{info.schema} == "tsn:");
  CHECK(std::string{info.data_type} == "int64");
  CHECK(static_cast<std::int64_t const*>(info.values)[1] == 20);

  auto const bits = ipc::PublishedColumn::values(published<std::uint8_t>(producer, {0b101}));
  auto packed = bits.descriptor();
  packed.schema = "b", packed.length = 8;
  CHECK(c::detail::describe(c::detail::attach(consumer, ipc::to_json(packed))).values_size == 1);

  auto shifted = times.descriptor();
  shifted.data->offset = 4, shifted.data->shape = {1}, shifted.length = 1;
  auto const not_aligned = c::detail::attach(consumer, ipc::to_json(shifted));
  CHECK(test::error_of([&] { (void)c::detail::describe(not_aligned); }) ==
        "the column's values are not aligned to the 8 bytes of int64");
}

}  // namespace c_tests
