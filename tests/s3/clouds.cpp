// S3Store at Google's XML interface and Azure's blobs, by tests/s3/clouds.py.
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/s3_server.hpp>
#include <support/server_process.hpp>
#include <support/store_conformance.hpp>
#include <tessera/tessera.hpp>
#include <tessera/testing/store_conformance.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/references.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace cloud_tests {
namespace {

using Bucket = S3Store<HostBuffer>;
using Lines = std::vector<std::string>;

struct Clouds {
  test::PlainEnvironment environment{};
  test::ServerProcess server{{"python3", "tests/s3/clouds.py"}};

  std::string address() const { return "http://127.0.0.1:" + server.port(); }
  S3Options google() const {
    S3Options options{.endpoint = address(), .access_key = "GOOGTEST", .secret_key = "sEcret/of+the=test"};
    options.http.pause = std::chrono::milliseconds{2};
    return options;
  }
  S3Options azure() const {
    S3Options options{.endpoint = address() + "/account",
                      .secret_key = "dGhlIGtleSBvZiB0aGUgYWNjb3VudCwgb2YgYW55IGxlbmd0aA=="};
    options.http.pause = std::chrono::milliseconds{2};
    return options;
  }
  void lose(std::string const& path) const { s3::ask(address() + "/-/lose?path=" + path, "GET", {}, {}); }
};

struct Place {
  std::string root;  // a folder follows
  S3Options options;
  std::string lost;  // the server's path of a folder's value
};
std::vector<Place> places(Clouds const& clouds) {
  return {{"gs://bucket/", clouds.google(), "/bucket/"},
          {"az://account/container/", clouds.azure(), "/account/container/"}};
}

}  // namespace

TEST_CASE("Google's and Azure's buckets pass the suite of all stores, also by tokens and shared access signatures") {
  Clouds const clouds;
  int made = 0;
  for (auto const& [root, options, lost] : places(clouds)) {
    auto const make = [&, &root = root, &options = options] { return Bucket{root + std::to_string(++made), options}; };
    for (auto const& broken : testing::store_conformance(make)) FAIL_CHECK(broken);
  }
  CHECK(made > 10);
  S3Options google{.endpoint = clouds.address(), .bearer = "tOken"},
      azure{.endpoint = clouds.address() + "/account", .bearer = "tOken"};
  auto sas = azure;
  sas.bearer.clear(), sas.sas = "?sv=2021-12-02&sig=sAs";
  std::vector<std::pair<std::string, S3Options>> const by_token{
      {"gs://bucket/t", google},
      {"az://account/container/t", azure},
      {"abfs://container@account.dfs.core.windows.net/t", sas}};
  for (auto const& one : by_token) {
    auto const& address = one.first;
    auto const& options = one.second;
    CAPTURE(address);
    Bucket const store{address, options};
    test::put(store, "a b/\xc3\xa4", "0123456789");
    CHECK(value(store, "a b/\xc3\xa4", {2, 3}) == "234");
    Lines found;
    store.list("a b", [&](Listed const& entry) { found.emplace_back(entry.path); });
    CHECK(found == Lines{"a b/\xc3\xa4"});
    CHECK(test::erase(store, "a b/\xc3\xa4"));
  }
}

TEST_CASE("a references file names objects of Azure by account and container") {
  Clouds const clouds;
  test::put(Bucket{"az://account/container/r", clouds.azure()}, "k", "0123456789");
  for (std::string const address :
       {"az://account/container/r/k", "abfs://account/container/r/k", "abfs://container@account/r/k"}) {
    CAPTURE(address);
    ReferenceStore const store{R"({"a": [")" + address + R"(", 2, 3]})",
                               [&](std::string const& folder) { return Bucket{folder, clouds.azure()}; }};
    CHECK(value(store, "a") == "234");
  }
  check_refused<StoreError>([] { ReferenceStore{R"({"a": ["az://account/container"]})", {}}; },
                            {"az://account/container", "address of a file"});
}

TEST_CASE("credentials of the environment reach Google and Azure, and messages show none") {
  Clouds const clouds;
  struct Case {
    char const* address;
    std::map<char const*, char const*> environment;
  };
  for (auto const& one :
       {Case{"gs://bucket/e", {{"GS_ACCESS_KEY_ID", "GOOGTEST"}, {"GS_SECRET_ACCESS_KEY", "sEcret/of+the=test"}}},
        Case{"gs://bucket/e", {{"GOOGLE_OAUTH_ACCESS_TOKEN", "tOken"}}},
        Case{"az://account/c/e", {{"AZURE_STORAGE_KEY", "dGhlIGtleSBvZiB0aGUgYWNjb3VudCwgb2YgYW55IGxlbmd0aA=="}}},
        Case{"az://account/c/e", {{"AZURE_STORAGE_SAS_TOKEN", "sig=sAs"}}}}) {
    auto const& environment = one.environment;
    auto const* const address = one.address;
    CAPTURE(address);
    bool const is_google = address[0] == 'g';
    S3Options options{.endpoint = clouds.address() + (is_google ? "" : "/account")};
    options.http.retries = 0;
    check_refused<StoreError>([&] { value(Bucket{address, options}, "k"); }, {address, "found no key", "anonymous"});
    for (auto const& [name, text] : environment) ::setenv(name, text, 1);
    test::put(Bucket{address, options}, "k", "v");
    CHECK(value(Bucket{address, options}, "k") == "v");
    for (auto const& [name, text] : environment) ::unsetenv(name);
    auto wrong = options;
    wrong.access_key = is_google ? "GOOGTEST" : "";
    wrong.secret_key = "b3RoZXI=";
    auto const said = test::error_of([&] { value(Bucket{address, wrong}, "k"); });
    CHECK(said.find(is_google ? "403 SignatureDoesNotMatch" : "403 AuthenticationFailed") != std::string::npos);
    CHECK(said.find("b3RoZXI") == std::string::npos);
    for (auto* const unsigned_too : {&wrong, &options}) {  // also with the credentials of the environment
      for (auto const& [name, text] : environment) ::setenv(name, text, 1);
      unsigned_too->anonymous = true;
      auto const refusal = test::error_of([&] { value(Bucket{address, *unsigned_too}, "k"); });
      CHECK(refusal.find(is_google ? "403 AccessDenied" : "403 AuthenticationFailed") != std::string::npos);
      for (auto const& [name, text] : environment) ::unsetenv(name);
    }
  }
  auto const shown = test::error_of([&] {
    value(Bucket{"az://account/c", {.endpoint = clouds.address() + "/account", .sas = "sv=1&sig=a%2Fb%3D"}}, "sig");
  });
  CHECK(shown.find("403 AuthenticationFailed") != shown.npos);
  CHECK(shown.find("a/b=") == shown.npos);
  auto const pasted = test::error_of([] { Bucket{"az://account/c/e?sv=1&sig=sEcret"}; });
  CHECK(pasted.find("S3Options::sas") != pasted.npos);
  CHECK(pasted.find("sEcret") == pasted.npos);
  auto named = clouds.azure();
  named.http.headers = {"X-Ms-Client-Request-Id: one"};
  test::put(Bucket{"az://account/c", named}, "k", "v");
  check_refused<StoreError>([] { Bucket{"az://account"}; }, {"without a bucket"});
  check_refused<StoreError>([] { Bucket{"az://Account.evil/c"}; }, {"with an account"});
  check_refused<StoreError>(
      [&] {
        value(Bucket{"az://account/c", {.endpoint = clouds.address(), .secret_key = "?"}}, "k");
      },
      {"not base64"});
}

TEST_CASE("at Google and Azure, too, no change of another program is undone, and a lost answer is found out") {
  Clouds const clouds;
  for (auto const& place : places(clouds)) {
    auto const &root = place.root, &lost = place.lost;
    auto const& options = place.options;
    CAPTURE(root);
    Bucket const store{root + "f", options}, other{root + "f", options};
    {
      auto const held = store.lock({"k"});
      CHECK(value(store, "k") == "(missing)");
      test::put(other, "k", "first");
      CHECK_THROWS_AS(test::put(store, "k", "new"), ValueChanged);
    }
    {
      auto const held = store.lock({"k"});
      CHECK(value(store, "k") == "first");
      test::put(other, "k", "other");
      CHECK_THROWS_AS(test::put(store, "k", "new"), ValueChanged);
      CHECK_THROWS_AS(test::erase(store, "k"), ValueChanged);
      CHECK_THROWS_AS(value(store, "k"), ValueChanged);
    }
    CHECK(value(store, "k") == "other");
    Queue<space::Host> on;
    for (std::string const text : {"second", "third"}) {  // over another connection, and over a kept one
      auto const held = store.lock({"k"});
      CHECK(get_value(store, {"k"}, on));
      clouds.lose(lost + "f/k");
      ByteView<space::Host> const bytes{reinterpret_cast<std::byte const*>(text.data()), text.size()};
      auto other_queue = Queue<space::Host>{};
      store.write({"k"}, bytes, text == "third" ? on : other_queue);
      CHECK(value(other, "k") == text);
    }
    auto const array = create_array<std::int32_t, 1>(store, "a", {.shape = {4}, .chunks = {4}});
    array.write(all, std::vector<std::int32_t>{1, 2, 3, 4});
    array.append(std::vector<std::int32_t>{5});
    CHECK(open_array<std::int32_t, 1>(other, "a").read(all)(4) == 5);
    { CHECK(other.lock_folder("a", Sharing::alone)); }
    std::vector<Key> const keys{{"a/c/0"}, {"a/c/1"}, {"none"}};
    store.erase_many(keys, on);
    CHECK(value(store, "a/c/0") == "(missing)");
  }
}

TEST_CASE("a large value at Azure is written in blocks, which appear together, for the version that was read") {
  Clouds const clouds;
  auto options = clouds.azure();
  options.multipart_above = options.part_bytes = std::uint64_t{5} << 20;
  std::string const root = "az://account/container/b";
  Bucket const store{root, options}, other{root, options};
  std::string large(std::size_t{12} << 20, 'x');
  for (std::size_t i = 0; i < large.size(); i += 1000) large[i] = static_cast<char>('a' + i / 1000 % 26);
  CHECK(s3::block_size(large.size(), options.part_bytes) * 2 < large.size());  // three blocks
  CHECK(s3::block_size(std::uint64_t{6} << 30, std::uint64_t{5} << 30) == std::uint64_t{4000} << 20);  // Azure's most
  test::put(store, "k", large);
  CHECK(value(other, "k") == large);
  {
    auto const held = store.lock({"k"});
    CHECK(value(store, "k") == large);
    test::put(other, "k", "other");
    CHECK_THROWS_AS(test::put(store, "k", large), ValueChanged);
    CHECK(value(other, "k") == "other");
  }
  {
    auto const held = store.lock({"k"});
    CHECK(value(store, "k") == "other");
    clouds.lose("/account/container/b/k");
    test::put(store, "k", large);  // the answer to its list of blocks was lost
  }
  CHECK(value(other, "k") == large);
  test::put(store, "k", large + "y");
  CHECK(value(other, "k") == large + "y");
}

}  // namespace cloud_tests
