// Zip files with wrong headers, damaged, or changing while they are open: an error, and never a wrong value.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/with/zip.hpp>
#include <zip/written_zip.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace zip_tests {
namespace {

// The number of bytes requested before a read failed; none: it was refused before.
std::vector<std::size_t> asked_before_failing(ZipStore const& store, ByteRange range = {}) {
  std::vector<std::size_t> asked;
  std::string room;
  Queue<space::Host> on;
  Key const key{"a"};
  auto const destination = [&](std::size_t size) {
    asked.push_back(size);
    room.resize(size);
    return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(room.data()), size};
  };
  CHECK_THROWS_AS(store.read(key, range, destination, on), StoreError);
  return asked;
}

}  // namespace

TEST_CASE("a value that does not have its checksum is an error; its parts are not checked") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  write_zip(path, {{"a", "abcdefgh"}, {"b", "good"}});
  auto bytes = bytes_of(path);
  bytes[bytes.find("abcdefgh") + 6] = 'x';
  write_bytes(path, bytes);
  ZipStore const store{path};
  check_refused<StoreError>([&] { value(store, "a"); }, {path.c_str(), "key \"a\"", "CRC error"});
  CHECK(value(store, "a", {0, 3}) == "abc");
  CHECK(value(store, "a", {5}) == "fxh");
  CHECK(value(store, "b") == "good");  // whatever failed before
}

TEST_CASE("sizes that are not those of the data are errors, before memory is asked for where that can be seen") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  auto const text = long_text(3000);
  auto const lie = [&](zip_int32_t method, Field field, std::uint64_t size) {
    write_zip(path, {{"a", text, method}});
    auto bytes = bytes_of(path);
    set(bytes, "a", field, size, 4);
    write_bytes(path, bytes);
    return asked_before_failing(ZipStore{path});
  };
  std::vector<std::size_t> const nothing;
  for (std::uint64_t const size : {0u, 2999u, 3001u, 0x7fffffffu}) {
    CAPTURE(size);
    CHECK(lie(ZIP_CM_STORE, Field::size, size) == nothing);
    CHECK(lie(ZIP_CM_STORE, Field::stored_size, size) == nothing);
  }
  CHECK(lie(ZIP_CM_DEFLATE, Field::size, 2999) == std::vector<std::size_t>{2999});
  CHECK(lie(ZIP_CM_DEFLATE, Field::size, 3001) == std::vector<std::size_t>{3001});
  CHECK(lie(ZIP_CM_DEFLATE, Field::size, 0) == std::vector<std::size_t>{0});
  CHECK(lie(ZIP_CM_DEFLATE, Field::size, 0x7fffffff) == nothing);
  CHECK(lie(ZIP_CM_DEFLATE, Field::stored_size, 0x7fffffff) == nothing);
  CHECK(lie(ZIP_CM_DEFLATE, Field::stored_size, 0) == nothing);
  CHECK(lie(ZIP_CM_DEFLATE, Field::stored_size, 100) == std::vector<std::size_t>{3000});

  // Data before a part ends too early.
  write_zip(path, {{"a", text, ZIP_CM_DEFLATE}});
  auto bytes = bytes_of(path);
  set(bytes, "a", Field::size, 200'000, 4);
  write_bytes(path, bytes);
  CHECK(asked_before_failing(ZipStore{path}, {150'000, 10}) == std::vector<std::size_t>{10});
}

TEST_CASE("sizes of 64 bits that lie are errors") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  auto const whole = bytes_of("tests/zip/data/zip64.zarr.zip");
  auto const at = directory_entry(whole, "plain/c/0/0") + static_cast<std::size_t>(Field::name) + 11 + 4;
  for (std::uint64_t const size : {std::uint64_t{1} << 40, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    for (auto const field : {0, 8, 16}) {  // the size, the stored size, the entry's offset
      CAPTURE(size);
      CAPTURE(field);
      auto bytes = whole;
      for (std::size_t i = 0; i < 8; ++i)
        bytes[at + static_cast<std::size_t>(field) + i] = static_cast<char>(size >> 8 * i);
      write_bytes(path, bytes);
      auto const read = [&] { value(ZipStore{path}, "plain/c/0/0"); };
      check_refused<StoreError>(read, {path.c_str()});
    }
  }
}

TEST_CASE("encrypted entries, and those of unknown methods, are refused by name; others are read") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  write_zip(path, {{"a", "text", ZIP_CM_STORE, true}, {"b", "text"}, {"c", "text"}});
  auto bytes = bytes_of(path);
  set(bytes, "b", Field::method, 98, 2);
  write_bytes(path, bytes);
  ZipStore const store{path};
  check_refused<StoreError>([&] { value(store, "a"); }, {path.c_str(), "key \"a\"", "encrypted"});
  check_refused<StoreError>([&] { value(store, "b"); }, {path.c_str(), "key \"b\"", "compression method 98"});
  CHECK(value(store, "c") == "text");
}

TEST_CASE("whichever byte of a zip file is wrong, a value is right or an error") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  std::string const a = "aaaaaaaaaaaabbbbbbbbbbbbbaaaaaaaaaaaa", b = "{\"b\": 1}";
  for (auto const method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    write_zip(path, {{"a", a, method}, {"b", b, method}});
    auto const whole = bytes_of(path);
    std::size_t right = 0, refused = 0, missing = 0;
    std::fstream file{path, std::ios::binary | std::ios::in | std::ios::out};
    auto const put = [&](std::size_t at, char byte) { file.seekp(static_cast<std::streamoff>(at)).put(byte).flush(); };
    for (std::size_t i = 0; i < whole.size(); ++i) {
      bool is_name = false;
      for (auto const* name : {"a", "b"})
        is_name = is_name || i == directory_entry(whole, name) + static_cast<std::size_t>(Field::name);
      for (unsigned change = 1; change < 256; ++change) {
        put(i, static_cast<char>(static_cast<unsigned char>(whole[i]) ^ change));
        for (auto const* expected : {&a, &b}) try {
            auto const found = value(ZipStore{path}, expected == &a ? "a" : "b");
            (found == *expected ? right : missing) += 1;
            if (found == *expected || (is_name && found == "(missing)")) continue;
            if (is_name && found == (expected == &a ? b : a)) continue;  // it got the other's name
            CAPTURE(i);
            CAPTURE(change);
            FAIL_CHECK(found);
          } catch (StoreError const& error) {
            ++refused;
            CHECK(error.store() == path);
          }
      }
      put(i, whole[i]);
    }
    CHECK(right > 10'000);
    CHECK(refused > 10'000);
    CHECK(missing < 1'000);
  }
}

TEST_CASE("if another file gets the name of an open one, the store stays with the one that it opened") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip", other = folder / "b.zip";
  write_zip(path, {{"a", "first"}, {"b", "second"}});
  write_zip(other, {{"a", "wrong"}, {"b", "wrong too"}});
  ZipStore const store{path};
  std::filesystem::rename(other, path);
  Queue<space::Host> on;
  std::string read(5, ' ');
  store.read(
      {"a"}, {},
      [&](std::size_t) {
        CHECK(value(store, "b") == "second");  // by a second archive, opened now
        return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(read.data()), 5};
      },
      on);
  CHECK(read == "first");
}

TEST_CASE("a file that changes under the store is an error, and read again once it is whole") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  write_zip(path, {{"a", "first"}, {"b", "second"}});
  auto const whole = bytes_of(path);
  ZipStore const store{path};
  CHECK(value(store, "a") == "first");
  std::filesystem::resize_file(path, 10);
  check_refused<StoreError>([&] { value(store, "a"); }, {path.c_str(), "key \"a\"", "cannot read the entry"});
  check_refused<StoreError>([&] { value(store, "a"); }, {path.c_str(), "key \"a\"", "expected a zip file"});
  write_bytes(path, whole);
  CHECK(value(store, "a") == "first");
  write_zip(folder / "other.zip", {{"b", "other"}, {"a", "second"}});  // equally long, and another order
  write_bytes(path, "");
  CHECK_THROWS_AS(value(store, "a"), StoreError);
  write_bytes(path, bytes_of(folder / "other.zip"));
  check_refused<StoreError>([&] { value(store, "a"); }, {path.c_str(), "key \"a\"", "has changed since it was opened"});
}

}  // namespace zip_tests
