#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/local_store.hpp>

using namespace tessera;

static_assert(Buffer<MappedBuffer> && !AllocatableBuffer<MappedBuffer>);

namespace {

std::string numbers() {
  std::string all;
  for (int i = 0; all.size() < 20'000; ++i) all += std::to_string(i) + ' ';
  return all;
}

struct Fixture {
  test::TemporaryFolder folder;
  LocalStore<HostBuffer> store{folder.path().string()};
  std::string const value = numbers();
  Fixture() { test::put(store, "a/k", value); }
  std::string mapped(ByteRange range) const {
    auto const buffer = store.map({"a/k"}, range);
    REQUIRE(buffer);
    return test::text(buffer->view());
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a value is mapped whole and in ranges that begin anywhere") {
  CHECK(mapped({}) == value);
  for (std::uint64_t offset : {0u, 1u, 7u, 4095u, 4096u, 4097u, 12'345u}) {
    CAPTURE(offset);
    CHECK(mapped({offset}) == value.substr(offset));
    CHECK(mapped({offset, 5}) == value.substr(offset, 5));
    CHECK(mapped({offset, 5000}) == value.substr(offset, 5000));
  }
  CHECK(mapped(ByteRange::suffix(10)) == value.substr(value.size() - 10));
  CHECK(mapped({3, 0}) == "");
  CHECK(mapped({value.size(), 5}) == "");
  CHECK_FALSE(store.map({"missing"}));
  CHECK_FALSE(store.map({"a"}));
  test::put(store, "empty", "");
  CHECK(store.map({"empty"})->view().size == 0);
  test::check_refused<StoreError>([&] { store.map({"a/k"}, {value.size() + 1}); }, {"key \"a/k\"", "begins at byte"});
  test::check_refused<StoreError>([&] { store.map({"../k"}); }, {"not a key"});
}

TEST_CASE_FIXTURE(Fixture, "a mapped value stays what it is when the key is written or erased") {
  auto const before = store.map({"a/k"}, {10, 1000});
  test::put(store, "a/k", "new");
  CHECK(test::text(store.map({"a/k"})->view()) == "new");
  test::erase(store, "a/k");
  CHECK(test::text(before->view()) == value.substr(10, 1000));
}

TEST_CASE_FIXTURE(Fixture, "a moved-from mapped buffer is empty") {
  auto first = *store.map({"a/k"}, {5, 10});
  MappedBuffer second{std::move(first)};
  CHECK(first.view().data == nullptr);  // NOLINT(bugprone-use-after-move)
  CHECK(first.view().size == 0);
  auto third = *store.map({"a/k"});
  third = std::move(second);
  CHECK(test::text(third.view()) == value.substr(5, 10));
  CHECK(MappedBuffer{}.view().size == 0);
}

TEST_CASE_FIXTURE(Fixture, "a mapped value cannot be written") {
  auto const mapped = store.map({"a/k"});
  auto const child = ::fork();
  if (child == 0) {
    ::signal(SIGSEGV, SIG_DFL), ::signal(SIGBUS, SIG_DFL);
    *const_cast<std::byte volatile*>(mapped->view().data) = std::byte{0};
    ::_exit(0);
  }
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

TEST_CASE_FIXTURE(Fixture, "a file that is made shorter ends the program with SIGBUS, as is said") {
  auto const mapped = store.map({"a/k"});
  std::filesystem::resize_file(folder / "a/k", 100);
  auto const child = ::fork();
  if (child == 0) {
    ::signal(SIGSEGV, SIG_DFL), ::signal(SIGBUS, SIG_DFL);
    ::_exit(*const_cast<std::byte const volatile*>(mapped->view().data + 15'000) == std::byte{0});
  }
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS));
  CHECK(test::text(mapped->view().sub(0, 100)) == value.substr(0, 100));
}

TEST_CASE("what cannot be mapped is an error") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  test::check_refused<StoreError>([&] { MappedBuffer(ends[0], 0, 10); }, {"cannot map the file"});
  ::close(ends[0]), ::close(ends[1]);
}
