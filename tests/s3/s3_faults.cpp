// S3Store: credentials from everywhere; and servers that fail, delay, redirect or change what is read.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/http_server.hpp>
#include <support/refused.hpp>
#include <support/s3_server.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace s3_tests {
namespace {

using Lines = std::vector<std::string>;
using Bucket = S3Store<HostBuffer>;

struct Variable {
  Variable(char const* name, std::string const& value) : name_{name} { ::setenv(name, value.c_str(), 1); }
  Variable(Variable const&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  char const* name_;
};

std::ptrdiff_t count(Lines const& lines, std::string const& text) {
  return std::ranges::count_if(lines, [&](std::string const& line) { return line.find(text) != line.npos; });
}

}  // namespace

TEST_CASE("credentials come from options, environment, profiles, a web identity and the instance, in this order") {
  if (!test::has_s3("credentials of an S3Store")) return;
  test::S3Server const server;
  test::put(server.at("f"), "k", "open");
  S3Options options;
  auto const read = [&] { return value(server.at("f", options), "k"); };
  Variable const endpoint{"AWS_ENDPOINT_URL", server.address()};
  check_refused<StoreError>(read, {"found no credentials"});

  Variable const enabled{"AWS_EC2_METADATA_DISABLED", "false"};
  Variable const metadata{"AWS_EC2_METADATA_SERVICE_ENDPOINT", server.address() + "/"};
  server.requests();
  CHECK(read() == "open");
  auto asked = server.requests();
  CHECK(asked.front() == "PUT /latest/api/token");
  CHECK(asked.back() == "GET /tests/f/k signed token");
  auto const store = server.at("f", options);
  CHECK(value(store, "k") + value(store, "k") == "openopen");
  CHECK(count(server.requests(), "/latest/api/token") == 1);  // kept until they expire

  test::TemporaryFolder folder;
  std::ofstream{folder.path() / "token"} << "identity & token\n";
  {
    Variable const file{"AWS_WEB_IDENTITY_TOKEN_FILE", folder / "token"};
    Variable const role{"AWS_ROLE_ARN", "arn:aws:iam::1:role/r"};
    Variable const sts{"AWS_ENDPOINT_URL_STS", server.address() + "/sts"};
    CHECK(read() == "open");
    asked = server.requests();
    CHECK(asked.front().starts_with("GET /sts/?Action=AssumeRoleWithWebIdentity&"));
    std::ofstream{folder.path() / "token"} << "wrong-and-sEcret";
    auto const error = test::error_of(read);
    CHECK(error.find("key \"k\": " + server.address() + "/sts: the server answered 403") != error.npos);
    CHECK(error.find("sEcret") == error.npos);
  }

  std::ofstream{folder.path() / "config"} << "[default]\nregion = eu-west-1\n[profile other]\nregion=ap-south-1\n"
                                             "s3 =\n  region = wrong\n";
  std::ofstream{folder.path() / "credentials"} << "# a comment\n[default]\naws_access_key_id = AKIDTEST\n"
                                                  "aws_secret_access_key = sEcret/of+the=test\n[other]\n"
                                                  "aws_access_key_id=AKIDTEST\naws_secret_access_key=wrong\n";
  Variable const config{"AWS_CONFIG_FILE", folder / "config"};
  Variable const credentials{"AWS_SHARED_CREDENTIALS_FILE", folder / "credentials"};
  server.requests();
  CHECK(read() == "open");
  CHECK(server.requests() == Lines{"GET /tests/f/k signed"});
  options.profile = "other";
  check_refused<StoreError>(read, {"403 SignatureDoesNotMatch"});
  options.profile = "";
  CHECK(s3::settings_of("s3://b", options).region == "eu-west-1");
  {
    Variable const named{"AWS_PROFILE", "other"};
    CHECK(s3::settings_of("s3://b", options).region == "ap-south-1");
  }
  Variable const key{"AWS_ACCESS_KEY_ID", "ASIAROLE"}, secret{"AWS_SECRET_ACCESS_KEY", "sEcretOfTheRole"};
  check_refused<StoreError>(read, {"403 InvalidToken"});
  Variable const token{"AWS_SESSION_TOKEN", "sEssionTokenOfTheRole"};
  CHECK(read() == "open");
  options.access_key = "AKIDNONE", options.secret_key = "sEcret";
  check_refused<StoreError>(read, {"403 InvalidAccessKeyId"});
}

TEST_CASE("credentials come from a container's agent, a program of the profile and a single sign-on") {
  if (!test::has_s3("credentials that are lent")) return;
  test::S3Server const server;
  test::put(server.at("f"), "k", "open");
  auto const read = [&] { return value(server.at("f", S3Options{.endpoint = server.address()}), "k"); };
  test::TemporaryFolder folder;
  {
    Variable const agent{"AWS_CONTAINER_CREDENTIALS_FULL_URI", server.address() + "/container"};
    check_refused<StoreError>(read, {(server.address() + "/container").c_str(), "401"});
    Variable const token{"AWS_CONTAINER_AUTHORIZATION_TOKEN", "agent-token"};
    CHECK(read() == "open");
    std::ofstream{folder / "token"} << "sEcret-and-wrong\n";
    Variable const file{"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", folder / "token"};
    CHECK(test::error_of(read).find("401") != std::string::npos);
    CHECK(test::error_of(read).find("sEcret") == std::string::npos);
    std::ofstream{folder / "token"} << "agent-token\n";
    CHECK(read() == "open");
  }
  for (auto const* far : {"http://127.0.0.1.evil.org/", "http://localhost.evil.org/x", "http://host/"}) {
    Variable const agent{"AWS_CONTAINER_CREDENTIALS_FULL_URI", far};
    check_refused<StoreError>(read, {"AWS_CONTAINER_CREDENTIALS_FULL_URI of another machine"});
  }
  Variable const config{"AWS_CONFIG_FILE", folder / "config"};
  std::ofstream{folder / "good"}
      << R"({"Version": 1, "AccessKeyId": "AKIDTEST", "SecretAccessKey": "sEcret/of+the=test"})";
  std::ofstream{folder / "config"} << "[default]\ncredential_process = cat '" << (folder / "good") << "'\n";
  CHECK(read() == "open");
  for (auto const& command : Lines{"echo '{}'", "echo sEcret", "sh -c 'cat " + (folder / "good") + "; exit 1'"}) {
    std::ofstream{folder / "config"} << "[default]\ncredential_process = " << command << '\n';
    check_refused<StoreError>(read, {"credential_process"});
    CHECK(test::error_of(read).find("sEcret") == std::string::npos);
  }
  std::ofstream{folder / "config"} << "[default]\nsso_session = work\nsso_account_id = 12\nsso_role_name = reader\n"
                                      "[sso-session work]\nsso_region = eu-west-1\nsso_start_url = https://x/start\n";
  Variable const endpoint{"AWS_ENDPOINT_URL_SSO", server.address() + "/sso"};
  check_refused<StoreError>(read, {"single sign-on", "aws sso login"});
  auto const cache = std::filesystem::path{std::getenv("HOME")} / ".aws/sso/cache";
  std::filesystem::create_directories(cache);
  auto const file = cache / "e274eeff768c6396088ec6eb091f4bf4d47ab1e0.json";
  std::ofstream{file} << R"({"accessToken": "sign-on-token", "expiresAt": "2020-01-01T00:00:00Z"})";
  check_refused<StoreError>(read, {"aws sso login"});
  std::ofstream{file} << R"({"accessToken": "sign-on-token", "expiresAt": "2199-01-01T00:00:00Z"})";
  CHECK(read() == "open");
}

TEST_CASE("files of profiles are read as Amazon's tools read them") {
  test::PlainEnvironment const environment;
  test::TemporaryFolder folder;
  Variable const config{"AWS_CONFIG_FILE", folder / "config"};
  Variable const credentials{"AWS_SHARED_CREDENTIALS_FILE", folder / "credentials"};
  std::ofstream{folder / "credentials"} << "\xEF\xBB\xBF[default]\naws_access_key_id = A\naws_secret_access_key = s\n"
                                           "[other]  # of [work]\n  AWS_ACCESS_KEY_ID = B\n"
                                           "  aws_secret_access_key = s\n    aws_access_key_id = wrong\n";
  std::ofstream{folder / "config"} << "[profile  \"other\"] ; quoted\nregion = r1\ns3 =\n  region = wrong\n"
                                      "[default]\nregion = r2\n[profile default]\nregion = r3\n"
                                      "[profile role]\nrole_arn = arn\nsource_profile = other\n";
  auto const found = [](std::string const& profile) {
    auto const settings = s3::settings_of("s3://b", S3Options{.profile = profile});
    return settings.given.key + ' ' + settings.region;
  };
  CHECK(found("") == "A r3");
  CHECK(found("other") == "B r1");
  check_refused<StoreError>([&] { found("role"); }, {"s3://b", "profile \"role\"", "source_profile"});
  Variable const named{"AWS_PROFILE", "none"};
  check_refused<StoreError>([&] { found(""); }, {"s3://b", "no profile \"none\"", "AWS_PROFILE"});
  CHECK(s3::settings_of("s3://b", S3Options{.anonymous = true}).is_anonymous);
  Variable const key{"AWS_ACCESS_KEY_ID", "C"}, secret{"AWS_SECRET_ACCESS_KEY", "s"};
  CHECK(found("") == "C us-east-1");
}

TEST_CASE("lent credentials are renewed before they expire, and serve until then if that fails") {
  using std::chrono::minutes;
  auto const start = std::chrono::system_clock::now();
  s3::LentCredentials lent;
  int asked = 0;
  bool fails = false;
  auto const key_at = [&](minutes since) {
    return lent.at(start + since, [&] {
      ++asked;
      if (fails) throw StoreError{"no answer"};
      return s3::Credentials{std::to_string(asked), "secret", "", start + since + minutes{60}};
    }).key;
  };
  CHECK(key_at(minutes{0}) == "1");
  CHECK(key_at(minutes{54}) == "1");
  CHECK(asked == 1);
  fails = true;
  for (int i = 0; i < 3; ++i) CHECK(key_at(minutes{56}) == "1");
  CHECK(asked == 2);
  CHECK(key_at(minutes{57}) == "1");
  CHECK(asked == 3);
  CHECK_THROWS_AS(key_at(minutes{60}), StoreError);
  fails = false;
  CHECK(key_at(minutes{61}) == "5");
}

TEST_CASE("credentials last to the end of clocks, and come also to programs that ignore the ends of children") {
  auto const now = std::chrono::system_clock::now();
  for (auto const* late : {"2300-01-01T00:00:00Z", "9999-12-31T23:59:59Z"}) CHECK(s3::time_of(late) > now);
  CHECK(s3::time_of("1969-12-31T23:59:59Z") < now);
  CHECK_FALSE(s3::time_of("never"));
  struct Ignoring {
    void (*before)(int) = std::signal(SIGCHLD, SIG_IGN);
    ~Ignoring() { std::signal(SIGCHLD, before); }
  } const ignoring;
  auto const found = s3::credentials_of_process(R"(echo '{"AccessKeyId": "A", "SecretAccessKey": "s"}')");
  CHECK(found.key == "A");
}

TEST_CASE("credentials that a server says have expired are asked for again") {
  if (!test::has_s3("expired credentials")) return;
  test::S3Server const server;
  test::put(server.at("f"), "k", "open");
  Variable const enabled{"AWS_EC2_METADATA_DISABLED", "false"};
  Variable const metadata{"AWS_EC2_METADATA_SERVICE_ENDPOINT", server.address()};
  S3Options options;
  options.endpoint = server.address();
  options.http.pause = std::chrono::milliseconds{1};
  auto const store = server.at("f", options);
  CHECK(value(store, "k") == "open");
  server.fault("status:400:ExpiredToken", 1, "GET", "/f/k");
  server.requests();
  CHECK(value(store, "k") == "open");
  CHECK(count(server.requests(), "/latest/api/token") == 1);
  server.fault("status:400:ExpiredToken", 1, "GET", "/f/k");
  check_refused<StoreError>([&] { value(server.at("f"), "k"); }, {"400 ExpiredToken"});  // given ones stay
}

TEST_CASE("what may pass is sent again, what may not is not, and errors say what the server said") {
  if (!test::has_s3("retries of an S3Store")) return;
  test::S3Server const server;
  auto const store = server.at("f");
  test::put(store, "k", "0123456789");
  for (std::string const how : {"status:429:TooManyRequests", "status:500:InternalError", "status:503:SlowDown",
                                "status:400:RequestTimeout", "cut", "short"}) {
    CAPTURE(how);
    server.requests();
    server.fault(how, 2, "GET", "/f/k");
    CHECK(value(store, "k") == "0123456789");
    CHECK(server.requests().size() == 3);
    if (how == "short") continue;
    server.fault(how, 2, "PUT", "/f/k");
    test::put(store, "k", "0123456789");
    CHECK(server.requests().size() == 3);
  }
  server.fault("status:503:SlowDown", 4, "GET", "/f/k");
  check_refused<StoreError>([&] { value(store, "k"); }, {"s3://tests/f at http://127.0.0.1", "key \"k\"",
                                                         "503 SlowDown: The test's <server> refuses", "request R-503",
                                                         "at the last of 4 requests"});
  for (std::string const how : {"status:400:InvalidRequest", "status:403:AccessDenied", "status:412:PreconditionFailed",
                                "status:501:NotImplemented"}) {
    CAPTURE(how);
    for (std::string const method : {"GET", "PUT"}) {
      server.requests();
      server.fault(how, 1, method, "/f/k");
      check_refused<StoreError>([&] { method == "GET" ? void(value(store, "k")) : test::put(store, "k", "x"); },
                                {how.substr(7, 3).c_str()});
      CHECK(server.requests().size() == 1);
    }
  }
  server.fault("status:503:SlowDown", 1, "GET", "list-type=2");
  store.list("", [](Listed const&) {});
  server.fault("lost", 1, "DELETE", "/f/k");
  CHECK(test::erase(store, "k"));
  CHECK(value(store, "k") == "(missing)");
}

TEST_CASE("a refusal of the request itself does not say that a key is missing") {
  if (!test::has_s3("refusals of an S3Store")) return;
  test::S3Server const server;
  auto options = server.options();
  options.http.missing = {403, 404};
  auto const store = server.at("f", options);
  test::put(store, "k", "v");
  server.fault("status:403:AccessDenied", 1, "GET", "/f/k");
  CHECK(value(store, "k") == "(missing)");
  for (std::string const code : {"RequestTimeTooSkewed", "SignatureDoesNotMatch", "InvalidAccessKeyId"}) {
    server.fault("status:403:" + code, 1, "GET", "/f/k");
    check_refused<StoreError>([&] { value(store, "k"); }, {"key \"k\"", code.c_str()});
  }
  server.fault("no-length", 1, "HEAD", "/f/k");
  test::HostQueue on;
  check_refused<StoreError>([&] { store.size({"k"}, on); }, {"key \"k\"", "how many bytes"});
  CHECK(store.size({"k"}, on) == 1);
}

TEST_CASE("of many keys, those that the server did not erase for now are erased once more") {
  if (!test::has_s3("erasing many keys")) return;
  test::S3Server const server;
  auto const store = server.at("f");
  test::HostQueue on;
  std::vector<Key> const keys{{"a & b"}, {"c"}, {"d"}};
  for (std::string const code : {"SlowDown", "InternalError", "AccessDenied"}) {
    CAPTURE(code);
    for (auto const& key : keys) test::put(store, key.path, "v");
    server.fault("keep:" + code, 1, "POST", "delete");
    auto const error = test::error_of([&] { store.erase_many(keys, on); });
    bool const passes = code != "AccessDenied";
    CHECK((error == "nothing was thrown") == passes);
    if (!passes) CHECK(error.find("key \"a & b\": the server did not erase it: AccessDenied") != error.npos);
    CHECK(value(store, "a & b") == (passes ? "(missing)" : "v"));
    CHECK(value(store, "d") == "(missing)");
  }
}

TEST_CASE("a test of the server that fails leaves no object behind") {
  if (!test::has_s3("objects of a test of the server")) return;
  test::S3Server const server;
  server.fault("pass", 1, "PUT", "probe");
  server.fault("status:403:AccessDenied", 1, "PUT", "probe");
  server.requests();
  check_refused<StoreError>([&] { test::put(server.at("f"), "k", "v"); }, {"probe", "403 AccessDenied"});
  auto const asked = server.requests();
  CHECK(asked.size() == 3);
  CHECK(asked.back().starts_with("DELETE /tests/f/.tessera-probe-"));
}

TEST_CASE("an answer 200 that reports an error at the end of an upload is one") {
  if (!test::has_s3("late errors of uploads")) return;
  test::S3Server const server;
  auto options = server.options();
  options.multipart_above = 3;
  auto const store = server.at("f", options);
  server.fault("status:200:InternalError", 1, "POST", "uploadId=");
  test::put(store, "k", "large");
  CHECK(value(store, "k") == "large");
  server.fault("status:200:InvalidPart", 1, "POST", "uploadId=");
  check_refused<StoreError>([&] { test::put(store, "k", "other"); }, {"InvalidPart"});
  CHECK(value(store, "k") == "large");
}

TEST_CASE("a redirection elsewhere gets no credentials") {
  if (!test::has_s3("redirections of an S3Store")) return;
  test::S3Server const server, elsewhere;
  auto const role = [&](std::string const& address) {
    S3Options options = server.options();
    options.endpoint = address;
    options.access_key = "ASIAROLE", options.secret_key = "sEcretOfTheRole",
    options.session_token = "sEssionTokenOfTheRole";
    return options;
  };
  test::put(Bucket{"s3://public", role(elsewhere.address())}, "k", "0123");
  elsewhere.requests();
  server.fault("to:" + elsewhere.address() + "/public/k", 1, "GET", "/tests/f/k");
  CHECK(value(server.at("f", role(server.address())), "k", {1, 2}) == "12");
  CHECK(server.requests().back() == "GET /tests/f/k range=bytes=1-2 signed token");
  CHECK(elsewhere.requests() == Lines{"GET /public/k range=bytes=1-2"});
  server.fault("to:" + elsewhere.address() + "/public/k", 1, "PUT", "/tests/f/k");
  check_refused<StoreError>([&] { test::put(server.at("f", role(server.address())), "k", "x"); }, {"answered 307"});
  CHECK(elsewhere.requests() == Lines{});
}

TEST_CASE("a server's certificate is checked") {
  test::TemporaryFolder folder;
  std::string const certificate = "tests/http/data/certificate.pem";
  test::HttpServer const server{folder.path().string(), certificate};
  test::PlainEnvironment const environment;
  S3Options options;
  options.anonymous = true;
  options.endpoint = server.at("plain/-");
  options.http.retries = 0;
  check_refused<StoreError>([&] { value(Bucket{"s3://b", options}, "k"); }, {"key \"k\"", "certificate"});
  options.http.certificates = certificate;
  CHECK(value(Bucket{"s3://b", options}, "k") == "(missing)");
}

TEST_CASE("a shard that changes between the reads of its index and its chunks is read again") {
  if (!test::has_s3("changes of a shard")) return;
  test::S3Server const server;
  auto const store = server.at("f");
  Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>> const shards{{.chunk_shape = {4}}};
  auto const make = [&](std::string const& path, std::int32_t first, std::uint64_t from) {
    std::vector<std::int32_t> numbers(64 - from);
    std::iota(numbers.begin(), numbers.end(), first);
    create_array<std::int32_t, 1>(store, path, {.shape = {64}, .chunks = {64}}, shards).write({{from, 64}}, numbers);
  };
  make("old", 100, 0), make("new", 1000, 32);  // chunks of the new one are elsewhere in it
  auto const array = open_array<std::int32_t, 1, AllCodecs>(store, "old");
  server.ask("replace?path=f/old/c/0&by=f/new/c/0");
  server.requests();
  auto const read = array.read({{40, 44}});
  auto const asked = server.requests();
  CHECK(read(0) == 1008);
  CHECK(count(asked, "if-match=") >= 2);
  CHECK(count(asked, "HEAD") == 0);
}

TEST_CASE("a shard whose answer was cut, and that has changed before the second try, is read again") {
  if (!test::has_s3("cut answers of a shard")) return;
  test::S3Server const server;
  auto const store = server.at("f");
  Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>> const shards{{.chunk_shape = {4}}};
  for (std::string const path : {"old", "new"}) {
    auto const n = path == "old" ? 64U : 32U;
    std::vector<std::int32_t> numbers(n, path == "old" ? 1 : 2);
    create_array<std::int32_t, 1>(store, path, {.shape = {64}, .chunks = {64}}, shards).write({{0, n}}, numbers);
  }
  auto const array = open_array<std::int32_t, 1, AllCodecs>(store, "old");
  server.fault("short", 1, "GET", "/f/old/c/0");
  server.ask("replace?path=f/old/c/0&by=f/new/c/0");
  auto const read = array.read({{24, 40}});
  CHECK(read(0) == 2);
  CHECK(read(15) == 0);
}

TEST_CASE("a read that waits for a bucket ends when it is told to stop, and its requests with it") {
  if (!test::has_s3("cancelled reads of a bucket")) return;
  test::S3Server const server;
  auto const store = server.at("f");
  auto const array = create_array<std::int32_t, 1>(store, "a", {.shape = {64}, .chunks = {16}});
  array.fill(all, 1);
  server.fault("hold", 4, "GET", "/a/c/");
  std::atomic<bool> stop{false};
  std::thread stops{[&] {
    server.ask("waiting");
    stop = true;
  }};
  std::vector<std::int32_t> to(64);
  CHECK_THROWS_AS(array.read(all, to, ReadOptions{.stop = &stop}), Cancelled);
  stops.join();
  array.read(all, to);
  CHECK(to == std::vector<std::int32_t>(64, 1));
}

}  // namespace s3_tests
