// DirectStore: files whose values move between the disk and device memory without the host, by cuFile (GPUDirect
// Storage).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/download.cuh>
#include <tessera/store/detail/forwarding_store.hpp>
#include <tessera/store/detail/local_store.cuh>
#include <tessera/with/detail/cufile/cufile_reads.cuh>
#include <tessera/with/detail/cufile/cufile_writes.cuh>

namespace tessera { inline namespace v0 {

namespace cufile {

/// How cuFile is loaded.
struct Options {
  std::string library = "libcufile.so.0";  ///< as the system's loader finds it
  /// A file without which cuFile 1.20 never returns from opening its driver; empty: not checked.
  std::string modules = "/proc/modules";
};

}  // namespace cufile

/// Options of a DirectStore.
struct DirectOptions {
  LocalOptions files{};  ///< of the files, as in a LocalStore
  /// Bytes: a smaller read, or a smaller value to write, uses page-locked memory.
  std::uint64_t least = std::uint64_t{64} << 10;
  bool must = false;  ///< a transfer that is large enough but cannot be direct is a StoreError with the reason
  /// The number of the GPU whose queues use the store: a disk may be close to one of several. nullopt: any.
  std::optional<int> device{};
  cufile::Options cufile{};  ///< where cuFile is
};

/// A LocalStore of device buffers whose values cuFile reads and writes where it can. Files, locks, watches and the way
/// files are replaced are the same. cuFile is loaded on first use. Other transfers use page-locked memory, as in
/// LocalStore: `transfer_path` reports how much was transferred on each path, and why.
///
/// A read ends with a copy within the device, because cuFile needs registered blocks of the queue (8 MiB each, from
/// cudaMalloc) and whole pages of a file. The calling thread waits for the disk, as in LocalStore. Appends use
/// page-locked memory.
template <Buffer B>
class DirectStore
    : public detail::ForwardingStore<LocalStore<B>,
                                     detail::Forwarded{.batches = true, .folders = true, .writes = true}> {
  static_assert(std::same_as<typename B::space_type, space::Device>,
                "tessera: a DirectStore needs device buffers: DirectStore<DeviceBuffer>; for host memory use "
                "LocalStore");
  using Base =
      detail::ForwardingStore<LocalStore<B>, detail::Forwarded{.batches = true, .folders = true, .writes = true}>;
  using Queue = tessera::Queue<space::Device>;
  using Request = ReadRequest<space::Device>;
  using WriteRequest = tessera::WriteRequest<space::Device>;

 public:
  explicit DirectStore(std::string root, DirectOptions options = {})
      : DirectStore{detail::LocalFolder{std::move(root), options.files}, std::move(options)} {}

  /// The same files, through page-locked memory only, or in host memory.
  LocalStore<B> const& source() const { return this->behind(); }
  LocalStore<HostBuffer> host_side() const { return source().host_side(); }
  bool is_near() const { return true; }
  bool has_folder(std::string_view path) const { return source().has_folder(path); }

  /// Direct transfers and others since the store was made. A range counts as a read.
  std::vector<Transferred> transfer_path() const { return state_->transfers.all(); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Device> destination,
                                  Queue& on) const {
    Request request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }

  /// The requests of all keys form one cuFile batch per block.
  void get_many(std::span<Request> requests, Queue& on) const {
    expect_device(on);
    auto const ranges = on.host().template lease<detail::DeviceRanges>();
    auto const kept = on.host().template lease<cufile::Reads::Kept>();
    cufile::Reads reads{state_->driver, state_->transfers, state_->options.must, *kept, on};
    detail::Upload upload{on};
    for (auto const of_key : runs_of_key(requests))
      detail::at_key(*this, *of_key.front().key, [&] { read_ranges(of_key, *ranges, reads, upload, on); });
    upload.send();
    try {
      reads.finish();
    } catch (Error& error) {
      error.in_store(this->name());
      throw;
    }
  }

  void write(Key const& key, ByteView<space::Device> value, Queue& on) const {
    WriteRequest const request{&key, value};
    write_many({&request, 1}, on);
  }
  /// Values written directly form one cuFile batch per block; their keys get the new values when the batch is done.
  void write_many(std::span<WriteRequest const> requests, Queue& on) const {
    expect_device(on);
    while (!requests.empty()) {
      auto const group = requests.first(size_of_group(requests, on));
      requests = requests.subspan(group.size());
      if (auto const& why = why_not(group.front().value.size, on); why.empty())
        write_group(group, on);
      else
        write_pinned(group.front(), why, on);
    }
  }
  bool append(Key const& key, ByteView<space::Device> bytes, std::uint64_t size, Queue& on) const {
    expect_device(on);
    bool const is_done = source().append(key, bytes, size, on);
    if (is_done) state_->transfers.write("appended", bytes.size);
    return is_done;
  }

 private:
  struct State {
    explicit State(DirectOptions given)
        : options{std::move(given)},
          driver{std::make_shared<cufile::Driver>(options.cufile.library, options.cufile.modules)} {}
    DirectOptions options;
    std::shared_ptr<cufile::Driver> driver;
    cufile::Files files;
    cufile::Transfers transfers;
    std::string const too_small = to_text({"fewer than ", options.least, " bytes"});
  };

  DirectStore(detail::LocalFolder folder, DirectOptions options)
      : Base{LocalStore<B>{folder}}, folder_{std::move(folder)}, state_{std::make_shared<State>(std::move(options))} {}

  void expect_device(Queue const& on) const {
    auto const& expected = state_->options.device;
    if (expected && *expected != on.device())
      throw StoreError{to_text({"the store is for device ", *expected, ", but the queue is for device ", on.device()})}
          .in_store(this->name());
  }

  // Why a transfer of this size cannot be direct, as far as known without the file.
  std::string const& why_not(std::uint64_t bytes, Queue& on) const {
    if (bytes < state_->options.least) return state_->too_small;
    detail::InContext const here{on.shared_stream()->context()};
    return state_->driver->why_not();
  }
  void refuse_if_it_must(std::string const& why_not) const {
    if (state_->options.must && !why_not.empty() && why_not != state_->too_small)
      throw StoreError{to_text({"the value cannot be transferred directly: ", why_not})};
  }

  // Requests for one key.
  void read_ranges(std::span<Request> requests, detail::DeviceRanges& ranges, cufile::Reads& reads,
                   detail::Upload& upload, Queue& on) const {
    auto const opened = folder_.open(requests);
    if (!opened) return;
    ranges.find(requests, opened->size);
    std::shared_ptr<cufile::File const> file;
    detail::posix::RangeReader reader{opened->descriptor};
    for (auto const run : runs_within(ranges.wanted, requests.front().limits(cufile::page))) {
      auto end = run.front().offset;
      std::uint64_t bytes = 0;
      for (auto const& range : run) end = std::max(end, range.offset + range.size), bytes += range.size;
      auto const* why = &why_not(end - run.front().offset, on);
      if (why->empty() && !file) {
        detail::InContext const here{on.shared_stream()->context()};
        file = state_->files.find(state_->driver, opened->descriptor);
      }
      if (why->empty()) why = &file->why_not();
      if (why->empty()) {
        reads.add(file, run, ranges, requests);
        continue;
      }
      refuse_if_it_must(*why);
      detail::upload_run(reader, opened->descriptor, run, ranges, requests, upload, on);
      state_->transfers.read(*why, run.size(), bytes);
    }
  }

  // The number of leading values that form one batch; 1, if the first is not written directly.
  std::size_t size_of_group(std::span<WriteRequest const> requests, Queue& on) const {
    auto const most = requests.first(std::min(requests.size(), cufile::Writes::most));
    auto const goes_directly = [&](WriteRequest const& request) { return why_not(request.value.size, on).empty(); };
    auto const end = std::ranges::find_if_not(most, goes_directly);
    return std::max<std::size_t>(static_cast<std::size_t>(end - most.begin()), 1);
  }

  void write_pinned(WriteRequest const& request, std::string const& why, Queue& on) const {
    detail::at_key(*this, *request.key, [&] { refuse_if_it_must(why); });
    source().write_many({&request, 1}, on);
    state_->transfers.write(why, request.value.size);
  }

  // All files stay open, not yet under their keys, until cuFile is done with them.
  void write_group(std::span<WriteRequest const> group, Queue& on) const {
    cufile::Writes writes{state_->driver, on};
    std::string failed;
    write_rest(group, writes, failed, on);
    for (auto const& request : group) state_->transfers.write(failed, request.value.size);
  }
  void write_rest(std::span<WriteRequest const> rest, cufile::Writes& writes, std::string& failed, Queue& on) const {
    if (rest.empty()) return void(failed = failed.empty() ? writes.finish() : failed);
    auto const& request = rest.front();
    detail::at_key(*this, *request.key, [&] {
      auto const fill = [&](detail::posix::Descriptor const& file) {
        if (failed.empty()) failed = writes.add(file, request.value);
        write_rest(rest.subspan(1), writes, failed, on);
        refuse_if_it_must(failed);
        if (!failed.empty()) {
          detail::Download download{{&request, 1}, on};
          download.write(request.value.size, file);
        }
        auto const size = static_cast<off_t>(request.value.size);
        if (::ftruncate(file.number(), size) != 0) detail::posix::fail("truncate the file");
      };
      folder_.write(*request.key, fill, request.stop);
    });
  }

  detail::LocalFolder folder_;
  std::shared_ptr<State> state_;
};

static_assert(Store<DirectStore<DeviceBuffer>> && ListableStore<DirectStore<DeviceBuffer>>);
static_assert(AppendableStore<DirectStore<DeviceBuffer>>);

}}  // namespace tessera::v0
