// MPI's part of the program, compiled with each MPI library.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi/any_ranks.hpp>
#include <tessera/with/mpi.hpp>

namespace {

// Whether f throws tessera's error, which says so; MPI itself would end the program.
template <class F>
bool is_refused(char const* what, F&& f) {
  try {
    f();
  } catch (tessera::Error const&) {
    return true;
  }
  std::cerr << what << " was accepted\n";
  return false;
}

// What Open MPI's header says of its library.
bool device_memory_is_as_said(tessera::MpiCommunicator const& ranks) {
  bool const found = ranks.reads_device_memory();
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return found == (MPIX_CUDA_AWARE_SUPPORT == 1);
#else
  static_cast<void>(found);
  return true;
#endif
}

// Whether an error of MPI names the rank at the other end, with MPI's text, and ends no program. Collective.
bool is_told() {
  tessera::MpiCommunicator const ranks{MPI_COMM_WORLD};  // whose messages are no longer of use afterwards
  auto exchange = ranks.exchange();
  std::array<std::byte, 64> bytes{};
  auto const last = ranks.size() - 1;
  bool is_well = true;
  if (last > 0 && ranks.rank() == 0) {
    exchange.prepare(2, 72);
    exchange.receive(std::span{bytes}.first(8), last);  // of 64 bytes that are sent
    exchange.receive(std::span{bytes}.last(8), last);
    try {
      exchange.wait();
      is_well = false;
    } catch (tessera::Error const& error) {
      std::string const text = error.what();
      is_well = text.find("MPI_Waitall: ") == 0 && text.find("runcated", text.find("from rank ")) != text.npos &&
                text.find("rank " + std::to_string(last) + ": ") != text.npos;
    }
  } else if (last > 0 && ranks.rank() == last) {
    exchange.prepare(2, 72);
    exchange.send(bytes, 0);
    exchange.send(std::span{bytes}.last(8), 0);
    exchange.wait();
  }
  return ranks.least(is_well ? 1 : 0) == 1;
}

// Whether the memory of a send that is under way when another message fails is kept until MPI has sent it, and then
// freed. Collective.
bool is_kept() {
  tessera::MpiCommunicator const ranks{MPI_COMM_WORLD};
  constexpr std::size_t size = std::size_t{4} << 20;  // more than MPI sends without its receiver
  auto const last = ranks.size() - 1;
  bool is_well = true;
  std::weak_ptr<void const> sent;
  if (last > 0 && ranks.rank() == 0) {
    auto exchange = ranks.exchange();
    auto memory = std::make_shared<std::vector<std::byte>>(size, std::byte{7});
    sent = memory;
    std::array<std::byte, 8> bytes{};
    exchange.prepare(1, size);
    exchange.send(*memory, last);
    exchange.receive(bytes, last);  // of 64 bytes that are sent
    try {
      exchange.wait();
      is_well = false;
    } catch (tessera::Error const&) {
      exchange.keep(std::move(memory));
    }
    is_well = is_well && !sent.expired();
  } else if (last > 0 && ranks.rank() == last) {
    auto exchange = ranks.exchange();
    std::array<std::byte, 64> bytes{};
    exchange.prepare(1, bytes.size());
    exchange.send(bytes, 0);
    exchange.wait();
  }
  is_well = ranks.least(is_well ? 1 : 0) == 1;  // from here on the send is met
  if (last > 0 && ranks.rank() == last) {
    auto exchange = ranks.exchange();
    std::vector<std::byte> memory(size);
    exchange.prepare(1, size);
    exchange.receive(memory, 0);
    exchange.wait();
    is_well = is_well && memory == std::vector<std::byte>(size, std::byte{7});
  }
  while (!sent.expired()) static_cast<void>(ranks.exchange());  // until MPI says that it is sent
  return ranks.least(is_well ? 1 : 0) == 1;
}

}  // namespace

int main(int argc, char** argv) {
  using tessera::MpiCommunicator;
  bool is_well = is_refused("a communicator before MPI_Init", [] { MpiCommunicator{MPI_COMM_WORLD}; });
  MPI_Init(&argc, &argv);
  int status = EXIT_FAILURE;
  std::optional<MpiCommunicator> kept;
  try {
    is_well = is_refused("MPI_COMM_NULL", [] { MpiCommunicator{MPI_COMM_NULL}; }) && is_well;
    kept.emplace(MPI_COMM_WORLD);
    if (!device_memory_is_as_said(*kept)) std::cerr << "MPI reads device memory otherwise\n", is_well = false;
    if (!is_told()) std::cerr << "an error of MPI is told otherwise\n", is_well = false;
    if (!is_kept()) std::cerr << "the memory of a send is not kept\n", is_well = false;
    status = test::run(test::AnyRanks::of(*kept), argc, argv);
  } catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  is_well = is_refused("a call after MPI_Finalize", [&] { (void)kept->least(1); }) && is_well;
  return is_well ? status : EXIT_FAILURE;
}
