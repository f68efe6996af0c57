// A bucket read into pinned memory, which the host writes.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <static/stub_device.hpp>
#include <support/bytes.hpp>
#include <support/s3_server.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/s3.hpp>

using namespace tessera;

namespace s3_tests {

TEST_CASE("values in pinned memory: the store tells of each that arrives, and its version") {
  if (!test::has_s3("reads of a bucket into pinned memory")) return;
  test::S3Server const server;
  for (int i = 0; i < 3; ++i) test::put(server.at("f"), std::to_string(i), "value " + std::to_string(i));
  S3Store<stub::PinnedBuffer> const store{"s3://tests/f", server.options()};
  Queue<space::Device> on;
  std::vector<Key> const keys{{"0"}, {"1"}, {"2"}, {"none"}};
  std::vector<std::string> memory(4), versions(4), told(4);
  std::vector<std::function<ByteSpan<space::Pinned>(std::size_t)>> destinations;
  std::vector<std::function<bool(std::optional<std::size_t>)>> functions;
  for (std::size_t i = 0; i < 4; ++i) {
    destinations.emplace_back([&memory, i](std::size_t n) {
      memory[i].resize(n);
      return ByteSpan<space::Pinned>{reinterpret_cast<std::byte*>(memory[i].data()), n};
    });
    functions.emplace_back([&, i](std::optional<std::size_t> size) {
      CHECK(size.value_or(0) == memory[i].size());
      told[i] += size ? memory[i] : "missing";
      return false;
    });
  }
  std::vector<FunctionRef<bool(std::optional<std::size_t>)>> const arrived(functions.begin(), functions.end());
  std::vector<ReadRequest<space::Pinned>> requests;
  for (std::size_t i = 0; i < 4; ++i) {
    auto& request = requests.emplace_back(ReadRequest<space::Pinned>{&keys[i], {}, destinations[i]});
    request.version = &versions[i];
    request.arrived = &arrived[i];
  }
  store.get_many(requests, on);
  CHECK(told == std::vector<std::string>{"value 0", "value 1", "value 2", "missing"});  // each once
  CHECK(memory == std::vector<std::string>{"value 0", "value 1", "value 2", ""});
  for (std::size_t i = 0; i < 3; ++i) CHECK(versions[i].starts_with('"'));
}

}  // namespace s3_tests
