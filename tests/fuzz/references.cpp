// Any text as a references file: it is refused, or its keys are keys and its values can be read and listed.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tessera/store/get.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/references.hpp>

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  try {
    auto const found = detail::References::parse(text, "/folder");
    Queue<space::Host> on;
    MemoryStore<HostBuffer> const files;
    ReferenceStore const store{text, [&](std::string const&) { return AnyStore<HostBuffer>{files}; }, "/folder"};
    for (auto const& [key, reference] : found.values()) {
      if (!detail::is_key(key)) std::abort();
      if (reference.file && *reference.file >= found.files().size()) std::abort();
      if (reference.size && reference.offset + *reference.size < reference.offset) std::abort();
      try {
        auto const value = get_value(store, {key}, on);
        if (!reference.file && (!value || value->view().size != reference.bytes.size())) std::abort();
        if (reference.file) std::abort();  // its file is missing
      } catch (StoreError const&) {
        if (!reference.file) std::abort();
      }
    }
    for (auto const& [folder, key] : found.files())
      if (!detail::is_key(key)) std::abort();
  } catch (MetadataError const&) {
  } catch (StoreError const&) {
  }
  return 0;
}
