// Any bytes as the FlatBuffers of an Icechunk snapshot and its manifests: refused, or a store whose keys are keys.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/store/get.hpp>
#include <tessera/with/icechunk.hpp>

using namespace tessera;

namespace {

// Every manifest is the same, whatever its id.
struct Repository {
  using buffer_type = HostBuffer;
  std::string snapshot, manifest;

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>&) const {
    bool const is_snapshot = key.path == "snapshots/S";
    if (!is_snapshot && !key.path.starts_with("manifests/")) return std::nullopt;
    auto const& value = is_snapshot ? snapshot : manifest;
    auto const [offset, size] = range.resolve(value.size());
    auto const to = destination(size);
    if (size != 0) std::memcpy(to.data, value.data() + offset, size);
    return size;
  }
};

// Of format 1, not compressed.
std::string file_of(char type, std::string_view content) {
  return "ICE\xF0\x9F\xA7\x8A"
         "CHUNK" +
         std::string(24, ' ') + '\1' + type + '\0' + std::string{content};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view const text{reinterpret_cast<char const*>(data) + 2, size - 2};
  auto const cut = std::min<std::size_t>(text.size(), data[0] + std::size_t{256} * data[1]);
  try {
    auto const store = open_icechunk(Repository{file_of('\1', text.substr(0, cut)), file_of('\2', text.substr(cut))},
                                     {.snapshot = "S"});
    Queue<space::Host> on;
    store.list("", [&](Listed const& one) {
      if (!detail::is_key(one.path)) std::abort();
      try {
        (void)get_value(store, {std::string{one.path}}, on);
      } catch (StoreError const&) {  // the chunk's file is missing
      }
    });
  } catch (MetadataError const&) {
  } catch (StoreError const&) {
  }
  return 0;
}
