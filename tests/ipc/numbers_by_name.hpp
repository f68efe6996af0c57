// Arrays whose elements are their name, a number: how a process serves them, and how another requests them at random.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipc/process.hpp>
#include <support/random.hpp>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/names.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/ipc/shared_arrays.hpp>

namespace test {

constexpr std::uint64_t numbers_in_array = 1000, most_arrays = 5, names_of_arrays = 9;

/// At most `most_arrays` at a time; `publish(number)` makes one, of elements of T. Sends its address, and then answers
/// until it is told to end.
template <class T, class Publish>
void serve_numbers(Channel const& tell, tessera::ipc::Producer const& producer, Publish publish) {
  using namespace tessera;
  constexpr auto size = numbers_in_array * sizeof(T);
  ipc::SharedArrays shared{most_arrays * size, [&](std::string_view name) {
                             auto const number = static_cast<T>(std::stoul(std::string{name}));
                             return ipc::Source{size, [&publish, number] { return publish(number); }};
                           }};
  std::atomic<std::size_t> largest{0};
  ipc::NameServer const server{[&](std::string_view name) {
    auto array = shared.get(name);
    largest = std::max(largest.load(), producer.allocations());
    return array;
  }};
  tell.put(server.address());
  for (;;) {
    auto const asked = tell.get();
    if (asked == "unheld") tell.put(comes_true([&] { return producer.leases() == 0; }) ? "yes" : "no");
    if (asked == "mapped") tell.put(shared_mappings() == producer.allocations() ? "yes" : "no");
    if (asked == "largest") tell.put(std::to_string(largest));
    if (asked == "end") return;
  }
}

/// Requests, attaches, slices, reads and detaches. `attach(slice)` returns an Attached; `read(part)` its elements.
/// Throws: ProducerGone, if the server is killed; std::runtime_error, if an element is wrong.
template <class Attach, class Read>
void ask_for_numbers(std::string const& address, std::uint64_t seed, std::uint64_t steps, Attach attach, Read read) {
  using namespace tessera;
  Random random{seed};
  struct Held {
    std::uint64_t number;
    decltype(attach(std::declval<ipc::Descriptor>())) array;
  };
  std::vector<Held> held;
  std::uint64_t served = 0;
  for (std::uint64_t step = 0; step < steps; ++step) try {
      auto const number = random(1, names_of_arrays);
      auto const array = ipc::ask_for(std::to_string(number), address);
      for (auto const& other : held)
        if (other.number == number && other.array.descriptor().memory.number != array.memory.number)
          throw std::runtime_error{"an array that is held was evicted"};
      auto const first = random(0, numbers_in_array - 1);
      auto const whole = attach(array);
      auto part = attach(array.slice({{first, numbers_in_array}}));
      auto const found = read(part);
      if (found.size() != numbers_in_array - first) throw std::runtime_error{"another slice"};
      if (!std::all_of(found.begin(), found.end(), [&](auto one) { return one == number; }))
        throw std::runtime_error{"another element"};
      ++served;
      if (random.one_in(2)) held.push_back({number, std::move(part)});
      if (held.size() > 1) held.erase(held.begin());
    } catch (ipc::ProducerGone const&) {
      throw;
    } catch (ipc::IpcError const&) {  // evicted before it was attached; or no room beside leased arrays
      held.clear();
    }
  if (served < steps / 4) throw std::runtime_error{"hardly anything was served"};
}

}  // namespace test
