// One process decodes an array, and four others work on slices of it, against four that each read for themselves.
//
//   share [PICTURE.svg]
//
// Each worker is this program anew: share DESCRIPTOR|- NUMBER prints the sum of its slices and what memory it holds.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/tessera.hpp>
#include <tessera/view/sum.hpp>
#include <tessera/with/zstd.hpp>

#include "picture.hpp"

using namespace tessera;

namespace {

using Stored = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
constexpr int workers = 4;

auto t1() { return open_array<std::uint8_t, 3, Stored>(LocalStore<HostBuffer>{"examples/data/brain.zarr"}, "t1"); }

// Every fourth slice belongs to a worker.
Box slices_of(int worker, std::uint64_t length) { return {{worker, length, workers}, all, all}; }

double own_mebibytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) / 1024;
  return 0;
}

void work(std::string const& descriptor, int worker) {
  double result = 0, memory = 0;
  if (descriptor == "-") {
    auto const own = t1().read(all);
    result = static_cast<double>(sum(own.sub(slices_of(worker, own.shape()[0]))));
    memory = own_mebibytes();
  } else {
    ipc::Consumer consumer;
    auto const whole = ipc::parse_descriptor(descriptor);
    auto const mine = consumer.attach(whole.slice(slices_of(worker, whole.shape[0])));
    result = static_cast<double>(sum(mine.view<std::uint8_t const, 3>()));
    memory = own_mebibytes();
  }
  std::printf("%.0f %.1f\n", result, memory);
}

// All workers at once; the sum of their results.
double run(std::string const& program, std::string const& descriptor, Way& way) {
  std::vector<std::FILE*> running;
  for (int i = 0; i < workers; ++i)
    running.push_back(::popen(("'" + program + "' '" + descriptor + "' " + std::to_string(i)).c_str(), "r"));
  double total = 0;
  bool is_well = true;
  for (auto* one : running) {
    double result = 0, memory = 0;
    is_well = one && std::fscanf(one, "%lf %lf", &result, &memory) == 2 && is_well;
    is_well = one && ::pclose(one) == 0 && is_well;
    total += result, way.mebibytes += memory;
  }
  if (!is_well) throw std::runtime_error{"a worker failed"};
  return total;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3) return work(argv[1], std::stoi(argv[2])), 0;
  using Clock = std::chrono::steady_clock;
  auto const timed = [](Way& way, auto&& f) {
    auto const begin = Clock::now();
    auto const total = f();
    way.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return total;
  };
  Way alone{.name = "each reads alone"}, shared{.name = "one reads for all"};
  auto const expected = timed(alone, [&] { return run(argv[0], "-", alone); });
  auto const found = timed(shared, [&] {
    ipc::Producer producer;
    auto const published = producer.publish(t1().read<SharedBuffer>(all));
    return run(argv[0], published.json(), shared);
  });
  if (found != expected) throw std::runtime_error{"the workers disagree"};
  std::cout << "both ways the voxels add up to " << static_cast<std::uint64_t>(found) << '\n';
  for (auto const* way : {&alone, &shared})
    std::cout << way->name << ": " << way->seconds << " s, " << way->mebibytes << " MiB\n";
  if (argc == 2) write_picture(argv[1], alone, shared);
} catch (std::exception const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
