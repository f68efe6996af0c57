// Arrays of device memory in other processes: the cost of attaching, and the speed of reading attached memory compared
// with own memory.
//
//   shared [MiB=1024] [REPETITIONS=20]     measures, in this process and in one that it starts
//   shared with COMMAND...                 publishes an array for a command, and checks what that wrote
//
// A command finds the descriptor in TESSERA_DESCRIPTOR, reads a float32 of 1000 x 1000 whose i-th element is i, and
// writes 42 into the first one. It exits with 77, if it cannot.
#include <cstdlib>
#include <string>

#include <sys/wait.h>

#include <tessera/ipc/cuda.cuh>

#include "measured.cuh"

using namespace tessera;
using namespace measured;

namespace {

using Word = std::uint64_t;
struct Numbers {
  TESSERA_HOST_DEVICE Word operator()(std::uint64_t i) const { return number(i); }
};
struct Write {
  Word* to;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { to[i] = number(i); }
};
struct Count {
  float* to;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { to[i] = static_cast<float>(i); }
};

int run_command(std::string const& command) {
  std::fflush(nullptr);
  auto const status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void print_cost(char const* what, std::vector<double> const& sorted, double times) {
  auto const at = [&](std::size_t tenths) { return 1e6 * sorted[(sorted.size() - 1) * tenths / 10] / times; };
  std::printf("| %s | %.2f | %.2f to %.2f |\n", what, at(5), at(1), at(9));
}

// The other process's part.
bool attached(std::string const& json, int repetitions) {
  Queue<space::Device> on;
  auto const descriptor = ipc::parse_descriptor(json);
  auto const count = descriptor.shape[0], bytes = count * sizeof(Word);
  std::printf("| attaching | us | p10 to p90 |\n|---|---|---|\n");
  {
    ipc::Consumer consumer;
    (void)ipc::attach(consumer, descriptor, on);  // which connects
    print_cost("an allocation that is not open, and closing it",
               seconds(repetitions, [&] { (void)ipc::attach(consumer, descriptor, on); }), 1);
    auto const whole = ipc::attach(consumer, descriptor, on);
    constexpr std::uint64_t slices = 1000;
    print_cost("a slice of one that is open", seconds(repetitions, [&] {
                 for (std::uint64_t i = 0; i < slices; ++i)
                   (void)ipc::attach(consumer, descriptor.slice({{i, count}}), on);
               }),
               slices);
  }
  ipc::Consumer consumer;
  auto const array = ipc::attach(consumer, descriptor, on);
  OwnedArray<Word, 1, DeviceBuffer> own{{count}, on}, to{{count}, on};
  launch(on, count, Write{own.data()});
  auto const* const theirs = array.view<Word const, 1>().data;
  std::printf("\n| %llu MiB | %s |\n|---|---|---|---|\n", static_cast<unsigned long long>(bytes >> 20), cell_names);
  bool right = true;
  auto const row = [&](char const* what, auto&& f) {
    auto const sorted = seconds(repetitions, f);
    std::printf("| %s | %s |\n", what, cells(sorted, bytes).c_str());
    return sorted[sorted.size() / 2];
  };
  auto const copy = [&](Word const* from) {
    return [&, from] {
      good(cudaMemcpyAsync(to.data(), from, bytes, cudaMemcpyDeviceToDevice, on.stream()), "cudaMemcpyAsync");
      on.wait();
    };
  };
  auto const look = [&](Word const* from) { return [&, from] { right &= all_are(from, count, Numbers{}, on); }; };
  auto const copied = row("a copy of own memory", copy(own.data()));
  auto const copied_theirs = row("a copy of what is attached", copy(theirs));
  right &= all_are(to.data(), count, Numbers{}, on);
  auto const read = row("a kernel reads own memory", look(own.data()));
  auto const read_theirs = row("a kernel reads what is attached", look(theirs));
  std::printf("\nWhat is attached takes %.3f of the time of own memory to copy, %.3f to read\n", copied_theirs / copied,
              read_theirs / read);
  return right;
}

bool measure(std::string const& program, std::uint64_t bytes, int repetitions) {
  ipc::IpcResource memory;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = memory}};
  ipc::Producer producer;
  OwnedArray<Word, 1, DeviceBuffer> array{{bytes / sizeof(Word)}, on};
  launch(on, array.size(), Write{array.data()});
  auto const published = ipc::publish(producer, std::move(array), on);
  return run_command("'" + program + "' attached '" + published.json() + "' " + std::to_string(repetitions)) == 0;
}

// The command's exit status; 1, if it succeeded but wrote nothing.
int publish_for(std::string const& command) {
  ipc::IpcResource memory;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = memory}};
  ipc::Producer producer;
  OwnedArray<float, 2, DeviceBuffer> array{{1000, 1000}, on};
  auto const* const data = array.data();
  launch(on, array.size(), Count{array.data()});
  auto const published = ipc::publish(producer, std::move(array), on);
  on.wait();  // a reader that has only the handle knows no event
  ::setenv("TESSERA_DESCRIPTOR", published.json().c_str(), 1);
  if (auto const status = run_command(command); status != 0) return status;
  float first = 0;
  good(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost), "cudaMemcpy");
  std::printf("the first element is now %.0f\n", static_cast<double>(first));
  return first == 42 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string const first = argc > 1 ? argv[1] : "";
  if (first == "attached" && argc == 4) return run([&] { return attached(argv[2], std::atoi(argv[3])); });
  if (first == "with") {
    int status = 1;
    std::string command;
    for (int i = 2; i < argc; ++i) command.append("'").append(argv[i]).append("' ");
    auto const ended = run([&] { return (status = publish_for(command)) == 0 || status == 77; });
    return ended != 0 ? ended : status;
  }
  auto const argument = [&](int i, int otherwise) { return argc > i ? std::max(std::atoi(argv[i]), 1) : otherwise; };
  return run([&] { return measure(argv[0], static_cast<std::uint64_t>(argument(1, 1024)) << 20, argument(2, 20)); });
}
