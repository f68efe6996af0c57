// Icechunk repositories of formats 1 and 2, as icechunk 2.3.0 wrote them (data/make_icechunk.py); and damaged ones.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/icechunk.hpp>

using namespace tessera;
using test::check_refused;
using test::value;
namespace fs = std::filesystem;

namespace icechunk_tests {
namespace {

std::string const data = "tests/with/data";

AnyStore<HostBuffer> elsewhere(std::string const& folder) {
  CHECK(folder == "/elsewhere");
  return LocalStore<HostBuffer>{data};
}
ReferenceStore opened(std::string const& path, IcechunkOptions const& options = {}) {
  return open_icechunk(LocalStore<HostBuffer>{path}, options, elsewhere);
}

}  // namespace

TEST_CASE("the last snapshot of a branch: native, inline and virtual chunks, and missing ones") {
  for (auto const& path : {data + "/icechunk1", data + "/icechunk2"})
    for (auto const* branch : {"main", "other"}) {
      CAPTURE(path);
      auto const store = opened(path, {.branch = branch});
      CHECK(store.name() == path);
      CHECK(open_group(store).attributes().get("title", "") == "second");
      CHECK(open_group(store).children().size() == 4);
      auto const native = open_array<double, 2, AllCodecs>(store, "native").read(all);
      auto const virtual_ones = open_array<std::int32_t, 2, AllCodecs>(store, "virtual").read(all);
      for (std::uint64_t i = 0; i < 20; ++i)
        for (std::uint64_t j = 0; j < 30; ++j) {
          CHECK(native(i, j) == (i + j == 0 ? -1 : static_cast<double>(i * 30 + j) / 4));
          CHECK(virtual_ones(i, j) == static_cast<std::int32_t>(i * 30 + j));
        }
      auto const inside = open_array<std::int16_t, 1, AllCodecs>(store, "group/inline").read(all);
      for (std::uint64_t i = 0; i < 7; ++i) CHECK(inside(i) == static_cast<std::int16_t>(i < 4 ? i : 0));
      CHECK(open_array<std::uint8_t, 0, AllCodecs>(store, "scalar").read(all)() == 42);
    }
}

TEST_CASE("an address names the repository, the branch, tag or snapshot, and the path inside") {
  using Paths = Schemes<scheme::Folder>;
  for (auto const& one :
       {std::array{"", "main", "", "", ""}, std::array{"//branch.other/native", "other", "", "", "native"},
        std::array{"//tag.v1", "main", "v1", "", ""},
        std::array{"//VY76P925PRY57WFEK410/a//b/", "main", "", "VY76P925PRY57WFEK410", "a/b"}}) {
    std::string const after = one[0], branch = one[1], tag = one[2], snapshot = one[3], inside = one[4];
    CAPTURE(after);
    auto const at = detail::IcechunkAddress::from("s3://b/r|icechunk:" + after);
    REQUIRE(at);
    CHECK(at->repository == "s3://b/r");
    CHECK(at->options.branch == branch);
    CHECK(at->options.tag == tag);
    CHECK(at->options.snapshot == snapshot);
    CHECK(at->inside == inside);
  }
  CHECK(!open_icechunk_at<Paths>(data + "/icechunk2"));
  for (auto const& path : {data + "/icechunk1", "file://" + fs::absolute(data + "/icechunk2").string()}) {
    auto const found = open_icechunk_at<Paths>(path + "|icechunk://branch.other/native");
    REQUIRE(found);
    CHECK(found->path == "native");
    CHECK(open_array<double, 2, AllCodecs>(found->store, found->path).read(all)(0, 1) == 0.25);
  }
  check_refused<MetadataError>([] { open_icechunk_at<Paths>(data + "/icechunk2|icechunk://branch.none"); },
                               {"branch \"none\""});
}

TEST_CASE("a tag, and a snapshot by its id, show what was then") {
  for (auto const& path : {data + "/icechunk1", data + "/icechunk2"}) {
    CAPTURE(path);
    auto const check = [&](IcechunkOptions const& options) {
      auto const store = opened(path, options);
      CHECK(open_group(store).attributes().get("title", "") == "first");
      CHECK(open_array<double, 2, AllCodecs>(store, "native").read(all)(0, 0) == 0);
      CHECK(open_group(store).children().size() == 3);
    };
    check({.tag = "first"});
    for (auto const& snapshot : fs::directory_iterator{path + "/snapshots"}) {
      auto const id = snapshot.path().filename().string();
      auto const store = opened(path, {.snapshot = id});
      auto const title = value(store, "zarr.json");
      if (id == "1CECHNKREP0F1RSTCMT0")  // before the first commit
        CHECK(title == "(missing)");
      else
        CHECK((title.find("first") != title.npos) != (title.find("second") != title.npos));
    }
    for (IcechunkOptions const& missing : {IcechunkOptions{.branch = "none"}, IcechunkOptions{.tag = "main"},
                                           IcechunkOptions{.branch = "../x"}})
      check_refused<MetadataError>([&] { opened(path, missing); }, {path.c_str(), "the repository has no"});
    check_refused<StoreError>([&] { opened(path, {.snapshot = "NONE"}); }, {path.c_str(), "snapshots/NONE", "missing"});
    auto const closed = open_icechunk(LocalStore<HostBuffer>{path});
    check_refused<StoreError>([&] { value(closed, "virtual/c/0/0"); }, {"/elsewhere", "outside the repository"});
    CHECK(value(closed, "native/c/1/1").size() == 1200);
  }
  check_refused<MetadataError>([] { opened(data); }, {"tests/with/data", "no branch \"main\""});
}

TEST_CASE("whichever byte of a repository's file is wrong: an error, or other content, but no crash") {
  test::TemporaryFolder folder;
  for (std::string const version : {"icechunk1", "icechunk2"}) {
    fs::copy(data + '/' + version, folder / version, fs::copy_options::recursive);
    for (auto const& one : fs::recursive_directory_iterator{folder / version}) {
      auto const path = one.path().string();
      if (!one.is_regular_file() || path.find("/chunks/") != path.npos || path.ends_with("config.yaml")) continue;
      std::ifstream from{path, std::ios::binary};
      std::string good{std::istreambuf_iterator<char>{from}, {}};
      if (good.starts_with("ICE")) {  // damage reaches the tables if they are not compressed
        auto const type = static_cast<detail::IcechunkFile>(good[37]);
        auto const content = detail::icechunk_file(std::as_bytes(std::span{good}), type);
        good.resize(39);
        good[38] = '\0';
        good.append(reinterpret_cast<char const*>(content.data()), content.size());
      }
      for (std::size_t i = 0; i < good.size(); i += 3) {
        auto bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 0x55);
        for (auto const& text : {bad, good.substr(0, i)}) {
          std::ofstream{path, std::ios::binary | std::ios::trunc} << text;
          try {
            auto const store = open_icechunk(LocalStore<HostBuffer>{folder / version});
            value(store, "group/inline/c/0");
          } catch (Error const& error) {
            std::string const what = error.what();  // a chunk may seem to be elsewhere
            CAPTURE(what);
            bool const names_key = what.find("manifests/") != what.npos || what.find("group/inline/c/0") != what.npos;
            CHECK((names_key || what.find(version) != what.npos));
          }
        }
      }
      std::ofstream{path, std::ios::binary | std::ios::trunc} << good;
    }
  }
}

TEST_CASE("a table whose offsets lead out of it is damaged; every field and vector is checked") {
  auto const refused = [](std::vector<std::uint8_t> const& bytes) {
    std::vector<std::byte> content(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) content[i] = std::byte{bytes[i]};
    check_refused<MetadataError>(
        [&] {
          auto const table = detail::FlatTable::root(content);
          table.each(0, [](detail::FlatTable const& one) { (void)one.get<std::uint32_t>(0); });
        },
        {"damaged table"});
  };
  refused({});
  refused({255, 255, 255, 255});
  refused({4, 0, 0, 0, 8, 0, 0, 0});                                       // its fields before the beginning
  // A table at 12, whose fields at 4 have one at 4 of it: a vector beyond the end, and one whose items are.
  refused({12, 0, 0, 0, 6, 0, 8, 0, 4, 0, 0, 0, 8, 0, 0, 0, 255, 255, 255, 0});
  refused({12, 0, 0, 0, 6, 0, 8, 0, 4, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 255, 0, 0, 0});
  refused({12, 0, 0, 0, 6, 0, 8, 0, 4, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 255, 255, 0, 0});
}

TEST_CASE("tables that share their bytes are refused before they take many times the file's memory") {
  test::TemporaryFolder folder;
  fs::copy(data + "/icechunk2", folder / "a", fs::copy_options::recursive);
  int refused = 0, of_one = 0;  // one manifest is of another branch
  for (auto const& one : fs::directory_iterator{folder / "a/manifests"}) {
    std::ifstream from{one.path(), std::ios::binary};
    std::string file{std::istreambuf_iterator<char>{from}, {}};
    auto const good = detail::icechunk_file(std::as_bytes(std::span{file}), detail::IcechunkFile::manifest);
    std::vector<std::byte> id;  // of an array
    detail::FlatTable::root(good).each(1, [&](detail::FlatTable const& array) {
      auto const found = array.structure(0, 8).value();
      id.assign(found.begin(), found.end());
    });
    struct Shared {
      std::uint32_t text, index;  // bytes of each chunk's content, and of its index beyond the first 4
    };
    for (auto const [shared, long_index] : {Shared{4, 0}, Shared{1 << 16, 0}, Shared{4, 1 << 16}}) {
      // The fields of the manifest, of an array and of a chunk; then the manifest, and its array with 500 chunks.
      constexpr std::uint32_t chunks = 500;
      std::vector<std::uint32_t> words{28, 8 | 8 << 16, 4 << 16, 8 | 16 << 16, 4 | 12 << 16, 8 | 12 << 16, 4 | 8 << 16};
      auto const at = [&] { return static_cast<std::uint32_t>(4 * words.size()); };
      words.insert(words.end(), {24, 4, 1, 4, 32, 0, 0, 4, chunks});
      std::memcpy(&words[12], id.data(), 8);
      auto const first = at() + 4 * chunks, indexes = first + 12 * chunks, inside = indexes + 8 * chunks;
      for (std::uint32_t i = 0; i < chunks; ++i) words.push_back(first + 12 * i - at());
      for (std::uint32_t i = 0; i < chunks; ++i) {
        words.push_back(at() - 20);
        words.push_back((long_index ? inside + 4 + shared : indexes + 8 * i) - at());
        words.push_back(inside - at());
      }
      for (std::uint32_t i = 0; i < chunks; ++i) words.insert(words.end(), {1, i});
      words.push_back(shared);
      words.resize(words.size() + shared / 4);
      words.push_back(long_index / 4);
      words.resize(words.size() + long_index / 4);
      file.resize(39);
      file[38] = '\0';
      file.append(reinterpret_cast<char const*>(words.data()), 4 * words.size());
      std::ofstream{one.path(), std::ios::binary | std::ios::trunc} << file;
      if (shared == 4 && !long_index)
        opened(folder / "a");
      else
        refused += test::error_of([&] { opened(folder / "a"); }).find("many times its bytes") != std::string::npos;
    }
    // All chunks of the array are one, which has no index and no bytes.
    constexpr std::uint32_t many = 100'000;
    std::vector<std::uint32_t> words{28, 8 | 8 << 16, 4 << 16, 8 | 16 << 16, 4 | 12 << 16, 8 | 12 << 16, 4 | 8 << 16};
    words.insert(words.end(), {24, 4, 1, 4, 32, 0, 0, 4, many});
    std::memcpy(&words[12], id.data(), 8);
    for (std::uint32_t i = 0; i < many; ++i) words.push_back(4 * (many - i));
    words.insert(words.end(), {static_cast<std::uint32_t>(4 * words.size()) - 20, 8, 8, 0, 0});
    file.resize(39);
    file.append(reinterpret_cast<char const*>(words.data()), 4 * words.size());
    std::ofstream{one.path(), std::ios::binary | std::ios::trunc} << file;
    of_one += test::error_of([&] { opened(folder / "a"); }).find("many times its bytes") != std::string::npos;
    std::ofstream{one.path(), std::ios::binary | std::ios::trunc} << file.substr(0, 39).append(
        reinterpret_cast<char const*>(good.data()), good.size());
  }
  CHECK(refused > 3);
  CHECK(of_one > 1);
}

TEST_CASE("nodes that share a list of manifests are refused before each is walked for each") {
  constexpr std::uint32_t many = 4000;
  // The fields of the snapshot and of an array, of a node, of a manifest; then the snapshot, and its nodes.
  std::vector<std::uint32_t> words{40, 10 | 8 << 16, 0, 4, 14 | 28 << 16, 4 | 12 << 16, 16 | 20 << 16,
                                   24, 6 | 16 << 16, 4, 36, 4, many};
  auto const at = [&] { return static_cast<std::uint32_t>(4 * words.size()); };
  auto const node = at() + 4 * many;
  for (std::uint32_t i = 0; i < many; ++i) words.push_back(node - at());
  words.insert(words.end(), {at() - 16, 1, 0, 16, 12, 1, 12, 1, 'a'});  // its path is its document, too
  words.insert(words.end(), {at() - 4, 4, many});
  auto const manifest = at() + 4 * many;
  for (std::uint32_t i = 0; i < many; ++i) words.push_back(manifest - at());
  words.insert(words.end(), {at() - 32, 0, 0, 0});
  test::TemporaryFolder folder;
  fs::create_directories(folder / "a/snapshots");
  std::string file("ICE\xF0\x9F\xA7\x8A" "CHUNK");
  file += std::string(24, ' ') + "\2\1" + std::string(1, '\0');
  file.append(reinterpret_cast<char const*>(words.data()), 4 * words.size());
  std::ofstream{folder / "a/snapshots/S", std::ios::binary} << file;
  check_refused<MetadataError>([&] { opened(folder / "a", {.snapshot = "S"}); }, {"many times its bytes"});
}

TEST_CASE("ids in Crockford's Base32") {
  std::vector<std::byte> id;
  for (auto const byte : {0x0b, 0x1c, 0xc8, 0xd6, 0x78, 0x75, 0x80, 0xf0, 0xe3, 0x3a, 0x65, 0x34})
    id.push_back(static_cast<std::byte>(byte));
  CHECK(detail::icechunk_name(id) == "1CECHNKREP0F1RSTCMT0");  // the first snapshot of every repository
}

}  // namespace icechunk_tests
