// Memory that both the host and the device can access: it is used in the order of a device queue, and a host codec
// waits for that.
#include <cstdlib>
#include <filesystem>

#include <tessera/with/zstd.hpp>

#include "sample.hpp"

using namespace sample;
using tessera::CastTo, tessera::LocalStore, tessera::open_array, tessera::Pipeline, tessera::Queue, tessera::SplitStore;
using tessera::codec::Bytes, tessera::codec::Zstd;

static_assert(tessera::AllocatableBuffer<stub::PinnedBuffer> && tessera::AllocatableBuffer<stub::ManagedBuffer>);
static_assert(std::is_same_v<tessera::queue_for<space::Pinned>, Queue<space::Device>>);
static_assert(std::is_same_v<tessera::queue_for<space::Managed>, Queue<space::Device>>);
static_assert(tessera::Store<LocalStore<stub::PinnedBuffer>, stub::PinnedBuffer>);
static_assert(tessera::Store<LocalStore<stub::ManagedBuffer>> &&
              tessera::Store<tessera::MemoryStore<stub::PinnedBuffer>>);

using InPinned = Pipeline<space::Pinned, Bytes, Zstd>;  // a host codec, on memory of the device's queue
using ToDevice = Pipeline<space::Device, Bytes, CastTo<space::Pinned>, Zstd>;
using ToHost = Pipeline<space::Host, Bytes, CastTo<space::Pinned>, Zstd>;
static_assert(InPinned::crossings == 0 && ToDevice::crossings == 1 && ToHost::crossings == 1);

int main() {
  Queue<space::Device> on;
  auto const folder = std::filesystem::temp_directory_path() / ("tessera-pinned-" + std::to_string(::getpid()));
  std::string_view const zstd =
      R"([{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 1}}])";
  LocalStore<Host> const documents{folder.string()};
  write_array(documents, documents, "a", zstd, Pipeline<space::Host, Bytes, Zstd>{});
  SplitStore const files{documents, LocalStore<stub::PinnedBuffer>{folder.string()}};

  auto const pinned = open_array<float, 2, InPinned>(files, "a", on).read(tessera::all);
  check(std::vector<float>(pinned.elements().begin(), pinned.elements().end()) == elements(),
        "files, a host codec and the result in pinned memory");
  check(read_on_device(open_array<float, 2, ToDevice>(files, "a", on), on) == elements(), "from there to the device");
  std::vector<float> result(rows * columns);
  open_array<float, 2, ToHost>(files, "a", on).read(tessera::all, result);
  check(result == elements(), "and to the host");

  tessera::MemoryStore<stub::PinnedBuffer> const chunks;
  documents.list("a/c", [&](tessera::Listed const& entry) {
    tessera::Key const key{std::string{entry.path}};
    chunks.write(key, tessera::get_value(files.chunk_store(), key, on)->view(), on);
  });
  auto const late = open_array<float, 2, InPinned>(SplitStore{documents, chunks}, "a", on).read(tessera::all);
  check(std::vector<float>(late.elements().begin(), late.elements().end()) == elements(),
        "a host codec waits for bytes that a queue has yet to copy");

  // A value that a queue has not made yet, written to a file and to memory.
  Host plain{3};
  std::memcpy(plain.span().data, "abc", 3);
  auto const value = tessera::copy_to<stub::PinnedBuffer>(std::move(plain), on);
  LocalStore<stub::PinnedBuffer>{folder.string()}.write({"value"}, value.view(), on);
  auto const back = tessera::get_value(documents, {"value"}, on.host());
  check(std::memcmp(back->view().data, "abc", 3) == 0, "a file is written when its bytes are there");
  tessera::MemoryStore<stub::PinnedBuffer> memory;
  memory.write({"value"}, value.view(), on);
  Queue<space::Device> other;
  auto const host = tessera::copy_to<Host>(*tessera::get_value(memory, {"value"}, other), other);
  check(std::memcmp(host.view().data, "abc", 3) == 0, "a value in pinned memory, cast to the host's");
  std::filesystem::remove_all(folder);
  return failed;
}
