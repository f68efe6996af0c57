// The host's memory as a space, and the choice between the two.
#include "space.hpp"

#include <tessera/buffer/scratch.hpp>

namespace cli {
namespace {

using Scratch = tessera::Scratch<tessera::space::Host>;

class HostReader final : public Reader {
 public:
  explicit HostReader(Array const& array) : array_{array} {}

  std::span<std::byte> read(tessera::Region const& region, tessera::Traffic& traffic) override {
    return about(array_, [&] { return read_into(room_, region, traffic); });
  }
  void check(tessera::Region const& region, tessera::Traffic& traffic) const override {
    read_into(*array_.queue().lease<Scratch>(), region, traffic);
  }
  void keep_shard_indexes(std::uint64_t most) const override { array_.keep_shard_indexes(most); }

 private:
  std::span<std::byte> read_into(Scratch& room, tessera::Region const& region, tessera::Traffic& traffic) const {
    auto const bytes = room.take(size_in_bytes(region.count, array_.type()), array_.queue());
    auto const strides = tessera::Layout::c_order(region.count, array_.type().size).strides;
    array_.read(region, {bytes.data, strides}, {.traffic = &traffic});
    return {bytes.data, bytes.size};
  }

  Array const& array_;
  Scratch room_{};
};

class HostSpace final : public Space {
 public:
  std::unique_ptr<Reader> reader(Array const& array) const override { return std::make_unique<HostReader>(array); }
};

}  // namespace

std::unique_ptr<Space> space_named(std::string const& name, Queue const& on) {
  if (name == "device") return device_space(on);
  return std::make_unique<HostSpace>();
}

}  // namespace cli
