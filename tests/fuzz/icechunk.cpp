// Any tables as the files of an Icechunk repository: they are refused, or lead to keys and references that can be read.
// The first four bytes have the sizes of the repository's and the snapshot's tables; the rest is a manifest's.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/get.hpp>
#include <tessera/with/icechunk.hpp>

using namespace tessera;

namespace {

/// Whatever id a snapshot or manifest has, this is its content.
struct Repository {
  using buffer_type = HostBuffer;
  std::string repo, snapshot, manifest;

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>&) const {
    auto const* const value = key.path == "repo"                     ? &repo
                              : key.path.starts_with("snapshots/") ? &snapshot
                              : key.path.starts_with("manifests/") ? &manifest
                                                                   : nullptr;
    if (!value || value->empty()) return std::nullopt;
    auto const [offset, size] = range.resolve(value->size());
    auto const to = destination(size);
    if (size > 0) std::memcpy(to.data, value->data() + offset, size);
    return size;
  }
};

std::string file(detail::IcechunkFile type, std::string const& content) {
  std::string const header("ICE\xF0\x9F\xA7\x8A" "CHUNK");
  return header + std::string(24, ' ') + '\2' + static_cast<char>(type) + std::string(1, '\0') + content;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 4) return 0;
  std::string const all(reinterpret_cast<char const*>(data) + 4, size - 4);
  auto const first = std::min<std::size_t>(all.size(), data[0] | std::size_t{data[1]} << 8);
  auto const second = std::min<std::size_t>(all.size() - first, data[2] | std::size_t{data[3]} << 8);
  using enum detail::IcechunkFile;
  Repository const files{first == 0 ? "" : file(repository, all.substr(0, first)),
                         file(snapshot, all.substr(first, second)),
                         file(manifest, all.substr(first + second))};
  try {
    Queue<space::Host> on;
    auto const store = open_icechunk(files, {.snapshot = first == 0 ? "S" : ""});
    std::string some;
    store.list("", [&](Listed const& entry) {
      if (!detail::is_key(entry.path)) std::abort();
      if (some.empty()) some = entry.path;
    });
    if (!some.empty()) (void)get_value(store, {some}, on);
  } catch (MetadataError const&) {
  } catch (StoreError const&) {
  }
  return 0;
}
