// Objects of the parent that a child made by fork() must not use.
#include <csignal>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <unistd.h>

#include <doctest/doctest.h>

#include <ipc/process.hpp>
#include <support/refused.hpp>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/names.hpp>
#include <tessera/ipc/producer.hpp>

using namespace tessera;

namespace ipc_fork_tests {

OwnedArray<std::uint8_t, 1, SharedBuffer> an_array() {
  Queue<space::Host> on;
  return {{10}, on};
}

TEST_CASE("a child made by fork neither publishes by its parent's producer nor ends it") {
  auto producer = std::make_optional<ipc::Producer>();
  auto const array = producer->publish(an_array());
  auto names = std::make_optional<ipc::NameServer>([&](std::string_view) { return array.descriptor(); });
  test::Process child{[&](test::Channel&) {
    auto const why = test::error_of([&] { (void)producer->publish(an_array()); });
    if (why != "a child made by fork() cannot publish with its parent's producer") throw std::runtime_error{why};
    names.reset();
    producer.reset();
  }};
  CHECK(child.wait());
  CHECK(producer->allocations() == 1);
  CHECK(ipc::ask_for("any", names->address()) == array.descriptor());
  CHECK(ipc::Consumer{}.attach(array.descriptor()).shape() == Extents{10});
}

TEST_CASE("a producer that ends is gone, though a child made by fork has its end of the sockets") {
  test::Process producer{[](test::Channel& tell) {
    ipc::Producer own;
    auto const array = own.publish(an_array());
    tell.put(array.json());
    tell.get();
    auto const child = ::fork();
    if (child == 0) {
      ::alarm(240);
      for (;;) ::pause();
    }
    tell.put(std::to_string(child));
    tell.get();
  }};
  auto const array = ipc::parse_descriptor(producer->get());
  ipc::Consumer consumer;
  auto const attached = consumer.attach(array);
  producer->put("attached");
  auto const child = std::stoi(producer->get());
  CHECK(attached.buffer().view().size == 10);
  producer.kill();
  CHECK_THROWS_AS((void)attached.buffer().view(), ipc::ProducerGone);
  CHECK_THROWS_AS(consumer.attach(array), ipc::ProducerGone);
  CHECK(test::error_of([&] { (void)ipc::Consumer{}.attach(array); }).ends_with(" has ended"));
  ::kill(child, SIGKILL);
}

TEST_CASE("a child made by fork has threads of its own, which its parent's handles leave alone") {
  auto producer = std::make_optional<ipc::Producer>();
  auto names = std::make_optional<ipc::NameServer>([](std::string_view) { return ipc::Descriptor{}; });
  test::Process child{[&](test::Channel&) {
    ipc::Producer own;  // its threads may have the addresses of the parent's
    auto const array = own.publish(an_array());
    ipc::NameServer const own_names{[&](std::string_view) { return array.descriptor(); }};
    names.reset();
    producer.reset();
    if (ipc::ask_for("any", own_names.address()) != array.descriptor()) throw std::runtime_error{"another array"};
  }};
  CHECK(child.wait());
}

}  // namespace ipc_fork_tests
