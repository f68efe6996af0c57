// Arrays by name, under a budget; Zarr arrays that are read once for all.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <ipc/process.hpp>
#include <support/refused.hpp>
#include <tessera/all.hpp>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/names.hpp>
#include <tessera/ipc/shared_arrays.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

namespace shared_arrays_tests {

// Names are sizes in bytes: "100a" has 100. Each new array is counted.
struct Made {
  ipc::Producer producer{};
  std::vector<std::string> names{};
  ipc::SharedArrays::Find find() {
    return [this](std::string_view name) {
      auto const size = std::stoull(std::string{name});
      return ipc::Source{size, [this, size, own = std::string{name}] {
                           names.push_back(own);
                           return producer.publish(SharedBuffer{size}, {DataKind::unsigned_integer, 1}, {size});
                         }};
    };
  }
};

TEST_CASE("of arrays that nobody holds, that which was asked for least recently goes first") {
  Made made;
  ipc::SharedArrays shared{300, made.find()};
  ipc::Consumer consumer;
  auto held = consumer.attach(shared.get("100a"));
  (void)shared.get("100b");
  (void)shared.get("100c");
  (void)shared.get("100b");
  CHECK(made.names == std::vector<std::string>{"100a", "100b", "100c"});
  CHECK(shared.bytes() == 300);
  (void)shared.get("50d");
  CHECK((shared.contains("100a") && shared.contains("100b") && !shared.contains("100c")));
  CHECK(shared.bytes() == 250);
  CHECK_THROWS_WITH_AS(shared.get("201e"),
                       "no room for \"201e\" of 201 bytes: 100 of the budget of 300 bytes are in use", ipc::IpcError);
  CHECK(made.producer.allocations() == 1);  // leased
  CHECK_THROWS_AS(shared.get("301f"), ipc::IpcError);
  CHECK(shared.contains("100a"));
  held.close();
  REQUIRE(test::comes_true([&] { return made.producer.leases() == 0; }));
  (void)shared.get("201e");
  CHECK(!shared.contains("100a"));
  CHECK(made.producer.allocations() == 1);
}

TEST_CASE("who waits for another process's answer ends when told to, and when that says nothing for too long") {
  std::atomic<bool> asked{false}, stop{false}, answers{false};
  ipc::NameServer const names{[&](std::string_view) {
    asked = true;
    asked.notify_all();
    answers.wait(false);
    return ipc::Descriptor{};
  }};
  std::thread stops{[&] {
    asked.wait(false);
    stop = true;
  }};
  CHECK_THROWS_AS(ipc::ask_for("any", names.address(), {.stop = &stop}), Cancelled);
  stops.join();
  CHECK_THROWS_WITH_AS(ipc::ask_for("any", names.address(), {.patience = std::chrono::seconds{0}}),
                       "the other process did not answer for \"any\" in 0 s", ipc::IpcError);
  answers = true;
  answers.notify_all();
}

TEST_CASE("a server of names answers when getting an array throws anything") {
  ipc::NameServer const names{[](std::string_view name) -> ipc::Descriptor {
    if (name == "number") throw 7;
    throw std::runtime_error{"it is on tape"};
  }};
  for (int i = 0; i < 2; ++i) {
    CHECK(test::error_of([&] { (void)ipc::ask_for("number", names.address()); }) ==
          "no array \"number\": an exception of an unknown type");
    CHECK(test::error_of([&] { (void)ipc::ask_for("text", names.address()); }) == "no array \"text\": it is on tape");
  }
}

TEST_CASE("names that are too long, and addresses where nothing is, are errors at once") {
  ipc::NameServer const names{[](std::string_view) { return ipc::Descriptor{}; }};
  auto const asked = [](std::string const& name, std::string const& address) {
    return test::error_of([&] { (void)ipc::ask_for(name, address); });
  };
  CHECK(asked(std::string(1 << 20, 'x'), names.address()).starts_with("a name must have at most "));
  CHECK(asked("any", names.address().substr(1)).ends_with(" characters, and an address 32"));
  CHECK(asked("any", std::string(32, '0')) == "no process serves that address");
}

// LeakSanitizer asks for it: the test below has a leak on purpose.
extern "C" char const* __lsan_default_suppressions();
extern "C" char const* __lsan_default_suppressions() { return "leak:ipc::detail::Publications::never_free"; }

TEST_CASE("a producer whose memory another process keeps open ends all the same, and does not free it") {
  auto owner = std::make_shared<int>(1);
  std::weak_ptr<int> const alive = owner;
  std::optional<ipc::Producer> producer{std::in_place, std::chrono::seconds{0}};
  SharedBuffer const buffer{8};
  auto const file = buffer.file();
  ipc::detail::Exported allocation{.kind = "shared-memory"};
  allocation.size = file->size(), allocation.data = file->data();
  allocation.open = [file](bool) { return file->open(tessera::detail::MemoryFile::Access::read); };
  allocation.owner = std::move(owner);
  allocation.outlasts_leases = true;
  ipc::Descriptor described;
  described.type = {DataKind::unsigned_integer, 1}, described.shape = {8}, described.strides = Strides{1};
  auto published = std::make_optional(producer->publish(std::move(allocation), std::move(described)));
  test::Process holder{[json = published->json()](test::Channel& tell) {
    ipc::Consumer consumer;
    auto const held = consumer.attach(ipc::parse_descriptor(json));
    tell.put("held");
    tell.get();
  }};
  REQUIRE(holder->get() == "held");
  published.reset();
  producer.reset();
  CHECK_FALSE(alive.expired());
  holder->put("end");
  CHECK(holder.wait());
}

TEST_CASE("child: server of names" * doctest::skip()) {
  auto const tell = test::Process::mine();
  ipc::Producer producer;
  std::atomic<int> opened = 0;  // counted by the server's thread
  LocalStore<HostBuffer> const store{"examples/data/brain.zarr"};
  ipc::SharedArrays shared{std::uint64_t{64} << 20, [&](std::string_view path) {
                             ++opened;
                             return ipc::source_of(producer, open(store, std::string{path}));
                           }};
  ipc::NameServer const names{[&](std::string_view name) { return shared.get(name); }};
  tell.put(names.address());
  tell.get();
  tell.put(std::to_string(opened));
  tell.get();
}

TEST_CASE("a Zarr array that is asked for by path is read once, for all who ask") {
  auto server = test::Process::running("child: server of names");
  auto const address = server->get();
  std::vector<test::Process> readers;
  for (int i = 0; i < 3; ++i)
    readers.push_back(test::Process{[&](test::Channel&) {
      ipc::Consumer consumer;
      auto const array = consumer.attach(ipc::ask_for("t1", address));
      auto const expected = open("examples/data/brain.zarr", "t1").as<std::uint8_t, 3>().read(all);
      auto const view = array.view<std::uint8_t const, 3>();
      if (array.shape() != expected.shape()) throw std::runtime_error{"another shape"};
      for (std::uint64_t i = 0; i < view.shape[0]; ++i)
        if (view(i, i / 2, 7) != expected(i, i / 2, 7)) throw std::runtime_error{"another element"};
    }});
  for (auto& reader : readers) CHECK(reader.wait());
  CHECK_THROWS_AS(ipc::ask_for("none", address), ipc::IpcError);
  CHECK_THROWS_AS(ipc::ask_for("t1", std::string(32, '0')), ipc::ProducerGone);
  server->put("how often?");
  CHECK(server->get() == "2");  // "none" was searched too
  server->put("end");
  CHECK(server.wait());
}

}  // namespace shared_arrays_tests
