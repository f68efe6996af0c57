// One process decodes an array, and four others work on slices of it, compared with four that each read alone.
//
//   share [PICTURE.svg]
//
// Each worker is a new process of this program: share DESCRIPTOR|- NUMBER prints the sum of its slices and its memory.
// share_device.cpp does the same in device memory.
#include <cstdint>
#include <fstream>
#include <string>

#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/tessera.hpp>
#include <tessera/view/sum.hpp>
#include <tessera/with/zstd.hpp>

#include "workers.hpp"

using namespace tessera;

namespace {

using Stored = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

auto t1() { return open_array<std::uint8_t, 3, Stored>(LocalStore<HostBuffer>{"examples/data/brain.zarr"}, "t1"); }

double own_mebibytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) / 1024;
  return 0;
}

Result work(std::string const& descriptor, int worker) {
  if (descriptor == "-") {
    auto const own = t1().read(all);
    return {static_cast<double>(sum(own.sub(slices_of(worker, own.shape()[0])))), own_mebibytes()};
  }
  ipc::Consumer consumer;
  auto const whole = ipc::parse_descriptor(descriptor);
  auto const mine = consumer.attach(whole.slice(slices_of(worker, whole.shape[0])));
  return {static_cast<double>(sum(mine.view<std::uint8_t const, 3>())), own_mebibytes()};
}

}  // namespace

int main(int argc, char** argv) {
  return compare(argc, argv, work, [](auto&& run) {
    ipc::Producer producer;
    auto const published = producer.publish(t1().read<SharedBuffer>(all));
    return run(published.json());
  });
}
