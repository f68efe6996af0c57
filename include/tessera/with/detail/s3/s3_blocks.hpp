// s3::upload_blocks: writes a large value at Azure block by block; the value appears when its list of blocks is there.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/with/detail/curl/curl_batch.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>
#include <tessera/with/detail/s3/s3_call.hpp>
#include <tessera/with/detail/s3/s3_sign.hpp>
#include <tessera/with/detail/s3/s3_site.hpp>
#include <tessera/with/detail/s3/s3_upload.hpp>
#include <tessera/with/detail/s3/s3_versions.hpp>
#include <tessera/with/detail/s3/s3_write.hpp>
#include <tessera/with/detail/s3/s3_xml.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// Bytes of each block but the last: as for parts, but Azure takes at most 4000 MiB.
inline std::uint64_t block_size(std::uint64_t size, std::uint64_t wanted) {
  return part_size(size, std::min(wanted, std::uint64_t{4000} << 20));
}

/// Puts a list of blocks in the value's place. Another write meanwhile discards the blocks.
class BlockListTask final : public ConditionalTask {
 public:
  using ConditionalTask::ConditionalTask;

 private:
  bool is_lost(long status) const override {
    return status == 400 && xml::text_of(body(), "Code") == "InvalidBlockList";
  }
};

/// Returns the version of the value written. Azure discards the blocks of an upload that failed after a week. Throws:
/// StoreError; ValueChanged, also without a condition if another program wrote the value meanwhile; Cancelled.
inline std::optional<Version> upload_blocks(Site const& site, http::Batch& batch, Key const& key,
                                            ByteView<space::Host> value, Condition const& condition,
                                            std::string const& mark, Stop stop, std::size_t most_at_once) {
  std::span<Stop const> const stops{&stop, stop ? 1U : 0U};
  auto const run = [&](std::span<http::Task* const> tasks) { batch.run(site.web(), tasks, stops, most_at_once); };
  auto const path = site.path_of(key.path);
  auto const size = block_size(value.size, site.settings().part_bytes);
  // Names of equal length, as Azure requires, which no other upload has: base64, as they are sent.
  auto const prefix = base64(sha256(mark.data(), mark.size())).substr(0, 20);
  std::string list = "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>";
  std::deque<CallTask> blocks;
  std::vector<http::Task*> tasks;
  for (std::uint64_t at = 0; at < value.size; at += size) {
    auto const number = std::to_string(blocks.size());
    auto const name = prefix + std::string(4 - number.size(), '0') + number;
    blocks.emplace_back(site, key,
                        Ask{.method = "PUT",
                            .path = path,
                            .query = {{"comp", "block"}, {"blockid", name}},
                            .body = value.sub(at, std::min<std::uint64_t>(size, value.size - at))},
                        std::vector<long>{200});
    tasks.push_back(&blocks.back());
    list += "<Latest>" + name + "</Latest>";
  }
  run(tasks);
  list += "</BlockList>";
  Ask ask{.method = "PUT",
          .path = path,
          .query = {{"comp", "blocklist"}},
          .headers = {{std::string{site.names().mark}, mark}},
          .body = {reinterpret_cast<std::byte const*>(list.data()), list.size()}};
  add_condition(site.kind(), ask.headers, condition);
  BlockListTask complete{site, key, std::move(ask), condition, mark};
  http::Task* last = &complete;
  run({&last, 1});
  complete.expect_written();
  return complete.version();
}

}  // namespace s3
}}  // namespace tessera::v0
