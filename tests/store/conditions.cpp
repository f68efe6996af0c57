// LocalStore in adverse conditions: no permission, a full disk, a killed writer.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/local_store.hpp>

using namespace tessera;
using Local = LocalStore<HostBuffer>;

namespace {

/// The error message of f(), in a process of its own that `prepare` may change: "" if there is none.
template <class Prepare, class F>
std::string in_a_process(Prepare&& prepare, F&& f) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  auto const child = ::fork();
  if (child == 0) {
    std::string said;
    try {
      if (prepare())
        f();
      else
        said = "not prepared";
    } catch (StoreError const& error) {
      said = error.what();
    } catch (...) {
      said = "another exception";
    }
    auto const written = ::write(ends[1], said.data(), said.size());
    ::_exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char some[1000];
  for (ssize_t n; (n = ::read(ends[0], some, sizeof some)) > 0;) said.append(some, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return said;
}

void check_says(std::string const& line, std::initializer_list<std::string> words) {
  CAPTURE(line);
  for (auto const& word : words) CHECK(line.find(word) != line.npos);
}

std::size_t count_unfinished(std::filesystem::path const& folder) {
  std::size_t count = 0;
  for (auto const& entry : std::filesystem::recursive_directory_iterator{folder})
    count += entry.path().filename().string().starts_with(".tessera-");
  return count;
}

}  // namespace

TEST_CASE("files and folders without permission are errors, not missing keys") {
  test::TemporaryFolder const folder;
  Local const store{folder / "root"};
  test::put(store, "secret", "x");
  test::put(store, "closed/k", "x");
  test::put(store, "fixed/k", "x");
  std::filesystem::create_directories(folder / "above/root");
  ::chmod(folder.path().c_str(), 0755), ::chmod((folder / "root").c_str(), 0755);
  ::chmod((folder / "root/secret").c_str(), 0), ::chmod((folder / "root/closed").c_str(), 0);
  ::chmod((folder / "root/fixed").c_str(), 0555), ::chmod((folder / "above").c_str(), 0);
  auto const nobody = [] { return ::geteuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0); };
  auto const root = store.name();
  auto const refused = [&](auto const& f) { return in_a_process(nobody, f); };
  check_says(refused([&] { test::value(store, "secret"); }), {root, "key \"secret\"", "Permission denied"});
  check_says(refused([&] { test::value(store, "closed/k"); }), {root, "key \"closed/k\"", "Permission denied"});
  check_says(refused([&] { test::value(store, "closed/other"); }), {root, "key \"closed/other\"", "Permission denied"});
  check_says(refused([&] { store.map({"secret"}); }), {root, "key \"secret\"", "Permission denied"});
  check_says(refused([&] { test::put(store, "fixed/k", "y"); }), {root, "key \"fixed/k\"", "Permission denied"});
  check_says(refused([&] { test::put(store, "fixed/a/b", "y"); }), {root, "key \"fixed/a/b\"", "Permission denied"});
  check_says(refused([&] { test::put(store, "closed/k", "y"); }), {root, "key \"closed/k\"", "Permission denied"});
  check_says(refused([&] { test::erase(store, "fixed/k"); }), {root, "key \"fixed/k\"", "Permission denied"});
  check_says(refused([&] { test::listed(store, "closed"); }), {root, "key \"closed\"", "Permission denied"});
  check_says(refused([&] { test::listed(store, ""); }), {root, "Permission denied"});
  Local const hidden{folder / "above/root"};
  check_says(refused([&] { test::value(hidden, "k"); }), {hidden.name(), "key \"k\"", "Permission denied"});
  check_says(refused([&] { test::put(hidden, "k", "x"); }), {hidden.name(), "key \"k\"", "Permission denied"});
  ::chmod((folder / "root/closed").c_str(), 0755), ::chmod((folder / "above").c_str(), 0755);
}

TEST_CASE("a full disk is an error that leaves the old value and nothing else") {
  test::TemporaryFolder const folder;
  auto const disk = folder / "disk";
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    MESSAGE("not run: a full disk (only root may mount one)");
    return;
  }
  {
    Local const store{disk + "/root"};
    test::put(store, "a/k", std::string(20'000, 'o'));
    test::check_refused<StoreError>([&] { test::put(store, "a/k", std::string(100'000, 'n')); },
                                    {store.name().c_str(), "key \"a/k\"", "No space left"});
    test::check_refused<StoreError>([&] { test::put(store, "new/k", std::string(100'000, 'n')); },
                                    {"key \"new/k\"", "No space left"});
    CHECK(test::value(store, "a/k") == std::string(20'000, 'o'));
    CHECK(test::value(store, "new/k") == "(missing)");
    CHECK(count_unfinished(disk) == 0);
    test::put(store, "a/k", std::string(24'000, 's'));  // there is room again
    CHECK(test::value(store, "a/k") == std::string(24'000, 's'));
    auto const mapped = store.map({"a/k"});
    CHECK(test::text(mapped->view()) == std::string(24'000, 's'));
  }
  CHECK(::umount(disk.c_str()) == 0);
}

TEST_CASE("a file that may not grow so large is an error that leaves the old value and nothing else") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  test::put(store, "k", "old");
  auto const limited = [] {
    rlimit const most{10'000, 10'000};
    return ::signal(SIGXFSZ, SIG_IGN) != SIG_ERR && ::setrlimit(RLIMIT_FSIZE, &most) == 0;
  };
  check_says(in_a_process(limited, [&] { test::put(store, "k", std::string(30'000, 'n')); }),
             {store.name(), "key \"k\"", "File too large"});
  CHECK(test::value(store, "k") == "old");
  CHECK(count_unfinished(folder.path()) == 0);
}

TEST_CASE("no more open files are an error, and afterwards the store goes on") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  test::put(store, "a/k", "value");
  auto const none_left = [&] {
    rlimit const most{20, 20};
    return ::setrlimit(RLIMIT_NOFILE, &most) == 0;
  };
  auto const said = in_a_process(none_left, [&] {
    std::vector<int> opened;
    for (int file; (file = ::open("/", O_RDONLY)) >= 0;) opened.push_back(file);
    std::string what;
    try {
      test::value(store, "a/k");
    } catch (StoreError const& error) {
      what = error.what();
    }
    for (auto file : opened) ::close(file);
    if (test::value(store, "a/k") == "value") throw StoreError{what};
  });
  check_says(said, {"key \"a/k\"", "Too many open files"});
}

TEST_CASE("a reader sees the old value or the new while writers are killed at any moment") {
  test::TemporaryFolder const folder;
  std::vector<std::string> values;
  for (char c = 'a'; c < 'f'; ++c) values.push_back(std::string(300'000 + static_cast<std::size_t>(c) * 100, c));
  Local const store{folder.path()};
  test::put(store, "a/k", values[0]);
  std::size_t torn = 0, seen = 0, killed = 0;
  unsigned random = 12345;
  for (int round = 0; round < 40; ++round) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    auto const child = ::fork();
    if (child == 0) {
      for (std::size_t i = 0;; ++i) try {
          test::put(store, "a/k", values[i % values.size()]);
          if (i == 0 && ::write(ends[1], "!", 1) != 1) ::_exit(1);
        } catch (...) {
          ::_exit(1);
        }
    }
    char byte = 0;
    CHECK(::read(ends[0], &byte, 1) == 1);  // it writes
    random = random * 1103515245 + 12345;
    for (unsigned reads = random >> 16 & 7; reads-- > 0; ++seen)
      torn += std::ranges::count(values, test::value(store, "a/k")) != 1;
    ::kill(child, SIGKILL);
    int status = 0;
    CHECK(::waitpid(child, &status, 0) == child);
    killed += WIFSIGNALED(status);
    ::close(ends[0]), ::close(ends[1]);
    torn += std::ranges::count(values, test::value(store, "a/k")) != 1;
    CHECK(test::listed_directory(store, "a").size() == 1);  // an unfinished file is not a key
  }
  CHECK(torn == 0);
  CHECK(killed == 40);
  CHECK(seen > 40);
  test::put(store, "a/k", "after all that");
  CHECK(test::value(store, "a/k") == "after all that");
}
