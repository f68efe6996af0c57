// The table of casts: every pair of spaces, and its cost.
#include <device/device.hpp>

using namespace tessera;
using test::DeviceQueue, test::made, test::text, test::under_seeds;

namespace {

template <class To, class From>
void check_cast(DeviceQueue& on) {
  using target = typename To::space_type;
  using source = typename From::space_type;
  auto& queue = queue_between<target, source>(on);
  auto from = made<From>("across", on);
  if constexpr (std::same_as<target, space::Host> && std::same_as<source, space::Host>) on.wait();
  auto const* const at = from.view().data;
  auto const to = copy_to<To>(std::move(from), queue);
  CHECK(from.view().data == nullptr);
  CHECK((to.view().data == at) == std::same_as<To, From>);  // moved, or copied
  CHECK(text(to.view(), on) == "across");
  auto const nothing = copy_to<To>(From{}, queue);
  CHECK(nothing.view().size == 0);
}
template <class From>
void check_casts_from(DeviceQueue& on) {
  check_cast<HostBuffer, From>(on);
  check_cast<PinnedBuffer, From>(on);
  check_cast<ManagedBuffer, From>(on);
  check_cast<DeviceBuffer, From>(on);
}

// From the row's space, in terms of the column's.
using space::Host, space::Pinned, space::Managed, space::Device;
static_assert(is_seen_in<Host, Host> && !is_seen_in<Pinned, Host> && !is_seen_in<Managed, Host> &&
              !is_seen_in<Device, Host>);
static_assert(is_seen_in<Host, Pinned> && is_seen_in<Pinned, Pinned> && !is_seen_in<Managed, Pinned> &&
              is_seen_in<Device, Pinned>);
static_assert(is_seen_in<Host, Managed> && !is_seen_in<Pinned, Managed> && is_seen_in<Managed, Managed> &&
              is_seen_in<Device, Managed>);
static_assert(!is_seen_in<Host, Device> && !is_seen_in<Pinned, Device> && !is_seen_in<Managed, Device> &&
              is_seen_in<Device, Device>);

}  // namespace

TEST_CASE("a buffer of each space is cast to each, and moved to its own") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    check_casts_from<HostBuffer>(on);
    check_casts_from<PinnedBuffer>(on);
    check_casts_from<ManagedBuffer>(on);
    check_casts_from<DeviceBuffer>(on);
  });
}

TEST_CASE("what is cast may be changed at once, and lives as long as the copy needs it") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    std::vector<DeviceBuffer> results;
    for (int i = 0; i < 8; ++i) {
      PinnedBuffer from(100, on);
      std::memset(from.span().data, 'a' + i, 100);
      results.push_back(copy_to<DeviceBuffer>(std::move(from), on));
    }
    for (int i = 0; i < 8; ++i)
      CHECK(text(results[static_cast<std::size_t>(i)].view(), on) == std::string(100, static_cast<char>('a' + i)));
  });
}

TEST_CASE_TEMPLATE("bytes that both sides reach are seen from each, not copied", B, PinnedBuffer, ManagedBuffer) {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const buffer = made<B>("some bytes", on);
    auto const host = view_in<Host>(buffer.view(), on);  // after the copy that makes them
    CHECK(host.data == buffer.view().data);
    CHECK(std::string_view(reinterpret_cast<char const*>(host.data), host.size) == "some bytes");
    auto const device = view_in<Device>(buffer.view(), on);
    CHECK(device.data == buffer.view().data);
    DeviceBuffer copy(device.size, on);
    crossing<Device, Device>::copy(device, copy.span(), on);
    CHECK(text(copy.view(), on) == "some bytes");
  });
}

TEST_CASE_TEMPLATE("the host side of a store has read what it is given when a write returns", B, DeviceBuffer,
                   PinnedBuffer, ManagedBuffer) {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    test::HostQueue host;
    auto const store = host_side(MemoryStore<B>{}, on);
    auto bytes = made<PinnedBuffer>("before", on);  // page-locked: no runtime stages its copy
    store.write({"a"}, view_in<Host>(bytes.view(), on), host);
    std::memcpy(bytes.span().data, "after!", 6);
    CHECK(test::value(store, "a", on) == "before");
  });
}
