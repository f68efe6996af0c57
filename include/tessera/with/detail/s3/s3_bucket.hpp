// s3::Bucket: reading, writing and locking of a bucket's values, for S3Stores of every buffer.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/with/detail/curl/curl_batch.hpp>
#include <tessera/with/detail/curl/curl_plan.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>
#include <tessera/with/detail/s3/s3_blocks.hpp>
#include <tessera/with/detail/s3/s3_call.hpp>
#include <tessera/with/detail/s3/s3_folder_locks.hpp>
#include <tessera/with/detail/s3/s3_list.hpp>
#include <tessera/with/detail/s3/s3_read.hpp>
#include <tessera/with/detail/s3/s3_settings.hpp>
#include <tessera/with/detail/s3/s3_site.hpp>
#include <tessera/with/detail/s3/s3_upload.hpp>
#include <tessera/with/detail/s3/s3_versions.hpp>
#include <tessera/with/detail/s3/s3_write.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// Shared by the copies of a store.
class Bucket {
  using Host = space::Host;

 public:
  explicit Bucket(Settings settings) : site_{std::move(settings)}, folders_{site_} {}

  Site const& site() const { return site_; }
  HeldKeys& keys() { return keys_; }
  ValueWatch watch() { return watches_.watch(); }

  void get_many(std::span<ReadRequest<Host>> requests, Queue<Host>& on) {
    auto const plan = on.lease<http::ReadPlan>();
    std::deque<ReadTask> reads;  // whose addresses do not change
    plan->plan(requests, [&](http::Asked const& asked) { reads.emplace_back(site_, keys_, watches_, asked); });
    std::vector<http::Task*> tasks;
    for (auto& read : reads) tasks.push_back(&read);
    on.lease<http::Batch>()->run(site_.web(), tasks, plan->stops(), share(on));
  }

  std::optional<std::uint64_t> size(Key const& key) {
    auto const found = head(key);
    if (found && !found->first) throw StoreError{"the server does not say how many bytes the value has"};
    return found ? found->first : std::nullopt;
  }

  /// Small values at once, then large ones.
  void write_many(std::span<WriteRequest<Host> const> requests, Queue<Host>& on) {
    if (requests.empty()) return;
    for (auto const& request : requests) begin_writing(*request.key);
    auto const mutexes = lock_all(requests);
    auto const batch = on.lease<http::Batch>();
    std::deque<PutTask> puts;
    std::vector<http::Task*> tasks;
    std::vector<Stop> stops;
    for (auto const& [key, value, slab, stop] : requests) {
      if (value.size > site_.settings().multipart_above) continue;
      at(*key, [&, &key = key, &value = value] {
        puts.emplace_back(site_, *key, value, condition_of(site_, keys_, *key), site_.unique());
      });
      tasks.push_back(&puts.back());
      if (stop && std::ranges::find(stops, stop) == stops.end()) stops.push_back(stop);
    }
    batch->run(site_.web(), tasks, stops, share(on));
    for (auto const& put : puts)
      at(put.key(), [&] {
        put.expect_written();
        keys_.wrote(put.key(), put.version());
        if (!site_.settings().one_writer) folders_.renew(put.key());  // the writes may have taken longer than the lease
      });
    for (auto const& [key, value, slab, stop] : requests) {
      if (value.size <= site_.settings().multipart_above) continue;
      at(*key, [&, &key = key, &value = value, &stop = stop] {
        auto const condition = condition_of(site_, keys_, *key);
        auto const in_parts = site_.kind() == Kind::azure ? &upload_blocks : &upload;
        keys_.wrote(*key, in_parts(site_, *batch, *key, value, condition, site_.unique(), stop, share(on)));
        if (!site_.settings().one_writer) folders_.renew(*key);
      });
    }
  }

  /// Returns whether it was there.
  bool erase(Key const& key) {
    begin_writing(key);
    auto condition = condition_of(site_, keys_, key);
    auto const found = head(key);
    Version const now = found ? found->second : Version{};
    if (condition && *condition != now) throw ValueChanged{};
    if (!found) return false;
    // A server may not know conditions here; then the comparison above has to be enough.
    auto const erase = [&](Condition const& if_it_is, std::vector<long> expected) {
      Ask ask{.method = "DELETE", .path = site_.path_of(key.path)};
      add_condition(site_.kind(), ask.headers, if_it_is);
      return call(site_, key, std::move(ask), std::move(expected)).status();
    };
    auto const status = condition ? erase(condition, {200, 204, 404, 412, 501}) : erase({}, {200, 204, 404});
    if (status == 412) throw ValueChanged{};
    if (status == 501) erase({}, {200, 204, 404});
    keys_.wrote(key, Version{});
    return true;
  }

  /// Erases keys that no other program changes meanwhile, a thousand with a request. Those that are missing are left
  /// out.
  void erase_many(std::span<Key const> keys) {
    constexpr std::size_t most = 1000;
    while (!keys.empty()) {
      begin_writing(keys.front());
      auto const some = keys.first(std::min(most, keys.size()));
      keys = keys.subspan(some.size());
      if (site_.kind() != Kind::amazon) {
        erase_each(some);
        continue;
      }
      std::string list = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>";
      for (auto const& key : some) list += "<Object><Key>" + escaped(site_.path_of(key.path)) + "</Key></Object>";
      list += "</Delete>";
      auto const answer = call(site_, some.front(),
                               {.method = "POST",
                                .query = {{"delete", ""}},
                                .headers = {{"x-amz-checksum-sha256", base64(sha256(list.data(), list.size()))},
                                            {"x-amz-sdk-checksum-algorithm", "SHA256"}},
                                .body = {reinterpret_cast<std::byte const*>(list.data()), list.size()}},
                               {200, 400, 404, 405, 501}, Sent::until_answered, nullptr, ErrorInside::is_answer);
      if (answer.status() != 200) {  // the server knows no such request
        erase_each(some);
        continue;
      }
      std::string_view rest = answer.body();
      std::vector<Key> again;
      while (auto const error = xml::take(rest, "Error")) {
        auto const code = xml::text_of(*error, "Code");
        if (code == "NoSuchKey") continue;
        auto const key = std::ranges::find(some, xml::text_of(*error, "Key"),
                                           [&](Key const& one) { return site_.path_of(one.path); });
        if (key != some.end() && is_passing(site_, 0, code)) {
          again.push_back(*key);
          continue;
        }
        StoreError refused{"the server did not erase it:" + explained(site_, answer.response(), *error)};
        if (key != some.end()) refused.in_key(key->path);
        throw refused;
      }
      if (!again.empty()) erase_each(again);
    }
  }

  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop) {
    if (site_.settings().one_writer) return keys_.threads().lock_folder(path, sharing, stop);
    expect_conditions();
    return folders_.lock(path, sharing, stop);
  }

 private:
  // All requests are under way at once.
  void erase_each(std::span<Key const> keys) {
    std::deque<CallTask> erasures;
    std::vector<http::Task*> tasks;
    for (auto const& key : keys) {
      erasures.emplace_back(site_, key, Ask{.method = "DELETE", .path = site_.path_of(key.path)},
                            std::vector<long>{200, 204, 404});
      tasks.push_back(&erasures.back());
    }
    site_.run(tasks);
  }

  template <class F>
  static void at(Key const& key, F&& f) try {
    f();
  } catch (Error& error) {
    error.in_key(key.path);
    throw;
  }

  std::size_t share(Queue<Host> const& on) const {
    return std::max<std::size_t>(site_.settings().http.most_at_once / on.threads(), 1);
  }

  // Size and version; nullopt: there is no such key.
  std::optional<std::pair<std::optional<std::uint64_t>, Version>> head(Key const& key) {
    auto expected = site_.settings().http.missing;
    expected.push_back(200);
    auto const answer = call(site_, key, {.method = "HEAD", .path = site_.path_of(key.path)}, std::move(expected));
    bool const is_there = answer.status() == 200;
    auto const version = is_there ? version_of(site_.kind(), answer.response()) : std::optional{Version{}};
    keys_.saw(key, version);
    if (!is_there) return std::nullopt;
    return std::pair{answer.response().length, version.value_or(Version{})};
  }

  // Waits for threads that change these keys. Afterwards, conditions keep updates apart; for one writer without them
  // locks do: of several, in order of their numbers.
  std::vector<std::unique_lock<std::mutex>> lock_all(std::span<WriteRequest<Host> const> requests) {
    std::vector<std::unique_lock<std::mutex>> held;
    if (keys_.of_mine(*requests.front().key)) return held;
    if (!site_.settings().one_writer) {
      for (auto const& request : requests) keys_.wait_for(*request.key, request.stop);
      return held;
    }
    std::vector<WriteRequest<Host> const*> sorted;
    for (auto const& request : requests) sorted.push_back(&request);
    auto const number = [](auto const* request) { return KeyLocks::number(*request->key); };
    std::ranges::sort(sorted, {}, number);
    auto const is_same = [&](auto const* a, auto const* b) { return number(a) == number(b); };
    sorted.erase(std::unique(sorted.begin(), sorted.end(), is_same), sorted.end());
    for (auto const* request : sorted) held.push_back(keys_.threads().lock(*request->key, request->stop));
    return held;
  }

  void begin_writing(Key const& key) {
    if (site_.settings().one_writer) return;
    expect_conditions();
    folders_.renew(key);
  }

  // Tries, once, whether the server keeps to conditions.
  void expect_conditions() {
    if (keeps_conditions_) return;
    std::lock_guard lock{mutex_};
    if (keeps_conditions_) return;
    Key const key{to_text({hidden, "probe-", site_.unique()})};
    auto const put = [&](Condition const& condition, std::vector<long> expected) {
      constexpr std::byte text[]{std::byte{'t'}};
      Ask ask{.method = "PUT", .path = site_.path_of(key.path), .body = {text, 1}};
      add_condition(site_.kind(), ask.headers, condition);
      return call(site_, key, std::move(ask), std::move(expected)).status();
    };
    std::vector<long> const any{200, 400, 404, 405, 409, 412, 501};
    Version const none{site_.kind() == Kind::google ? "1" : "\"0123456789abcdef0123456789abcdef\""};
    auto const erase = [&] {
      call(site_, key, {.method = "DELETE", .path = site_.path_of(key.path)}, {200, 204, 404});
    };
    bool keeps = false;
    try {
      put(Version{}, {200, 412});  // 412: the answer to the first try was lost
      keeps = put(Version{}, any) == 412 && put(none, any) == 412;
    } catch (...) {
      try {
        erase();
      } catch (...) {  // the first error counts
      }
      throw;
    }
    erase();
    if (!keeps)
      throw StoreError{
          "the server ignores the conditions of writes, If-None-Match and If-Match, so that one writer "
          "would undo another's work; if there is only one program that writes, set "
          "S3Options::one_writer"};
    keeps_conditions_ = true;
  }

  static std::string escaped(std::string_view text) {
    std::string result;
    for (char const c : text) {
      if (c == '&' || c == '<' || c == '>' || static_cast<unsigned char>(c) < ' ')
        result += to_text({"&#", static_cast<unsigned>(static_cast<unsigned char>(c)), ";"});
      else
        result += c;
    }
    return result;
  }

  Site const site_;
  HeldKeys keys_;
  Watches watches_;
  FolderLocks folders_;
  std::mutex mutex_;
  std::atomic<bool> keeps_conditions_{false};
};

}  // namespace s3
}}  // namespace tessera::v0
