// Any bytes as a zip file in a store: it is refused, or its keys are keys, and each value is an error or has its size.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/zip.hpp>

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Queue<space::Host> on;
  MemoryStore<HostBuffer> const files;
  files.write({"a.zip"}, {reinterpret_cast<std::byte const*>(data), size}, on);
  try {
    ZipStore const store{files, {"a.zip"}};
    std::vector<std::pair<std::string, std::uint64_t>> found;
    store.list("", [&](Listed const& entry) { found.emplace_back(entry.path, entry.size); });
    for (auto const& [path, expected] : found) {
      if (!detail::is_key(path) || store.size({path}, on) != expected) std::abort();
      try {
        if (expected > 8) (void)get_value(store, {path}, on, {1, 7});
        if (auto const value = get_value(store, {path}, on); !value || value->view().size != expected) std::abort();
      } catch (StoreError const&) {
      }
    }
  } catch (StoreError const&) {
  }
  return 0;
}
