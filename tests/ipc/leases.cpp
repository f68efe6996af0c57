// Leases end with their processes, and leased memory stays.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <ipc/process.hpp>
#include <support/random.hpp>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/producer.hpp>

using namespace tessera;

namespace leases_tests {

using Numbers = OwnedArray<std::uint64_t, 1, SharedBuffer>;

Numbers zeros(std::uint64_t count) {
  Queue<space::Host> on;
  return Numbers{{count}, on};
}

// Answers questions about its arrays, until it is killed or its channel closes.
test::Process producing(std::size_t arrays) {
  return test::Process{[arrays](test::Channel& tell) {
    auto const before = test::open_files();
    ipc::Producer producer;
    auto const idle = test::open_files() - before;
    std::vector<ipc::Published> published;
    for (std::size_t i = 0; i < arrays; ++i) {
      published.push_back(producer.publish(zeros(1000)));
      tell.put(published.back().json());
    }
    for (;;) {
      auto const question = tell.get();
      if (question == "end") return;
      if (question == "withdraw") published.clear();
      if (question == "unheld") tell.put(test::comes_true([&] { return producer.leases() == 0; }) ? "yes" : "no");
      // Connections of ended processes are closed, so a descriptor is left for each allocation, and the channel's.
      if (question == "files")
        tell.put(test::comes_true([&] { return test::open_files() == before + idle + producer.allocations(); }) ? "yes"
                                                                                                                : "no");
      if (question == "allocations") tell.put(std::to_string(producer.allocations()));
      if (question == "gone") tell.put(test::comes_true([&] { return producer.allocations() == 0; }) ? "yes" : "no");
    }
  }};
}
std::string answer(test::Process const& process, std::string const& question) {
  process->put(question);
  return process->get();
}

test::Process holding(ipc::Descriptor array, bool writes) {
  return test::Process{[array, writes](test::Channel& tell) {
    ipc::Consumer consumer;
    std::optional<ipc::Attached<space::Host>> reader;
    std::optional<ipc::Attached<space::Host, ipc::Writing>> writer;
    try {
      if (writes)
        writer = consumer.attach_to_write(array);
      else
        reader = consumer.attach(array);
      tell.put("held");
    } catch (ipc::LeaseRefused const& refused) {
      tell.put(refused.what());
    }
    tell.get();
    if (writer) writer->close();
    if (reader) reader->close();
    tell.put("closed");
    tell.get();
  }};
}

TEST_CASE("one process writes, or many read") {
  auto producer = producing(1);
  auto const array = ipc::parse_descriptor(producer->get());
  auto first = holding(array, false);
  CHECK(first->get() == "held");
  auto second = holding(array.slice({{5, 9}}), false);
  CHECK(second->get() == "held");
  CHECK(holding(array, true)->get() == "no lease: 2 leases to read are held");
  CHECK(answer(first, "close") == "closed");
  second.kill();  // the kernel returns its lease
  CHECK(answer(producer, "unheld") == "yes");
  auto writer = holding(array, true);
  CHECK(writer->get() == "held");
  CHECK(holding(array, false)->get() == "no lease: another lease to write is held");
  CHECK(holding(array, true)->get() == "no lease: another lease to write is held");
  writer.kill();
  CHECK(answer(producer, "unheld") == "yes");
  CHECK(holding(array, false)->get() == "held");
}

TEST_CASE("what is withdrawn stays for those who hold it, and can be attached by nobody else") {
  auto producer = producing(1);
  auto const array = ipc::parse_descriptor(producer->get());
  ipc::Consumer consumer;
  auto attached = consumer.attach(array);
  producer->put("withdraw");
  CHECK(answer(producer, "allocations") == "1");
  CHECK(attached.view<std::uint64_t const, 1>()(999) == 0);
  auto const again = consumer.attach(array.slice({{1, 2}}));  // it is open here
  ipc::Consumer another;
  CHECK_THROWS_AS(another.attach(array), ipc::IpcError);
  attached.close();
  CHECK_THROWS_AS((attached.view<std::uint64_t const, 1>()), ipc::IpcError);
  CHECK(answer(producer, "allocations") == "1");
  { auto const last = std::move(const_cast<ipc::Attached<space::Host>&>(again)); }
  CHECK(answer(producer, "gone") == "yes");
}

TEST_CASE("a producer that dies gives its consumers an error at the next use") {
  auto producer = producing(1);
  auto const array = ipc::parse_descriptor(producer->get());
  ipc::Consumer consumer;
  auto const attached = consumer.attach(array);
  auto const view = attached.view<std::uint64_t const, 1>();
  producer.kill();
  CHECK(view(3) == 0);  // the memory exists: its users end well
  CHECK_THROWS_AS((attached.view<std::uint64_t const, 1>()), ipc::ProducerGone);
  CHECK_THROWS_AS(consumer.attach(array), ipc::ProducerGone);
  CHECK_THROWS_AS(ipc::Consumer{}.attach(array), ipc::ProducerGone);
}

TEST_CASE("an orderly end is told like any other, and a child made by fork cannot use what is attached") {
  auto producer = producing(1);
  auto const array = ipc::parse_descriptor(producer->get());
  ipc::Consumer consumer;
  auto const attached = consumer.attach(array);
  test::Process child{[&](test::Channel&) {
    try {
      (void)attached.buffer().view();
    } catch (ipc::IpcError const&) {
      return;
    }
    throw std::runtime_error{"nothing was thrown"};
  }};
  CHECK(child.wait());
  CHECK(attached.buffer().view().size == 8000);
  producer->put("end");
  CHECK(producer.wait());
  CHECK_THROWS_AS((void)attached.buffer().view(), ipc::ProducerGone);
}

TEST_CASE("a producer that had no file left for a consumer takes it when there is one again") {
  test::Process producer{[](test::Channel& tell) {
    ipc::Producer all;
    auto const published = all.publish(zeros(10));
    tell.put(published.json());
    tell.get();
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    auto none = limit;
    int const next = ::dup(0);
    ::close(next);
    none.rlim_cur = static_cast<rlim_t>(next);
    ::setrlimit(RLIMIT_NOFILE, &none);
    tell.put("no more files");
    tell.get();
    ::setrlimit(RLIMIT_NOFILE, &limit);
    tell.put("as many as before");
    tell.get();
  }};
  auto array = ipc::parse_descriptor(producer->get());
  ipc::Consumer consumer;
  auto const attached = consumer.attach(array);
  CHECK(answer(producer, "take them") == "no more files");
  auto const waiting = ipc::detail::connect_to(array.producer.session);
  array.memory.number = 77;
  for (int i = 0; i < 2; ++i)  // when the second is answered, the server has checked for waiting requests
    CHECK_THROWS_AS(consumer.attach(array), ipc::IpcError);
  CHECK(answer(producer, "give them back") == "as many as before");
  REQUIRE(ipc::detail::send(waiting, ipc::detail::Request{.allocation = 77}));
  CHECK(ipc::detail::receive<ipc::detail::Reply>(waiting).is_whole);
  producer->put("end");
  CHECK(producer.wait());
}

TEST_CASE("an answer that comes late is not taken for that to a later question") {
  auto who = ipc::detail::new_identity();
  auto const listening = ipc::detail::listen_as(who.session);
  detail::MemoryFile const first{8}, second{8};
  *first.data() = std::byte{1}, *second.data() = std::byte{2};
  ipc::Descriptor array;
  array.producer = who, array.memory.kind = "shared-memory", array.memory.size = 8;
  array.type = data_type_of<std::uint8_t>(), array.shape = {8}, array.strides = {1};
  std::vector<ipc::detail::Request> heard;
  std::thread producer{[&] {
    ipc::detail::File const socket{::accept4(listening.number(), nullptr, nullptr, SOCK_CLOEXEC)};
    auto const hear = [&] { heard.push_back(ipc::detail::receive<ipc::detail::Request>(socket).message); };
    auto const grant = [&](ipc::detail::Request const& asked, detail::MemoryFile const& memory) {
      ipc::detail::File const file{memory.open(detail::MemoryFile::Access::read)};
      ipc::detail::Reply const reply{.answer = ipc::detail::Answer::granted, .number = asked.number};
      ipc::detail::send(socket, reply, file.number());
    };
    hear();
    char const nothing = 0;
    ipc::detail::send(socket, nothing);  // as if it had taken too long
    hear(), hear();
    grant(heard[0], first);
    grant(heard[2], second);
    hear();
  }};
  {
    ipc::Consumer consumer;
    array.memory.number = 1;
    CHECK_THROWS_AS(consumer.attach(array), ipc::ProducerGone);
    array.memory.number = 2;
    auto const attached = consumer.attach(array);
    CHECK(attached.view<std::uint8_t const, 1>()(0) == 2);
  }
  producer.join();
  REQUIRE(heard.size() == 4);
  for (std::size_t const i : {0u, 2u}) {  // both leases are returned, the first as soon as no request waits for it
    CHECK(heard[i].what == ipc::detail::What::take);
    CHECK(heard[i + 1].what == ipc::detail::What::give_back);
    CHECK(heard[i + 1].number == heard[i].number);
  }
}

TEST_CASE("a lease without the memory file is an error, and is returned") {
  auto who = ipc::detail::new_identity();
  auto const listening = ipc::detail::listen_as(who.session);
  ipc::Descriptor array;
  array.producer = who, array.memory.kind = "shared-memory", array.memory.size = 8;
  array.type = data_type_of<std::uint8_t>(), array.shape = {8}, array.strides = {1};
  ipc::detail::Request taken, returned;
  std::thread producer{[&] {
    ipc::detail::File const socket{::accept4(listening.number(), nullptr, nullptr, SOCK_CLOEXEC)};
    taken = ipc::detail::receive<ipc::detail::Request>(socket).message;
    ipc::detail::Reply const reply{.answer = ipc::detail::Answer::granted, .number = taken.number};
    ipc::detail::send(socket, reply);
    returned = ipc::detail::receive<ipc::detail::Request>(socket).message;
  }};
  CHECK_THROWS_WITH_AS(ipc::Consumer{}.attach(array), "the producer sent no memory file with the lease", ipc::IpcError);
  producer.join();
  CHECK(taken.what == ipc::detail::What::take);
  CHECK(returned.what == ipc::detail::What::give_back);
  CHECK(returned.number == taken.number);
}

// Attaches, slices, reads, writes and detaches at random. All elements of an array are one number, except during a
// write: then the first one marks it, because a writer may be killed.
void use_at_random(std::vector<ipc::Descriptor> const& arrays, std::uint64_t seed, int steps) {
  constexpr std::uint64_t unfinished = ~std::uint64_t{0};
  test::Random random{seed};
  auto const files = test::open_files();
  {
    ipc::Consumer consumer;
    std::vector<ipc::Attached<space::Host>> held;
    for (int step = 0; step < steps; ++step) try {
        auto const& array = arrays[random(0, arrays.size() - 1)];
        auto const first = random(0, 998), stop = first + 1 + random(0, 998 - first);
        switch (random(0, 3)) {
          case 0:
            held.push_back(consumer.attach(array.slice({{first + 1, stop + 1}})));
            break;
          case 1:
            if (!held.empty()) held.erase(held.begin() + static_cast<std::ptrdiff_t>(random(0, held.size() - 1)));
            break;
          case 2: {
            auto const whole = consumer.attach(array);
            auto const elements = whole.view<std::uint64_t const, 1>();
            auto const number = elements(0);
            for (std::uint64_t i = 1; number != unfinished && i < 1000; ++i)
              if (elements(i) != number) throw std::runtime_error{"somebody writes what is read"};
            break;
          }
          default: {
            auto const whole = consumer.attach_to_write(array);
            auto const elements = whole.view<std::uint64_t, 1>();
            elements(0) = unfinished;
            std::atomic_signal_fence(std::memory_order_seq_cst);
            auto const number = random(0, 1u << 30);
            for (std::uint64_t i = 1; i < 1000; ++i) elements(i) = number;
            std::atomic_signal_fence(std::memory_order_seq_cst);
            elements(0) = number;
          }
        }
        if (held.size() > 6) held.clear();
      } catch (ipc::LeaseRefused const&) {
      }
    held.clear();
    if (test::shared_mappings() != 0) throw std::runtime_error{"shared memory is left"};
    if (test::open_files() > files + 2) throw std::runtime_error{"descriptors are left"};  // connection and process
  }
  if (test::open_files() != files) throw std::runtime_error{"descriptors are left"};
}

TEST_CASE("four consumers at random, killed at random, and then their producer: nothing is lost or left") {
  auto const seed = test::wanted("TESSERA_IPC_SEED", 26), steps = test::wanted("TESSERA_IPC_STEPS", 2500);
  CAPTURE(seed);
  test::Random random{seed};
  auto producer = producing(3);
  std::vector<ipc::Descriptor> arrays;
  for (int i = 0; i < 3; ++i) arrays.push_back(ipc::parse_descriptor(producer->get()));
  std::uint64_t next = seed;
  auto const consuming = [&] {
    return test::Process{[&arrays, steps, own = ++next](test::Channel& tell) {
      tell.put("here");
      use_at_random(arrays, own, static_cast<int>(steps));
    }};
  };
  std::vector<test::Process> consumers;
  for (int i = 0; i < 4; ++i) consumers.push_back(consuming());
  for (auto kills = steps / 250; kills > 0; --kills) {
    auto const which = random(0, 3);
    consumers[which]->get();
    ::usleep(static_cast<unsigned>(random(0, 3000)));  // anywhere in its work
    consumers[which].kill();
    consumers[which] = consuming();
  }
  for (auto& consumer : consumers) CHECK(consumer.wait());
  CHECK(answer(producer, "unheld") == "yes");
  CHECK(answer(producer, "allocations") == "3");
  CHECK(answer(producer, "files") == "yes");
  // Now the producer ends, in the middle of everything: its consumers are told, and no wait lasts for ever.
  for (auto& consumer : consumers)
    consumer = test::Process{[&](test::Channel& tell) {
      tell.put("here");
      try {
        for (;;) use_at_random(arrays, 1, 100);
      } catch (ipc::ProducerGone const&) {
      }
      if (test::shared_mappings() != 0) throw std::runtime_error{"shared memory is left"};
    }};
  for (auto& consumer : consumers) consumer->get();
  ::usleep(static_cast<unsigned>(random(0, 3000)));
  producer.kill();
  for (auto& consumer : consumers) CHECK(consumer.wait());
}

}  // namespace leases_tests
