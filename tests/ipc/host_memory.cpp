// Arrays of host memory in other processes: publishing, attaching, slicing and refusals.
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <unistd.h>

#include <ipc/process.hpp>
#include <ipc/schema.hpp>
#include <support/refused.hpp>
#include <tessera/core/types/fixed_text.hpp>
#include <tessera/core/types/times.hpp>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::error_of;

namespace host_memory_tests {

using Floats = OwnedArray<float, 2, SharedBuffer>;

// Elements 0, 1, 2 ...
Floats counted(std::uint64_t rows, std::uint64_t columns) {
  Queue<space::Host> on;
  Floats array{{rows, columns}, on};
  std::iota(array.begin(), array.end(), 0.0F);
  return array;
}

// A producer in a process of its own: it publishes, answers, and stays until it is told to end.
test::Process producing() {
  return test::Process{[](test::Channel& tell) {
    ipc::Producer producer;
    auto const published = producer.publish(counted(6, 4));
    tell.put(published.json());
    tell.get();
  }};
}

TEST_CASE("an array of another process is read where it is, whole and sliced") {
  auto producer = producing();
  auto const array = ipc::parse_descriptor(producer->get());
  ipc::Consumer consumer;
  {
    auto const whole = consumer.attach(array);
    CHECK(whole.shape() == Extents{6, 4});
    CHECK(whole.view<float const, 2>()(5, 3) == 23);
    auto const part = consumer.attach(array.slice({{1, 6, 2}, {2, 4}}));
    auto const view = part.view<float const, 2>();
    CHECK(view.shape[0] == 3);
    CHECK(view(2, 1) == 23);
    CHECK(test::shared_mappings() == 1);  // one allocation, opened once
    CHECK(whole.buffer().view().data == part.buffer().view().data);
  }
  CHECK(test::shared_mappings() == 0);
  producer->put("go");
  CHECK(producer.wait());
}

TEST_CASE("descriptors are JSON that reads back as it was, with handles in either form") {
  ipc::Producer producer;
  auto const published = producer.publish(counted(2, 3));
  auto array = published.descriptor();
  array.memory.handle = {std::byte{0}, std::byte{255}, std::byte{7}};
  CHECK(ipc::parse_descriptor(ipc::to_json(array)) == array);
  CHECK(ipc::parse_descriptor(ipc::to_json(array, ipc::Octets::list)) == array);
  CHECK(to_json(ipc::to_value(array, ipc::Octets::list)).find("255") != std::string::npos);
}

TEST_CASE("a view is copied into shared memory, in C order") {
  std::vector<std::int16_t> const elements{1, 2, 3, 4, 5, 6};
  ArrayView<std::int16_t const, 2> transposed{elements.data(), {3, 2}, {1, 3}};
  ipc::Producer producer;
  auto const published = producer.publish(transposed);
  ipc::Consumer consumer;  // in the producer's own process too
  auto const attached = consumer.attach(published.json());
  auto const view = attached.view<std::int16_t const, 2>();
  CHECK(view(0, 1) == 4);
  CHECK(view(2, 0) == 3);
  CHECK(view.strides[0] == 2);
  CHECK(producer.leases() == 1);
}

TEST_CASE("arrays without elements and of no dimension are published") {
  Queue<space::Host> on;
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const empty = producer.publish(OwnedArray<float, 2, SharedBuffer>{{0, 4}, on});
  CHECK(consumer.attach(empty.json()).shape() == Extents{0, 4});
  OwnedArray<std::uint8_t, 0, SharedBuffer> one{{}, on};
  *one.data() = 9;
  auto const scalar = producer.publish(std::move(one));
  auto const attached = consumer.attach(scalar.json());
  CHECK(attached.view<std::uint8_t const, 0>()() == 9);
}

TEST_CASE("what does not fit the program is refused") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const published = producer.publish(counted(6, 4));
  auto const attached = consumer.attach(published.descriptor());
  CHECK(error_of([&] { attached.view<double const, 2>(); }) ==
        "the array's elements are float32, expected float64, which this program asks for");
  CHECK(error_of([&] { attached.view<float const, 3>(); }) == "the array has 2 dimensions, expected 3");
  auto crooked = published.descriptor();
  crooked.offset = 2, crooked.shape = {1, 1};
  auto const unaligned = consumer.attach(crooked);
  CHECK(error_of([&] { unaligned.view<float const, 2>(); }) == "the array is not aligned to the 4 bytes of float32");
}

TEST_CASE("descriptors are not believed") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const published = producer.publish(counted(6, 4));
  auto const outside = " does not lie in its allocation, which has 96 bytes";
  auto const changed = [&](auto change) {
    auto array = published.descriptor();
    array.memory.size = ~std::uint64_t{0};  // by the descriptor
    change(array);
    return error_of([&] { consumer.attach(array); });
  };
  CHECK(changed([](auto&) {}) == "nothing was thrown");
  CHECK(changed([](auto& array) { array.shape = {7, 4}; }).find(outside) != std::string::npos);
  CHECK(changed([](auto& array) { array.offset = 4; }).find(outside) != std::string::npos);
  CHECK(changed([](auto& array) { array.offset = ~std::uint64_t{0}; }).find(outside) != std::string::npos);
  CHECK(changed([](auto& array) { array.strides = {-4, 1}; }).find(outside) != std::string::npos);
  CHECK(changed([](auto& array) { array.strides = {-4, 1}, array.offset = 80; }) == "nothing was thrown");
  CHECK(changed([](auto& array) { array.strides = {std::int64_t{1} << 62, 1}; }).find(outside) != std::string::npos);
  CHECK(changed([](auto& array) { array.strides = {INT64_MIN, 1}; }).find(outside) != std::string::npos);
  CHECK(changed([](auto& array) {
          array.shape = {~std::uint64_t{0}, ~std::uint64_t{0}};
        }).find(outside) != std::string::npos);
  CHECK(changed([](auto& array) { array.strides = {4}; }).find(outside) != std::string::npos);
  CHECK(changed([](auto& array) { array.memory.number = 77; }) ==
        "no lease: allocation 77 is not or no longer published");
  CHECK(changed([](auto& array) { array.memory.kind = "cuda-ipc"; }).find("expected shared-memory") !=
        std::string::npos);
  CHECK(changed([](auto& array) { array.producer.host = "elsewhere"; }).find("another host") != std::string::npos);
  CHECK(changed([](auto& array) { array.producer.session = std::string(32, '0'); }).find("has ended") !=
        std::string::npos);
  auto other_process = published.descriptor();
  other_process.producer.process = 1;
  CHECK(error_of([&] { ipc::Consumer{}.attach(other_process); }) ==
        "the descriptor names process 1, but another one answers");
  CHECK(producer.leases() == 0);  // refused memory is freed
  auto const json = published.json();
  auto const other = [&](std::string const& from, std::string const& to) {
    auto text = json;
    REQUIRE(text.find(from) != text.npos);
    text.replace(text.find(from), from.size(), to);
    return error_of([&] { consumer.attach(text); });
  };
  CHECK(other("tessera-ipc", "other") == "member format: found \"other\", expected \"tessera-ipc\"");
  CHECK(other("    1,\n    0", "2,0") == "member version[0]: found 2, expected an integer from 1 to 1");
  CHECK(other("\"offset\"", "\"more\": 1, \"offset\"") == "member more is unknown");
  CHECK(other("    1,\n    0", "1") == "member version: found [1], expected a major and a minor version");
  auto const& session = published.descriptor().producer.session;
  for (auto const& digits : {session.substr(1), "g" + session.substr(1)})
    CHECK(other(session, digits) ==
          "member producer.session: found \"" + digits + "\", expected 32 hexadecimal digits");
  CHECK(other("    4,\n    1\n", "4").ends_with("expected a stride for each dimension"));
  CHECK(other("\"strides\": [", "\"strides\": [1, ").ends_with("expected a stride for each dimension"));
  CHECK(other("    1,\n    0\n  ],", "1,1], \"more\": 1,") == "nothing was thrown");  // of a later minor version
  CHECK(other("float32", "text")
            .starts_with("member data_type: \"text\" is not supported; the supported types are bool, int8"));
  CHECK(other("float32", "string") ==
        "member data_type: found \"string\", expected a data type of a fixed size and without fields");
  auto const type = [&](std::string const& name, std::string const& configuration) {
    return other("\"float32\"", "{\"name\": \"" + name + "\", \"configuration\": {" + configuration + "}}");
  };
  std::string const unit = "\"unit\": \"ns\"", scale = "\"scale_factor\": 1";
  CHECK(type("numpy.datetime64", unit + ", " + scale).find(outside) != std::string::npos);  // of eight bytes each
  CHECK(type("numpy.datetime64", unit) == "member data_type.configuration.scale_factor is missing");
  CHECK(type("numpy.datetime64", scale + ", \"unit\": \"pm\"")
            .starts_with("member data_type.configuration.unit: found"));
  CHECK(type("numpy.timedelta64", unit + ", \"scale_factor\": 0").find("from 1 to 2147483647") != std::string::npos);
  CHECK(type("numpy.timedelta64", unit + ", " + scale + ", \"more\": 1") ==
        "member data_type.configuration.more is unknown");
  CHECK(type("fixed_length_utf32", "\"length_bytes\": 6").find("expected a multiple of 4") != std::string::npos);
  CHECK(type("null_terminated_bytes", "\"length_bytes\": 4294967296").find("from 1 to 1048576") != std::string::npos);
  CHECK(type("null_terminated_bytes", "\"length_bytes\": 4") == "nothing was thrown");
  CHECK(type("struct", "\"fields\": [{\"name\": \"a\", \"data_type\": \"float32\"}]")
            .ends_with("expected a data type of a fixed size and without fields"));
  CHECK(type("float32", unit) == "member data_type.configuration.unit is unknown");
}

TEST_CASE("elements of all types of a fixed size without fields are published, and no others") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  SharedBuffer const buffer{16};
  for (auto const type : {DataType{DataKind::structure, 8, {}, {}, 1, 4}, string_type, bytes_type})
    CHECK(error_of([&] {
            producer.publish(buffer, type, {1});
          }).starts_with("elements of " + type.name() + " cannot be shared between processes"));
  for (auto const type : {DataType{DataKind::floating, 3}, DataType{DataKind::utf32, 6}, DataType{DataKind::raw, 0}})
    CHECK_THROWS_AS(producer.publish(buffer, type, {1}), Error);  // not types of Zarr
  CHECK(producer.allocations() == 0);
  auto const schema = test::ipc_schema();
  for (auto const type :
       {DataType{DataKind::floating, 2, NumberFormat::bfloat16}, DataType{DataKind::raw, 5},
        DataType{DataKind::datetime, 8, {}, TimeUnit::nanosecond, 10}, DataType{DataKind::datetime, 8},
        DataType{DataKind::timedelta, 8, {}, TimeUnit::month}, DataType{DataKind::utf32, 16},
        DataType{DataKind::null_terminated, 3}, DataType{DataKind::complex, 4}}) {
    auto const published = producer.publish(buffer, type, {16 / type.size});
    CHECK(consumer.attach(published.json()).type() == type);
    CHECK(test::fits(ipc::to_value(published.descriptor()), schema, schema));
  }
}

TEST_CASE("times and text of another process are elements of this program's types") {
  using Moment = std::chrono::sys_time<std::chrono::nanoseconds>;
  test::Process other{[](test::Channel& tell) {
    std::vector<Moment> const moments{Moment{std::chrono::seconds{7}}, nat<Moment>};
    std::vector<Utf32<3>> const words{U"no", U"yes"};
    ipc::Producer producer;
    auto const times = producer.publish(ArrayView<Moment const, 1>::c_order(moments.data(), {2}));
    auto const text = producer.publish(ArrayView<Utf32<3> const, 1>::c_order(words.data(), {2}));
    tell.put(times.json());
    tell.put(text.json());
    tell.get();
  }};
  ipc::Consumer consumer;
  auto const times = consumer.attach(other->get()), text = consumer.attach(other->get());
  CHECK(times.view<Moment const, 1>()(0).time_since_epoch().count() == 7'000'000'000);
  CHECK(is_nat(times.view<Moment const, 1>()(1)));
  CHECK((text.view<Utf32<3> const, 1>()(1).utf8() == "yes"));
  CHECK(error_of([&] { times.view<std::int64_t const, 1>(); }) ==
        "the array's elements are numpy.datetime64[ns], expected int64, which this program asks for");
  other->put("enough");
  CHECK(other.wait());
}

TEST_CASE("memory whose size is not sealed is refused") {
  int const file = ::memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  REQUIRE(::ftruncate(file, 4096) == 0);
  auto const before = test::open_files();
  CHECK(error_of([&] {
          detail::MemoryFile{::dup(file), detail::MemoryFile::Access::read};
        }) == "the received memory file is not sealed: its owner could shorten it");
  CHECK(error_of([&] {
          detail::MemoryFile{::open("/proc/self/exe", O_RDONLY), detail::MemoryFile::Access::read};
        }).find("is not a memory file") != std::string::npos);
  CHECK(test::open_files() == before);
  ::close(file);
  detail::MemoryFile const own{100};
  struct stat info {};
  int const again = own.open(detail::MemoryFile::Access::read);
  REQUIRE(::fstat(again, &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(::mmap(nullptr, 100, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0) == MAP_FAILED);  // a lease to read
  ::close(again);
}

TEST_CASE("what a consumer computes it publishes back") {
  test::Process doubling{[](test::Channel& tell) {
    ipc::Consumer consumer;
    ipc::Producer producer;
    auto const given = consumer.attach(tell.get());
    auto const view = given.view<float const, 2>();
    auto result = counted(6, 4);
    for (std::uint64_t i = 0; i < 6; ++i)
      for (std::uint64_t j = 0; j < 4; ++j) result(i, j) = 2 * view(i, j);
    auto const published = producer.publish(std::move(result));
    tell.put(published.json());
    tell.get();
  }};
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const published = producer.publish(counted(6, 4));
  doubling->put(published.json());
  auto const doubled = consumer.attach(doubling->get());
  CHECK(doubled.view<float const, 2>()(5, 3) == 46);
  doubling->put("enough");
  CHECK(doubling.wait());
}

TEST_CASE("what is attached is written to an array as any other memory, and a small part of it is published alone") {
  auto producer = producing();
  ipc::Consumer consumer;
  auto const attached = consumer.attach(producer->get());
  auto const view = attached.view<float const, 2>();
  MemoryStore<HostBuffer> store;
  auto array = create_array<float, 2>(store, "copy", {.shape = {6, 4}, .chunks = {3, 4}});
  array.write(all, view);
  CHECK(array.read(all)(5, 3) == 23);
  ipc::Producer own;
  auto const part = own.publish(view.sub({{2, 6, 3}, {1, 3}}));
  CHECK(part.descriptor().memory.size == 16);  // of the 96 bytes of the whole
  auto const again = consumer.attach(part.json());
  CHECK((again.view<float const, 2>()(0, 0) == 9 && again.view<float const, 2>()(1, 1) == 22));
  CHECK(part.holders() == 1);
  CHECK(part.descriptor().producer == own.identity());
  CHECK_THROWS_AS((void)consumer.attach_to_write(part.json()), ipc::LeaseRefused);
}

TEST_CASE("a process of another user neither attaches nor is asked") {
  if (::geteuid() != 0) {
    MESSAGE("not run: to be another user, a process must be the superuser's");
    return;
  }
  ipc::Producer producer;
  auto const published = producer.publish(counted(2, 2));
  test::Process other{[array = published.descriptor()](test::Channel&) {
    if (::setresuid(65534, 65534, 65534) != 0) throw std::runtime_error{"the process stays the superuser's"};
    ipc::Consumer consumer;
    auto const why = error_of([&] { consumer.attach(array); });
    if (why.find("belongs to another user") == why.npos) throw std::runtime_error{why};
    // Nor does the producer answer a client without an introduction.
    auto const socket = ipc::detail::connect_to(array.producer.session);
    ipc::detail::send(socket, ipc::detail::Request{.allocation = array.memory.number});
    if (ipc::detail::receive<ipc::detail::Reply>(socket).is_whole) throw std::runtime_error{"it was answered"};
  }};
  CHECK(other.wait());
  CHECK(producer.leases() == 0);
}

}  // namespace host_memory_tests
