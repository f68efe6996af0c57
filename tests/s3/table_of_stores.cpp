// What each store can do, as docs/stores.md says: the page's table is made from the concepts.
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <tessera/store/cached_store.hpp>
#include <tessera/store/detail/routed_check.hpp>
#include <tessera/store/disk_cached_store.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/curl.hpp>
#include <tessera/with/references.hpp>
#include <tessera/with/s3.hpp>
#include <tessera/with/writable_zip.hpp>
#include <tessera/with/zip.hpp>

using namespace tessera;

namespace {

std::string cell(bool is) { return is ? " yes |" : " |"; }

template <class S>
std::string row(std::string_view name) {
  return "| `" + std::string{name} + "` |" + cell(WritableStore<S>) + cell(AppendableStore<S>) + cell(ListableStore<S>) +
         cell(detail::HasLock<S>) + cell(detail::HasFolderLock<S>) + cell(detail::HasWatch<S>) +
         cell(LendingStore<S>) + "\n";
}

TEST_CASE("docs/stores.md says what each store can do") {
  using Local = LocalStore<HostBuffer>;
  auto const table = row<Local>("LocalStore") + row<MemoryStore<HostBuffer>>("MemoryStore") +
                     row<S3Store<HostBuffer>>("S3Store") + row<WritableZipStore>("WritableZipStore") +
                     row<ZipStore>("ZipStore") + row<HttpStore>("HttpStore") + row<ReferenceStore>("ReferenceStore") +
                     row<CachedStore<Local>>("CachedStore") + row<DiskCachedStore<HttpStore>>("DiskCachedStore");
  std::stringstream page;
  page << std::ifstream{"docs/stores.md"}.rdbuf();
  CAPTURE(table);
  CHECK(page.str().find(table) != std::string::npos);
}

}  // namespace
