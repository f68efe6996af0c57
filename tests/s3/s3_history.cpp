// Eight processes write parts of shared chunks, append to one array and create arrays of the same names in a bucket,
// and some of them are killed. Each step that a process reported is there in the end; the one in progress when it was
// killed is there wholly or not at all. The environment variable TESSERA_TEST_BUCKET_STEPS sets the steps of each
// process, and TESSERA_SEED repeats a run's choices.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <support/s3_server.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/s3.hpp>

using namespace tessera;

namespace s3_history_tests {
namespace {

using Bucket = S3Store<HostBuffer>;
using Numbers = std::vector<std::int32_t>;

constexpr std::int32_t workers = 8, most_steps = 1'000'000;
constexpr std::uint64_t each = 7;  // elements of an append

enum class Kind : std::int32_t { written, appended, created, refused, unknown, finished };
struct Report {
  std::int32_t worker, number;  // of the step, or of the name that was created
  Kind kind;
};

// What one worker has done, as it reported.
struct Told {
  std::int32_t last = 0, written = 0;  // the last step, and the last that wrote to its element
  std::set<std::int32_t> appended{}, uncertain{};
};

struct World {
  test::S3Server const& server;
  std::array<Told, workers> told{};
  std::map<std::int32_t, std::int32_t> made{};  // by a name's number: the worker
  std::set<std::int32_t> named{};
  int reports[2]{};

  Bucket store() const {
    auto options = server.options();
    options.lease = std::chrono::seconds{3};
    return server.at("history", options);
  }
};

std::string name_of(std::int32_t number) { return "made/" + std::to_string(number); }
Box own_element(std::int32_t worker) {
  auto const at = static_cast<std::uint64_t>(worker);
  return {{at, at + 1}};
}

Kind step(Bucket const& store, std::int32_t worker, std::int32_t number, std::uint32_t choice, std::int32_t name) {
  if (choice == 0) {
    open_array<std::int32_t, 1>(store, "chunk").write(own_element(worker), Numbers{number});
    return Kind::written;
  }
  if (choice == 1) {
    open_array<std::int32_t, 1>(store, "log").append(Numbers(each, worker * most_steps + number));
    return Kind::appended;
  }
  try {
    create_array<std::int32_t, 1>(store, name_of(name), {.shape = {4}, .chunks = {4}, .attributes = {{"by", worker}}});
    return Kind::created;
  } catch (Error const&) {
    if (!exists(store, name_of(name))) throw;
    return Kind::refused;
  }
}

// Runs in a process of its own, and reports each step when it is done.
[[noreturn]] void work(World const& world, std::int32_t worker, std::int32_t first, std::int32_t end, unsigned seed) {
  ::alarm(3000);  // even if the process that it reports to dies
  auto const report = [&](Kind kind, std::int32_t number) {
    Report const one{worker, number, kind};
    if (::write(world.reports[1], &one, sizeof one) != sizeof one) ::_exit(1);
  };
  std::mt19937 random{seed};
  try {
    auto const store = world.store();
    for (auto number = first; number < end; ++number) try {
        auto const choice = static_cast<std::uint32_t>(random() % 3);
        auto const name = number / 4;  // others choose it too
        auto const kind = step(store, worker, number, choice, name);
        report(kind, kind == Kind::created || kind == Kind::refused ? name : number);
      } catch (StoreError const& error) {
        if (std::string{error.what()}.find("lock of the folder was taken") == std::string::npos) throw;
        report(Kind::unknown, number);  // the machine was too slow for the lease
      }
    report(Kind::finished, end);
    ::_exit(0);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "writer %d: %s\n", worker, error.what());
    report(Kind::finished, end);  // its status tells that it failed
    ::_exit(1);
  }
}

pid_t start(World const& world, std::int32_t worker, std::int32_t first, std::int32_t end, unsigned seed) {
  auto const process = ::fork();
  REQUIRE(process >= 0);
  if (process == 0) work(world, worker, first, end, seed);
  return process;
}

void take(World& world, Report const& report) {
  auto& told = world.told[static_cast<std::size_t>(report.worker)];
  bool const is_name = report.kind == Kind::created || report.kind == Kind::refused;
  if (is_name) world.named.insert(report.number);
  if (report.kind == Kind::created) CHECK(world.made.emplace(report.number, report.worker).second);
  if (report.kind == Kind::appended) told.appended.insert(report.number);
  if (report.kind == Kind::written) told.written = report.number;
  if (report.kind == Kind::unknown) told.uncertain.insert(report.number);
  told.last = is_name ? told.last + 1 : report.number;
}

void check(World const& world) {
  auto const store = world.store();
  auto const chunk = open_array<std::int32_t, 1>(store, "chunk").read(all);
  auto const log = open_array<std::int32_t, 1>(store, "log").read(all);
  std::map<std::int32_t, std::uint64_t> logged;
  for (std::uint64_t i = 0; i < log.shape()[0]; ++i) ++logged[log(i)];
  std::uint64_t known = 0;
  for (std::int32_t worker = 0; worker < workers; ++worker) {
    CAPTURE(worker);
    auto const& told = world.told[static_cast<std::size_t>(worker)];
    auto const element = chunk(static_cast<std::uint64_t>(worker));
    CHECK((element == told.written || told.uncertain.count(element) == 1));
    CHECK(element >= told.written);
    for (auto const number : told.appended) CHECK(logged[worker * most_steps + number] == each);
    known += told.appended.size() * each;
    for (auto const number : told.uncertain) {
      auto const found = logged[worker * most_steps + number];
      CHECK((found == 0 || found == each));
      known += found;
    }
  }
  CHECK(log.shape()[0] == known);
  for (auto const name : world.named) {
    CAPTURE(name);
    auto const by = get_attributes(store, name_of(name));
    CHECK(open_array<std::int32_t, 1>(store, name_of(name)).shape() == Extents{4});
    auto const maker = world.made.find(name);
    if (maker != world.made.end()) CHECK(by.get("by", -1) == maker->second);
  }
}

}  // namespace

TEST_CASE("of what eight processes write, append and create in a bucket nothing is lost, though some are killed") {
  if (!test::has_s3("the history of a bucket")) return;
  auto const* const wanted = std::getenv("TESSERA_TEST_BUCKET_STEPS");
  auto const steps = wanted ? std::atoi(wanted) : 40;
  auto const* const given = std::getenv("TESSERA_SEED");
  auto const seed = given ? std::strtoul(given, nullptr, 10) : std::random_device{}();
  MESSAGE("history of a bucket: TESSERA_SEED=" << seed);
  std::mt19937 random{static_cast<unsigned>(seed)};

  test::S3Server const server;
  World world{server};
  REQUIRE(::pipe(world.reports) == 0);
  create_array<std::int32_t, 1>(world.store(), "chunk", {.shape = {workers}, .chunks = {workers}});
  create_array<std::int32_t, 1>(world.store(), "log", {.shape = {0}, .chunks = {10}});
  auto const before = std::chrono::steady_clock::now();
  std::array<pid_t, workers> processes{};
  auto const begin = [&](std::int32_t worker, std::int32_t first) {
    processes[static_cast<std::size_t>(worker)] =
        start(world, worker, first, steps + 1, static_cast<unsigned>(random()));
  };
  for (std::int32_t worker = 0; worker < workers; ++worker) begin(worker, 1);

  int finished = 0, killed = 0, heard = 0, uncertain = 0, status = 0;
  std::set<std::int32_t> ended;
  auto const hear = [&](Report const& report) {
    if (report.kind == Kind::finished) {
      ++finished, ended.insert(report.worker);
      return;
    }
    ++heard;
    uncertain += report.kind == Kind::unknown;
    take(world, report);
  };
  for (Report report{}; finished < workers;) {
    REQUIRE(::read(world.reports[0], &report, sizeof report) == sizeof report);
    hear(report);
    // Another than the one that reported, which is in the middle of a step.
    auto const victim =
        static_cast<std::int32_t>((report.worker + 1 + static_cast<int>(random() % (workers - 1))) % workers);
    if (heard % 80 != 40 || report.kind == Kind::finished || ended.count(victim)) continue;
    auto const process = processes[static_cast<std::size_t>(victim)];
    ::kill(process, SIGKILL);
    REQUIRE(::waitpid(process, &status, 0) == process);
    Report const mark{-1, 0, Kind::finished};  // behind all that it has reported
    REQUIRE(::write(world.reports[1], &mark, sizeof mark) == sizeof mark);
    while (::read(world.reports[0], &report, sizeof report) == sizeof report && report.worker >= 0) hear(report);
    if (ended.count(victim)) {
      processes[static_cast<std::size_t>(victim)] = 0;
      continue;
    }
    CHECK(WIFSIGNALED(status));
    ++killed;
    auto& told = world.told[static_cast<std::size_t>(victim)];
    told.uncertain.insert(++told.last);
    begin(victim, told.last + 1);
  }
  for (auto const process : processes) {
    if (process == 0) continue;  // it was done when it was killed
    REQUIRE(::waitpid(process, &status, 0) == process);
    CHECK(status == 0);
  }
  auto const took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - before);
  check(world);
  MESSAGE(heard << " steps in " << took.count() << " s, " << killed << " processes killed, " << uncertain
                << " locks lost to slowness");
  CHECK(killed >= 1);
  CHECK(heard + killed == workers * steps);
  for (int const end : world.reports) ::close(end);
}

}  // namespace s3_history_tests
