// Servers that answer wrongly, late or never, and the error for it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/http_server.hpp>
#include <support/refused.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace http_tests {
namespace {

struct Answers {
  test::TemporaryFolder folder;
  LocalStore<HostBuffer> files{folder.path().string()};
  test::HttpServer server{folder.path().string()};

  Answers() { test::put(files, "k", "0123456789abcdef"); }
  HttpStore at(std::string const& mode, HttpOptions options = {}) const {
    options.pause = std::chrono::milliseconds{1};
    return HttpStore{server.at(mode), std::move(options)};
  }
};

// Reads a value of `size` bytes over a connection of its own. Returns the most bytes that were received at once.
std::size_t most_received(std::string const& address, std::size_t size, ReadLimits limits) {
  http::Site const site{address, {}};
  struct WebRead final : http::ReadTask {
    using ReadTask::ReadTask;
    http::Site const* site = nullptr;
    http::Request begin() override { return begin_body(), http::Request{.url = site->url.of(key())}; }
    http::TaskEnd end(http::Response const& response) override {
      return end_value(response) ? http::TaskEnd::done : http::TaskEnd::refused;
    }
  };
  test::Bytes memory(size);
  auto destination = [&](std::size_t n) { return ByteSpan<space::Host>{memory.data(), n}; };
  Key const key{"value"};
  std::vector<ReadRequest<space::Host>> requests{{&key, {}, {destination, limits}}};
  http::ReadPlan plan;
  std::deque<WebRead> reads;
  plan.plan(std::span{requests}, [&](http::Asked asked) { reads.emplace_back(asked).site = &site; });
  http::Transfer transfer;
  transfer.begin(site, reads.front());
  std::size_t most = 0;
  auto const on_bytes = +[](CURL*, curl_infotype kind, char*, std::size_t n, void* to) {
    if (kind == CURLINFO_DATA_IN) *static_cast<std::size_t*>(to) = std::max(*static_cast<std::size_t*>(to), n);
    return 0;
  };
  ::curl_easy_setopt(transfer.handle(), CURLOPT_DEBUGFUNCTION, on_bytes);
  ::curl_easy_setopt(transfer.handle(), CURLOPT_DEBUGDATA, &most);
  ::curl_easy_setopt(transfer.handle(), CURLOPT_VERBOSE, 1L);
  CHECK(transfer.end(::curl_easy_perform(transfer.handle()), site.options) == http::TransferEnd::done);
  CHECK(requests.front().size == size);
  return most;
}

}  // namespace

TEST_CASE("what may pass is asked for again, as often as the options say") {
  Answers answers;
  CHECK(value(answers.at("busy/3"), "k") == "0123456789abcdef");
  CHECK(answers.server.told().size() == 4);
  check_refused<StoreError>([&] { value(answers.at("busy/4"), "k", {1, 2}); },
                            {(answers.server.at("busy/4") + ": key \"k\": ").c_str(), "the server answered 503",
                             "at the last of 4 requests"});
  check_refused<StoreError>([&] { value(answers.at("busy/9", {.retries = 0}), "k"); }, {"the server answered 503"});
  CHECK(answers.server.told().size() == 5);
  CHECK(value(answers.at("cut/3"), "k") == "0123456789abcdef");
  check_refused<StoreError>([&] { value(answers.at("cut/9"), "k"); }, {"key \"k\"", "at the last of 4 requests"});
  CHECK(value(answers.at("header-cut/3"), "k") == "0123456789abcdef");
  check_refused<StoreError>([&] { value(answers.at("header-cut/9"), "k"); }, {"key \"k\"", "at the last of 4 requests"});
  check_refused<StoreError>([&] { value(answers.at("nonsense/-"), "k"); }, {"key \"k\""});
  for (std::string const status : {"408", "429", "500", "502", "503", "504"}) {
    answers.server.told();
    check_refused<StoreError>([&] { value(answers.at("status/" + status, {.retries = 1}), "k"); },
                              {"the server answered", status.c_str(), "2 requests"});
    CHECK(answers.server.told().size() == 2);
  }
}

TEST_CASE("a read without an answer is asked for a second time, if the program wishes, and one answer counts") {
  Answers answers;
  for (int i = 0; i < 20; ++i) test::put(answers.files, std::to_string(i), std::to_string(1000 + i));
  HttpOptions const hedged{.hedge_after = std::chrono::milliseconds{1}};
  for (std::string const mode : {"hedged/-", "hedged/second-fails"}) {
    CAPTURE(mode);
    answers.server.told();
    CHECK(value(answers.at(mode, hedged), "k") == "0123456789abcdef");
    CHECK(answers.server.told().size() >= 2);
    auto const store = answers.at(mode, hedged);
    std::vector<Key> keys;
    std::vector<std::string> found(20, "....");
    std::deque<std::function<ByteSpan<space::Host>(std::size_t)>> destinations;
    for (int i = 0; i < 20; ++i) keys.push_back({std::to_string(i)});
    std::vector<ReadRequest<space::Host>> requests;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto const& to = destinations.emplace_back([&found, i](std::size_t n) {
        REQUIRE(n == 4);
        return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(found[i].data()), n};
      });
      requests.push_back({&keys[i], {}, to});
    }
    Queue<space::Host> on;
    store.get_many(requests, on);
    for (std::size_t i = 0; i < keys.size(); ++i) CHECK(found[i] == std::to_string(1000 + i));
    CHECK(value(answers.at(mode, hedged), "none") == "(missing)");
  }
  answers.server.told();
  CHECK(value(answers.at("refused/9", hedged), "k") == "0123456789abcdef");
  CHECK(answers.server.told().size() == 2);  // no third, although the second failed at once
  check_refused<StoreError>([&] { value(answers.at("hedged-busy/40", hedged), "k"); },
                            {"the server answered 503", "at the last of 4 requests"});  // each was sent twice
  CHECK(answers.server.told().size() == 8);
  CHECK(value(answers.at("plain/-"), "k") == "0123456789abcdef");
  CHECK(answers.server.told().size() == 1);
  check_refused<StoreError>([&] { answers.at("plain/-", {.hedge_after = std::chrono::milliseconds{-1}}); },
                            {"hedge_after"});
}

TEST_CASE("a large value is received in large pieces, and a small one in little memory") {
  Answers answers;
  std::size_t const large = std::size_t{8} << 20;
  test::put(answers.files, "value", std::string(large, 'x'));
  auto const address = answers.server.at("plain/-");
  CHECK(most_received(address, large, {}) > std::size_t{17} << 10);
  CHECK(most_received(address, large, {large}) > std::size_t{17} << 10);
  CHECK(most_received(address, large, {large}) <= std::size_t{512} << 10);
  test::put(answers.files, "value", std::string(1000, 'x'));
  CHECK(most_received(address, 1000, {1000}) <= std::size_t{17} << 10);
}

// Counts its requests, and the bytes of their answers.
struct Counted final : http::Task {
  Counted(http::Site const& on, std::string const& key) : site{on}, of{key} {}
  http::Site const& site;
  Key const of;
  bool hedges = true;
  std::function<void()> told = [] {};
  int requests = 0;
  std::uint64_t bytes = 0;
  std::chrono::steady_clock::time_point begun{};

  Key const& key() const override { return of; }
  http::Request begin() override {
    ++requests, bytes = 0, begun = std::chrono::steady_clock::now();
    return {.url = site.url.of(of)};
  }
  bool take(http::Response const&, std::span<char const> some) override { return bytes += some.size(), true; }
  http::TaskEnd end(http::Response const&) override { return http::TaskEnd::done; }
  bool tell() override { return told(), false; }
  std::uint64_t most() const override { return ~std::uint64_t{0}; }
  bool may_hedge() const override { return hedges; }
};

TEST_CASE("an answer that lies ready is not asked for a second time") {
  using std::chrono::milliseconds;
  Answers answers;
  http::Site const site{answers.server.at("released/-"), {.hedge_after = milliseconds{1}}};
  Counted slow{site, "slow"}, quick{site, "quick"};
  slow.hedges = quick.hedges = false;
  quick.told = [&] {
    value(answers.at("released/-"), "now");  // then the answer of "slow" is here, and was not read
    while (std::chrono::steady_clock::now() - slow.begun < milliseconds{2}) continue;
    slow.hedges = true;
  };
  http::Task* const tasks[]{&slow, &quick};
  http::Batch batch;
  batch.run(site, tasks, {}, 64);
  CHECK(slow.requests == 1);
  CHECK(slow.bytes == 16);
}

TEST_CASE("a read is hedged after a percentile of the last answers' times, once there are enough of them") {
  using std::chrono::milliseconds;
  http::AnswerTimes times;
  for (int i = 1; i < 20; ++i) times.hear(milliseconds{i});
  CHECK_FALSE(times.percentile(95));
  for (int i = 20; i <= 100; ++i) times.hear(milliseconds{i});
  CHECK(times.percentile(95) == milliseconds{96});
  CHECK(times.percentile(1) == milliseconds{2});
  for (std::size_t i = 0; i < http::AnswerTimes::kept; ++i) times.hear(milliseconds{5});
  CHECK(times.percentile(99) == milliseconds{5});

  Answers answers;
  auto const requests = [&](std::string const& mode, std::size_t heard) {
    http::Site const site{answers.server.at(mode), {.hedge_percent = 95}};
    for (std::size_t i = 0; i < heard; ++i) site.answer_times.hear({});
    Counted task{site, "k"};
    http::Task* const tasks[]{&task};
    http::Batch batch;
    batch.run(site, tasks, {}, 64);
    CHECK(task.bytes == 16);
    return task.requests;
  };
  CHECK(requests("plain/-", http::AnswerTimes::needed - 1) == 1);
  CHECK(requests("hedged/-", http::AnswerTimes::needed) == 2);  // the first has no answer

  // Times of requests that are never hedged, such as writes, say nothing of reads.
  http::Site const other{answers.server.at("plain/-"), {}};
  for (bool const hedges : {false, true}) {
    for (std::size_t i = 0; i < http::AnswerTimes::needed; ++i) {
      Counted task{other, "k"};
      task.hedges = hedges;
      http::Task* const tasks[]{&task};
      http::Batch batch;
      batch.run(other, tasks, {}, 64);
    }
    CHECK(other.answer_times.percentile(95).has_value() == hedges);
  }
}

// Counts the requests that the site admits while the body of an answer arrives.
struct Counting final : http::Task {
  explicit Counting(http::Site const& on) : site{on} {}
  http::Site const& site;
  Key const of{"k"};
  std::optional<std::size_t> admitted{};

  Key const& key() const override { return of; }
  http::Request begin() override { return admitted.reset(), http::Request{.url = site.url.of(of)}; }
  bool take(http::Response const&, std::span<char const>) override {
    if (admitted) return true;
    for (admitted = 0; site.pace.take();) ++*admitted;
    for (std::size_t i = 0; i < *admitted; ++i) site.pace.give_back();
    return true;
  }
  http::TaskEnd end(http::Response const&) override { return http::TaskEnd::done; }
};

TEST_CASE("an answer that begins admits one more request, and none when it ends") {
  Answers answers;
  http::Site const site{answers.server.at("plain/-"), {.first_at_once = 1}};
  Counting counting{site};
  http::Task* const tasks[]{&counting};
  http::Batch batch;
  batch.run(site, tasks, {}, 64);
  CHECK(counting.admitted == 1);  // beside the one that is answered
  batch.run(site, tasks, {}, 64);
  CHECK(counting.admitted == 2);
  http::Site const closing{answers.server.at("closing/-"), {.first_at_once = 1}};
  Counting none{closing};
  http::Task* const of_closing[]{&none};
  batch.run(closing, of_closing, {}, 64);
  CHECK(none.admitted == 0);
}

TEST_CASE("an answer that breaks off halves the number of requests") {
  Answers answers;
  http::Site const site{answers.server.at("cut/1"), {.first_at_once = 8, .pause = std::chrono::milliseconds{1}}};
  Counting counting{site};
  http::Task* const tasks[]{&counting};
  http::Batch batch;
  batch.run(site, tasks, {}, 64);
  CHECK(counting.admitted == 4);  // of 8, and one more, the half, and one more; one is answered
}

TEST_CASE("what does not pass is asked for once") {
  Answers answers;
  for (std::string const status : {"201", "204", "206", "301", "304", "400", "401", "403", "416", "501"}) {
    CAPTURE(status);
    answers.server.told();
    check_refused<StoreError>([&] { value(answers.at("status/" + status), "k"); }, {"key \"k\""});
    CHECK(answers.server.told().size() == 1);
  }
}

TEST_CASE("which answers mean that a key is not there is the program's to say") {
  Answers answers;
  CHECK(value(answers.at("status/404"), "k") == "(missing)");
  CHECK(value(answers.at("status/410"), "k") == "(missing)");
  CHECK(value(answers.at("status/403", {.missing = {403, 404}}), "k") == "(missing)");
  check_refused<StoreError>([&] { value(answers.at("status/404", {.missing = {}}), "k"); }, {"the server answered 404"});
}

TEST_CASE("a program may be let in by a header") {
  Answers answers;
  CHECK(value(answers.at("token/-", {.headers = {"Authorization: Bearer open"}}), "k") == "0123456789abcdef");
  check_refused<StoreError>([&] { value(answers.at("token/-"), "k"); }, {"the server answered 401"});
  for (std::string const header : {"Authorization", "A: b\r\nC: d", "A: b\n"})
    check_refused<StoreError>([&] { answers.at("token/-", {.headers = {header}}); }, {"name: value"});
}

TEST_CASE("a value that is another one at the second try is an error, and so is half of one") {
  Answers answers;
  check_refused<StoreError>([&] { value(answers.at("changed/-"), "k"); }, {"key \"k\"", "changed while it was read"});
  CHECK(value(answers.at("gone/-"), "k") == "(missing)");
  check_refused<StoreError>([&] { value(answers.at("short/-"), "k", {2, 8}); }, {"1 bytes fewer"});
}

TEST_CASE("a Content-Range must be one, and of what was asked for") {
  Answers answers;
  auto const range = [&](std::string const& said) { return answers.at("range/" + said); };
  CHECK(value(range("bytes%200-15%2F16"), "k", {2, 3}) == "234");  // more than that
  for (std::string const wrong : {"bytes%200-15%2F%2A", "bytes%200-15", "0-15%2F16", "bytes%2015-0%2F16", "bytes%200-15%2F9",
                                  "bytes%20-%2F16", "bytes%200-18446744073709551615%2F16", "bytes%20*%2F16",
                                  "bytes%200-99999999999999999999%2F16", "bytes%200-15%2F16,%20bytes"}) {
    CAPTURE(wrong);
    check_refused<StoreError>([&] { value(range(wrong), "k", {2, 3}); }, {"key \"k\"", "Content-Range"});
  }
  check_refused<StoreError>([&] { value(range("bytes%203-15%2F16"), "k", {2, 3}); },
                            {"the server sent \"bytes 3-15/16\", expected 3 bytes from byte 2 on"});
  check_refused<StoreError>([&] { value(range("bytes%200-3%2F16"), "k", {2, 3}); }, {"expected 3 bytes"});
  check_refused<StoreError>([&] { value(answers.at("no-range/-"), "k", {2, 3}); }, {"Content-Range \"\""});
}

TEST_CASE("neither a redirection without an end, nor an answer without one, nor silence holds a program up") {
  Answers answers;
  check_refused<StoreError>([&] { value(answers.at("loop/-"), "k"); }, {"key \"k\"", "redirects"});
  CHECK(value(answers.at("endless/404"), "k") == "(missing)");
  check_refused<StoreError>([&] { value(answers.at("endless/403"), "k"); }, {"the server answered 403"});
  check_refused<StoreError>(
      [&] { value(answers.at("silent/-", {.patience = std::chrono::seconds{1}, .retries = 0}), "k"); }, {"key \"k\""});
}

TEST_CASE("of a body without an end or a length no more is read than its reader takes") {
  test::TemporaryFolder folder;
  LocalStore<HostBuffer> const files{folder.path().string()};
  test::HttpServer server{folder.path().string()};
  std::vector<std::int32_t> to(4000);
  auto const array = create_array<std::int32_t, 1>(files, "raw", {.shape = {4000}, .chunks = {500}});
  Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>> const shards{{.chunk_shape = {50}}};
  create_array<std::int32_t, 1>(files, "shards", {.shape = {500}, .chunks = {500}}, shards);
  auto const sent = [&] { return std::stoll(value(HttpStore{server.at("")}, "sent")); };
  constexpr long long most = 192 << 20;  // bytes: one document may have 64 MiB, and connections keep some

  HttpStore const store{server.at("endless-value/-")};
  check_refused<CodecError>([&] { open_array<std::int32_t, 1>(store, "raw").read(all, to); },
                            {"key \"raw/c/", "a response body of unknown length", "at most 2000"});
  check_refused<CodecError>(
      [&] {
        open_array<std::int32_t, 1>(PrefixStore{store, "raw"}, "").read(all, to);
      },
      {"key \"raw/c/", "at most 2000"});
  check_refused<CodecError>([&] { open_array<std::int32_t, 1>(AnyStore<HostBuffer>{store}, "raw").read(all, to); },
                            {"key \"raw/c/", "at most 2000"});
  check_refused<MetadataError>([&] { open_any(store, "missing", Queue<space::Host>{}); }, {"key \"missing"});
  char memory[4];
  test::HostQueue on;
  auto const four = [&](ByteRange range) {
    return get_into(store, {"k"}, {reinterpret_cast<std::byte*>(memory), 4}, on, range);
  };
  check_refused<StoreError>([&] { four({}); }, {"key \"k\"", "does not fit into the 4 bytes"});
  CHECK(four({1000, 4}) == 4U);
  CHECK(sent() < most);
  // The last bytes of a shard, where its index is, are known at its end: none of the rest is kept.
  to.resize(500);
  check_refused<StoreError>([&] { open_array<std::int32_t, 1, AllCodecs>(store, "shards").read(all, to); },
                            {"key \"shards/c/0\"", "without announcing their number"});
}

TEST_CASE("what is kept of a body without a length are the bytes that are wanted") {
  std::string const text = [] {
    std::string made;
    for (int i = 0; made.size() < 100'000; ++i) made += std::to_string(i) + ' ';
    return made;
  }();
  auto const kept = [&](ByteRange range, std::size_t piece) {
    http::UnsizedBody body;
    body.begin(range);
    std::uint64_t most = 0;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      body.add({text.data() + at, std::min(piece, text.size() - at)});
      most = std::max(most, body.kept());
    }
    auto const [offset, size] = range.resolve(body.size());
    std::string result(size, ' ');
    body.copy(offset, {reinterpret_cast<std::byte*>(result.data()), result.size()});
    CHECK(result == text.substr(offset, size));
    CHECK(body.is_complete() == (!range.from_end && range.size < text.size()));
    return most;
  };
  for (std::size_t const piece : {1000U, 16384U, 50'000U}) {
    CAPTURE(piece);
    CHECK(kept({}, piece) == text.size());
    CHECK(kept({70'000, 500}, piece) == 500);
    CHECK(kept({0, 40'000}, piece) == 40'000);
    CHECK(kept({3, 0}, piece) == 0);
    CHECK(kept(ByteRange::suffix(10), piece) <= 10 + 2 * http::UnsizedBody::block);
    CHECK(kept(ByteRange::suffix(50'000), piece) <= 50'000 + 2 * http::UnsizedBody::block);
    CHECK(kept(ByteRange::suffix(200'000), piece) == text.size());
  }
}

TEST_CASE("a server that sends a byte now and then does not hold a read up") {
  using std::chrono::seconds;
  Answers answers;
  HttpOptions const hasty{.patience = seconds{1}, .retries = 0};
  check_refused<StoreError>([&] { value(answers.at("drip/2000", hasty), "k"); }, {"key \"k\""});
  check_refused<StoreError>([&] { value(answers.at("drip-header/-", hasty), "k"); }, {"key \"k\""});
}

TEST_CASE("a read that waits for a server ends when it is told to stop") {
  Answers answers;
  create_array<std::int32_t, 1>(answers.files, "raw", {.shape = {4000}, .chunks = {500}});
  HttpOptions const patient{.patience = std::chrono::hours{1}, .least_rate = 1, .retries = 1000};
  std::atomic<bool> stop{false};
  std::vector<std::int32_t> to(4000);
  auto const array = open_array<std::int32_t, 1>(PrefixStore{answers.at("drip/2000", patient), "raw"}, "");
  std::thread stops{[&] {
    value(HttpStore{answers.server.at("")}, "under-way");
    stop = true;
  }};
  CHECK_THROWS_AS(array.read(all, to, ReadOptions{.stop = &stop}), Cancelled);
  stops.join();
}

TEST_CASE("a call that waits for requests of another thread ends when any of its reads is told to stop") {
  Answers answers;
  auto const store =
      answers.at("drip/2000", {.most_at_once = 1, .patience = std::chrono::hours{1}, .least_rate = 1, .retries = 0});
  HttpStore const control{answers.server.at("")};
  test::Bytes memory(2000);
  auto destination = [&](std::size_t n) { return ByteSpan<space::Host>{memory.data(), n}; };
  std::atomic<bool> ends{false}, never{false}, stop{false};
  std::thread other{[&] {
    test::HostQueue on;
    CHECK_THROWS_AS(store.read({"k"}, {}, {destination, ReadLimits{.stop = &ends}}, on), Cancelled);
  }};
  value(control, "under-way");
  std::thread stops{[&] {
    value(control, "under-way");
    stop = true;
  }};
  Key const first{"k"}, second{"l"};
  std::vector<ReadRequest<space::Host>> requests{{&first, {}, {destination, ReadLimits{.stop = &never}}},
                                                 {&second, {}, {destination, ReadLimits{.stop = &stop}}}};
  test::HostQueue on;
  CHECK_THROWS_AS(store.get_many(requests, on), Cancelled);
  ends = true;
  stops.join();
  other.join();
}

TEST_CASE("what stands before a header or behind a body is none of it") {
  Answers answers;
  CHECK(value(answers.at("trailer/-"), "k", {2, 3}) == "234");
}

TEST_CASE("an encoding that nobody asked for is an error") {
  Answers answers;
  check_refused<StoreError>([&] { value(answers.at("encoded/-"), "k"); },
                            {"key \"k\"", "Content-Encoding \"gzip\", expected none"});
}

TEST_CASE("nobody is there") {
  std::string address;
  {
    Answers answers;
    address = answers.server.at("plain/-");
  }
  HttpOptions options;
  options.pause = std::chrono::milliseconds{1};
  check_refused<StoreError>([&] { value(HttpStore{address, options}, "k"); },
                            {(address + ": key \"k\": ").c_str(), "at the last of 4 requests"});
  check_refused<StoreError>([&] { value(HttpStore{"http://no-such-host.invalid/a", {.retries = 0}}, "k"); },
                            {"http://no-such-host.invalid/a: key \"k\": "});
}

TEST_CASE("addresses that are none, and secrets that no message shows") {
  for (std::string const wrong : {"", "secret", "s3://secret/a", "ftp://host/secret", "http://", "https:///secret",
                                  "https://a secret", "https://host/secret#b", "https://host/\xc3\xbc", "https://host/a?b c",
                                  "user:secret@host/a", "https:/user:secret@host", "//user:secret@host",
                                  "https://user:sec/secret@host", "https://user:s?secret@host", "https://[::1]:secret"}) {
    CAPTURE(wrong);
    auto const error = test::error_of([&] { HttpStore{wrong}; });
    CHECK(error.find("expected") != error.npos);
    CHECK(error.find("secret") == error.npos);
  }
  CHECK(HttpStore{"https://user:pass@host:1/a/b//?key=secret"}.name() == "https://host:1/a/b");
  CHECK(HttpStore{"HTTPS://host/a@b"}.name() == "HTTPS://host/a@b");
  CHECK(HttpStore{"https://user@host"}.name() == "https://host");
  CHECK(HttpStore{"http://user:1@[::1]:80/a"}.name() == "http://[::1]:80/a");
}

TEST_CASE("a SIGPIPE of a connection is taken back, and another one stays, whether or not the thread blocks it") {
  sigset_t pipe, before;
  ::sigemptyset(&pipe), ::sigaddset(&pipe, SIGPIPE);
  auto const is_pending = [] {
    sigset_t pending;
    ::sigpending(&pending);
    return ::sigismember(&pending, SIGPIPE) == 1;
  };
  auto const send = [] { ::pthread_kill(::pthread_self(), SIGPIPE); };
  {
    http::QuietPipes const quiet;
    send();  // it would end this program
    http::QuietPipes const nested;
    send();
  }
  CHECK_FALSE(is_pending());
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  {
    http::QuietPipes const quiet;
    send();
  }
  CHECK_FALSE(is_pending());
  send();
  {
    http::QuietPipes const quiet;
    send();
  }
  CHECK(is_pending());
  timespec const now{};
  CHECK(::sigtimedwait(&pipe, nullptr, &now) == SIGPIPE);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("options that are none") {
  using std::chrono::seconds;
  auto const refuses = [](HttpOptions const& options, char const* word) {
    check_refused<StoreError>([&] { HttpStore("https://host", options); }, {"https://host: ", word});
  };
  refuses({.most_at_once = 0}, "most_at_once");
  refuses({.first_at_once = 0}, "first_at_once");
  refuses({.least_rate = 0}, "least_rate");
  refuses({.hedge_percent = 100}, "hedge_percent");
  refuses({.headers = {std::string{"A: b\0c", 6}}}, "name: value");
  refuses({.certificates = std::string{"a\0b", 3}}, "zero byte");
  for (auto const& address : {std::string{"https://host/a\0b", 16}, std::string{"https://host/a%00b"}})
    check_refused<StoreError>([&] { HttpStore{address}; }, {"zero byte"});
  check_refused<StoreError>([&] { value(HttpStore{"https://host"}, std::string{"a\0b", 3}); }, {"zero byte"});
  for (auto const patience : {seconds{0}, seconds{-1}, seconds::max()}) refuses({.patience = patience}, "patience");
  refuses({.pause = std::chrono::milliseconds{-1}}, "pause");
  refuses({.pause = std::chrono::milliseconds::min()}, "pause");
  refuses({.patience = seconds{1}, .pause = seconds{2}}, "pause");
}

TEST_CASE("what a destination throws is thrown, and the next read goes well") {
  Answers answers;
  test::HostQueue on;
  auto const store = answers.at("plain/-");
  auto destination = [](std::size_t) -> ByteSpan<space::Host> { throw std::domain_error{"no room"}; };
  CHECK_THROWS_AS(store.read({"k"}, {}, destination, on), std::domain_error);
  CHECK(get_value(store, {"k"}, on)->view().size == 16);
  char memory[4];
  check_refused<StoreError>([&] { get_into(store, {"k"}, {reinterpret_cast<std::byte*>(memory), 4}, on); }, {"16 bytes"});
}

}  // namespace http_tests
