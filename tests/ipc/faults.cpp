// Each call of the system behind sockets fails once: the error says which, and no file stays open.
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <unistd.h>

#include <ipc/process.hpp>
#include <support/refused.hpp>
#include <support/system_calls.hpp>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/names.hpp>
#include <tessera/ipc/producer.hpp>

using namespace tessera;

namespace ipc_faults_tests {

using Texts = std::vector<std::string>;

/// `call` makes these calls of the system, and gives these errors when each of them fails.
template <class Call>
void check_faults(Call&& call, Texts const& made, Texts const& errors) {
  for (std::size_t k = 0; k < made.size(); ++k) {
    CAPTURE(k);
    auto const files = test::open_files();
    {
      test::SystemCalls calls;
      calls.fail(k, ENOBUFS);
      CHECK(test::error_of(call) == errors.at(k));
      CHECK(calls.has_failed());
      CHECK(calls.made() == Texts{made.begin(), made.begin() + static_cast<std::ptrdiff_t>(k) + 1});
    }
    CHECK(test::open_files() == files);
  }
}

std::string const why = ": No buffer space available";

TEST_CASE("who cannot be reached by other processes says so at once") {
  Texts const made{"socket", "bind", "listen", "eventfd"};
  Texts const errors{"cannot make a socket" + why, "cannot bind the socket" + why, "cannot listen on the socket" + why,
                     "cannot make an event descriptor" + why};
  check_faults([] { ipc::Producer const producer; }, made, errors);
  check_faults([] { ipc::NameServer const names{[](std::string_view) { return ipc::Descriptor{}; }}; }, made, errors);
}

TEST_CASE("who cannot reach another process says so at once") {
  auto const who = ipc::detail::new_identity();
  auto const listening = ipc::detail::listen_as(who.session);  // connections wait there, and are accepted by nothing
  ipc::Descriptor array;
  array.producer = who, array.memory.kind = "shared-memory", array.memory.size = 8;
  array.type = data_type_of<std::uint8_t>(), array.shape = {8}, array.strides = {1};
  Texts const made{"socket", "connect", "getsockopt", "sendmsg"};
  Texts errors{"cannot make a socket" + why, "cannot connect to the other process" + why,
               "cannot identify the peer" + why, ""};
  errors.back() = "the producer, process " + std::to_string(::getpid()) + ", does not accept requests" + why;
  check_faults([&] { ipc::Consumer{}.attach(array); }, made, errors);
  errors.back() = "the other process does not accept requests";
  check_faults([&] { (void)ipc::ask_for("any", who.session, {.patience = std::chrono::seconds{0}}); }, made, errors);
}

}  // namespace ipc_faults_tests
