// write_local and read_local of device memory.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <device/arrays.hpp>
#include <parallel/counted_store.hpp>
#include <parallel/random_partition.hpp>
#include <parallel/threads.hpp>
#include <tessera/parallel/checkpoint.hpp>
#include <tessera/parallel/local.cuh>
#include <tessera/parallel/local_writer.hpp>
#include <tessera/parallel/open.hpp>

namespace parallel_in_device_memory_tests {

using namespace tessera;
using test::DeviceQueue, test::ThreadRanks, test::under_seeds;

TEST_CASE("ranks write and read device memory") {
  under_seeds(4, [] {
    MemoryStore<HostBuffer> const store;
    auto const array = create_array<int, 2>(store, "a", {.shape = {11, 9}, .chunks = {4, 4}}, {}, Queue<space::Host>{});
    auto const partition = Partition::blocks({11, 9}, 3, {.halo = {1, 1}});
    auto const errors = ThreadRanks::run(3, [&](ThreadRanks const& ranks) {
      auto const shape = partition.memory_shape(ranks.rank());
      DeviceQueue on;
      OwnedArray<int, 2, PinnedBuffer> here{shape, on};
      std::iota(here.begin(), here.end(), 100 * ranks.rank());
      std::vector<int> const written(here.begin(), here.end());
      OwnedArray<int, 2, DeviceBuffer> memory{shape, on};
      auto const size = memory.size() * sizeof(int);
      auto const bytes = [&] { return ByteSpan<space::Device>{reinterpret_cast<std::byte*>(memory.data()), size}; };
      auto const pinned = [&] { return ByteSpan<space::Pinned>{reinterpret_cast<std::byte*>(here.data()), size}; };
      crossing<space::Device, space::Pinned>::copy(pinned(), bytes(), on);
      write_local(ranks, array, partition, memory, on);

      read_local(ranks, array, partition, memory, on, {.sharing = ReadSharing::all});
      crossing<space::Pinned, space::Device>::copy(bytes(), pinned(), on);
      on.wait();
      auto const whole = array.read(partition.memory_box(ranks.rank()));
      if (!std::equal(here.begin(), here.end(), whole.begin())) throw StoreError{"other elements were read"};
      auto const part = partition.part_of(ranks.rank(), false);
      if (here(part[0][0].at, part[1][0].at) != written[part[0][0].at * shape[1] + part[1][0].at])
        throw StoreError{"other elements were written"};
      // Errors of one rank are those of all.
      auto const narrow = memory.sub({all, {0, 1}});
      auto const wrong = ArrayView<int, 2, space::Device>{narrow.data, {shape[0], shape[1]}, {1, 1}};
      ranks.rank() == 1 ? write_local(ranks, array, partition, wrong, on)
                        : write_local(ranks, array, partition, memory, on);
    });
    CHECK(errors[0].find("rank 1: found device memory with gaps or in another order") != std::string::npos);
    CHECK(errors == std::vector<std::string>(3, errors[0]));
  });
}

// A rank's elements of one step, in memory of buffers B.
template <class B>
OwnedArray<int, 3, B> step_in(Partition const& partition, int rank, int step, DeviceQueue& on) {
  auto const shape = partition.memory_shape(rank);
  return test::on_device<int, 3, B>(test::numbers_from(1000 * step + 100 * rank, element_count(shape, "memory")), shape,
                                    on);
}

// Overwrites the elements.
template <class B>
void forget(OwnedArray<int, 3, B>& memory, DeviceQueue& on) {
  using Space = typename B::space_type;
  std::vector<int> const none(memory.size(), -1);
  crossing<Space, space::Host>::copy(
      test::bytes_of(none), {reinterpret_cast<std::byte*>(memory.data()), memory.size() * sizeof(int)}, on);
  on.wait();
}

// Messages from device memory.
struct Counted {
  std::atomic<int> of_device = 0, of_host = 0;

  test::CopyMessage copy() {
    return [this](std::byte* to, std::byte const* from, std::size_t size) {
      cudaPointerAttributes about{};
      detail::check(::cudaPointerGetAttributes(&about, from), "cudaPointerGetAttributes");
      ++(about.type == cudaMemoryTypeDevice ? of_device : of_host);
      detail::check(::cudaMemcpy(to, from, size, cudaMemcpyDefault), "cudaMemcpy");
    };
  }
};

// Four steps by three ranks, one call of each behind the other, with memory that is overwritten once it is free.
// Messages may be sent from device memory where `counted` is given.
template <class B>
void write_steps(bool copies, Extents const& align, Counted* counted = nullptr, bool device_messages = true) {
  CAPTURE(copies);
  test::CountedStore const store;
  NewArray<int> const wanted{.shape = {4, 11, 9}, .chunks = {1, 5, 4}};
  auto const array = create_array<int, 3>(store, "a", wanted, {}, Queue<space::Host>{});
  auto const partition = Partition::blocks({1, 11, 9}, 3, {.align = align});
  auto const errors = ThreadRanks::run(3, [&](ThreadRanks const& ranks) {
    DeviceQueue on;
    auto const own = open_array<int, 3>(ranks, store, "a", Queue<space::Host>{2});
    LocalWriter writer{ranks, own, partition, {.copies = copies, .device_messages = device_messages}};
    std::vector<OwnedArray<int, 3, B>> memory;
    std::vector<Pending> pending;
    for (int step = 0; step < 4; ++step) {
      memory.push_back(step_in<B>(partition, ranks.rank(), step, on));
      pending.push_back(writer.write(memory.back(), on, {static_cast<std::uint64_t>(step), 0, 0}));
      if (copies) {
        forget(memory.back(), on);  // it is free
      } else if (step == 1 || step == 3) {
        for (auto& one : pending) one.wait();
        for (auto& one : memory) forget(one, on);
        pending.clear();
      }
    }
    writer.finish();
    for (auto& one : pending) one.wait();
    auto const again = step_in<B>(partition, ranks.rank(), 0, on);
    write_local(ranks, own, partition, again, on, {.device_messages = device_messages});
  }, 4, counted ? counted->copy() : nullptr);
  CHECK(errors == std::vector<std::string>(3));
  auto const whole = array.read(all);
  bool is_same = true;
  for (int rank = 0; rank < 3; ++rank)
    for (int step = 0; step < 4; ++step) {
      int next = 1000 * step + 100 * rank;
      test::for_each_element<3>(partition, {static_cast<std::uint64_t>(step), 0, 0}, rank, false,
                                [&](Extents const& index, Extents const&) { is_same &= whole[index] == next++; });
    }
  CHECK(is_same);
}

TEST_CASE("writes behind the computation take device memory and page-locked memory") {
  under_seeds(6, [] {
    for (bool const copies : {false, true})
      for (auto const& align : {Extents{1, 1, 1}, Extents{1, 5, 4}}) {  // with messages, and without
        write_steps<DeviceBuffer>(copies, align);
        write_steps<PinnedBuffer>(copies, align);
      }
  });
}

TEST_CASE("steps are appended from device memory and page-locked memory") {
  under_seeds(4, [] {
    auto const append_steps = []<class B>(B const*, bool is_aligned) {
      test::CountedStore const store;
      auto const partition =
          Partition::blocks({2, 11, 9}, 3, {.align = is_aligned ? Extents{2, 5, 4} : Extents{1, 1, 1}});
      std::atomic<std::uint64_t> memory = 0;
      auto const errors = ThreadRanks::run(3, [&](ThreadRanks const& ranks) {
        DeviceQueue on;
        NewArray<int> const wanted{.shape = {0, 11, 9}, .chunks = {2, 5, 4}};
        auto const array = create_array<int, 3>(ranks, store, "a", wanted, {}, Queue<space::Host>{2});
        Exchanged counts;
        for (int step = 0; step < 3; ++step)
          append(ranks, array, partition, step_in<B>(partition, ranks.rank(), step, on), on, 0, {.exchanged = &counts});
        memory += counts.memory;
      });
      CHECK(errors == std::vector<std::string>(3));
      // The page-locked copies; nothing is sent.
      if (is_aligned) CHECK(memory == (B::space_type::host_accessible ? 0 : 2 * 11 * 9 * sizeof(int)));
      auto const whole = open_array<int, 3>(store, "a").read(all);
      CHECK(whole.shape() == Extents{6, 11, 9});
      bool is_same = true;
      for (int rank = 0; rank < 3; ++rank)
        for (int step = 0; step < 3; ++step) {
          int next = 1000 * step + 100 * rank;
          test::for_each_element<3>(partition, {2 * static_cast<std::uint64_t>(step), 0, 0}, rank, false,
                                    [&](Extents const& index, Extents const&) { is_same &= whole[index] == next++; });
        }
      CHECK(is_same);
    };
    for (bool const is_aligned : {false, true}) {
      append_steps(static_cast<DeviceBuffer*>(nullptr), is_aligned);
      append_steps(static_cast<PinnedBuffer*>(nullptr), is_aligned);
    }
  });
}

TEST_CASE("page-locked and managed memory with gaps, or in another order, is copied; device memory is refused") {
  under_seeds(4, [] {
    test::CountedStore const store;
    create_array<int, 2>(store, "a", {.shape = {6, 5}, .chunks = {2, 2}}, {}, Queue<space::Host>{});
    auto const partition = Partition::blocks({6, 5}, 2);
    auto const written_by = [&]<class B>(B const*, bool is_transposed) {
      return ThreadRanks::run(2, [&](ThreadRanks const& ranks) {
        DeviceQueue on;
        auto const own = open_array<int, 2>(ranks, store, "a", Queue<space::Host>{2});
        LocalWriter writer{ranks, own, partition, {.copies = true}};
        auto const shape = partition.memory_shape(ranks.rank());
        using Space = typename B::space_type;
        // Each element at 3 times its place, in rows or in columns.
        auto const count = 3 * element_count(shape, "memory");
        std::vector<int> numbers(count, -1);
        std::array<std::ptrdiff_t, 2> steps{3 * static_cast<std::ptrdiff_t>(shape[1]), 3};
        if (is_transposed) steps = {3, 3 * static_cast<std::ptrdiff_t>(shape[0])};
        for (std::uint64_t i = 0; i < shape[0]; ++i)
          for (std::uint64_t j = 0; j < shape[1]; ++j)
            numbers[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) * steps[0] +
                                             static_cast<std::ptrdiff_t>(j) * steps[1])] =
                static_cast<int>(100 * ranks.rank() + 10 * static_cast<int>(i) + static_cast<int>(j));
        auto memory = test::on_device<int, 1, B>(numbers, {count}, on);
        auto pending = writer.write(
            ArrayView<int, 2, Space>{memory.data(), {shape[0], shape[1]}, {steps[0], steps[1]}}, on);
        std::vector<int> const none(count, -1);
        crossing<Space, space::Host>::copy(
            test::bytes_of(none), {reinterpret_cast<std::byte*>(memory.data()), count * sizeof(int)}, on);
        on.wait();  // the memory is free
        pending.wait();
        writer.finish();
      });
    };
    auto const expect_elements = [&] {
      auto const whole = open_array<int, 2>(store, "a").read(all);
      for (std::uint64_t i = 0; i < 6; ++i)
        for (std::uint64_t j = 0; j < 5; ++j)
          CHECK(whole[{i, j}] == static_cast<int>(i < 3 ? 10 * i + j : 100 + 10 * (i - 3) + j));
      open_array<int, 2>(store, "a").fill(all, 0);
    };
    for (bool const is_transposed : {false, true}) {
      CHECK(written_by(static_cast<PinnedBuffer*>(nullptr), is_transposed) == std::vector<std::string>(2));
      expect_elements();
      CHECK(written_by(static_cast<ManagedBuffer*>(nullptr), is_transposed) == std::vector<std::string>(2));
      expect_elements();
      auto const errors = written_by(static_cast<DeviceBuffer*>(nullptr), is_transposed);
      CHECK(errors[0].find("found device memory with gaps or in another order") != std::string::npos);
    }
  });
}

TEST_CASE("messages leave from device memory, if the communicator reads it and the program asks for it") {
  under_seeds(6, [] {
    for (bool const copies : {false, true}) {
      Counted asked, not_asked, of_host;
      write_steps<DeviceBuffer>(copies, {1, 1, 1}, &asked);
      write_steps<DeviceBuffer>(copies, {1, 1, 1}, &not_asked, false);
      write_steps<PinnedBuffer>(copies, {1, 1, 1}, &of_host);
      CHECK(asked.of_device > 0);
      CHECK(not_asked.of_device == 0);
      CHECK(of_host.of_device == 0);
      // The same messages: only those that say in which round elements are wanted always leave from the host.
      CHECK(asked.of_device + asked.of_host == not_asked.of_host);
      CHECK(asked.of_device % 5 == 0);  // in each of the five calls
    }
  });
}

TEST_CASE("an error of a write from device memory is thrown on all ranks by the next call") {
  under_seeds(2, [] {
    test::CountedStore const store;
    create_array<int, 3>(store, "a", {.shape = {4, 11, 9}, .chunks = {1, 5, 4}}, {}, Queue<space::Host>{});
    auto const partition = Partition::blocks({1, 11, 9}, 3);
    auto const errors = ThreadRanks::run(3, [&](ThreadRanks const& ranks) {
      auto of_rank = store.of_one_rank();
      DeviceQueue on;
      auto const array = open_array<int, 3>(ranks, of_rank, "a", Queue<space::Host>{2});
      LocalWriter writer{ranks, array, partition, {.in_flight = 1}};
      auto const memory = step_in<DeviceBuffer>(partition, ranks.rank(), 0, on);
      if (ranks.rank() == 1) *of_rank.left = 0;
      auto const first = writer.write(memory, on, {0, 0, 0});
      auto const second = writer.write(memory, on, {1, 0, 0});
    });
    CHECK(errors[0].find("rank 1: the line is down") != std::string::npos);
    CHECK(errors == std::vector<std::string>(3, errors[0]));
  });
}

}  // namespace parallel_in_device_memory_tests
