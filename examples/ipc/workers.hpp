// Four worker processes, twice: each reads for itself, and one reads for all.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <tessera/view/box.hpp>

#include "picture.hpp"

constexpr int workers = 4;

/// Every fourth slice along the first axis belongs to a worker.
inline tessera::Box slices_of(int worker, std::uint64_t length) {
  return {{worker, length, workers}, tessera::all, tessera::all};
}

/// The result of a worker, and its own memory.
struct Result {
  double sum = 0, mebibytes = 0;
};

/// Runs all workers at once: each is a new process of the program, with a descriptor, or "-", and its number. Returns
/// the sum of their results.
inline double run_workers(std::string const& program, std::string const& descriptor, Way& way) {
  std::vector<std::FILE*> running;
  for (int i = 0; i < workers; ++i)
    running.push_back(::popen(("'" + program + "' '" + descriptor + "' " + std::to_string(i)).c_str(), "r"));
  double total = 0;
  bool is_well = true;
  for (auto* one : running) {
    Result result;
    is_well = one && std::fscanf(one, "%lf %lf", &result.sum, &result.mebibytes) == 2 && is_well;
    is_well = one && ::pclose(one) == 0 && is_well;
    total += result.sum, way.mebibytes += result.mebibytes;
  }
  if (!is_well) throw std::runtime_error{"a worker failed"};
  return total;
}

/// main of a program: `work(descriptor, worker)` is a worker's work, and `share(run)` publishes the array, passes run
/// its descriptor and returns the result of run.
template <class Work, class Share>
int compare(int argc, char** argv, Work&& work, Share&& share) try {
  if (argc == 3) {
    Result const result = work(argv[1], std::stoi(argv[2]));
    std::printf("%.0f %.1f\n", result.sum, result.mebibytes);
    return 0;
  }
  using Clock = std::chrono::steady_clock;
  auto const timed = [](Way& way, auto&& f) {
    auto const begin = Clock::now();
    auto const total = f();
    way.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return total;
  };
  Way alone{.name = "each reads alone"}, shared{.name = "one reads for all"};
  auto const expected = timed(alone, [&] { return run_workers(argv[0], "-", alone); });
  auto const found = timed(shared, [&] {
    return share([&](std::string const& descriptor) { return run_workers(argv[0], descriptor, shared); });
  });
  if (found != expected) throw std::runtime_error{"the workers disagree"};
  std::cout << "both ways the voxels add up to " << static_cast<std::uint64_t>(found) << '\n';
  for (auto const* way : {&alone, &shared})
    std::cout << way->name << ": " << way->seconds << " s, " << way->mebibytes << " MiB\n";
  if (argc == 2) write_picture(argv[1], alone, shared);
  return 0;
} catch (std::exception const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
