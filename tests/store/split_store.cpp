#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;

TEST_CASE("a SplitStore's values are those of its second half") {
  Memory const documents, chunks;
  SplitStore const store{documents, chunks};
  test::put(documents, "k", "document");
  test::put(chunks, "k", "chunk");
  CHECK(test::value(store, "k") == "chunk");
  CHECK(test::value(metadata_of(store), "k") == "document");
  CHECK(test::value(store.chunk_store(), "k") == "chunk");
  test::put(store, "new", "x");
  CHECK(test::value(chunks, "new") == "x");
  CHECK(test::value(documents, "new") == "(missing)");
  CHECK(test::erase(store, "k"));
  CHECK(test::value(documents, "k") == "document");
}

TEST_CASE("a SplitStore lists both halves") {
  Memory const documents, chunks;
  SplitStore const store{documents, chunks};
  test::put(documents, "t1/zarr.json", "{}");
  test::put(chunks, "t1/c/0", "x");
  CHECK(test::listed(store, "t1") == std::vector<std::string>{"t1/c/0:1", "t1/zarr.json:2"});
}

TEST_CASE("a store that is not split is where its own documents are") {
  Memory const store;
  CHECK(&metadata_of(store) == &store);
}
