// Files whose values go between the disk and a device's memory without the host, by cuFile (GPUDirect Storage).
#pragma once
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

#include <tessera/store/at_key.hpp>
#include <tessera/store/download.cuh>
#include <tessera/store/forwarding_store.hpp>
#include <tessera/store/local_store.cuh>
#include <tessera/with/cufile_reads.cuh>
#include <tessera/with/cufile_writes.cuh>

namespace tessera { inline namespace v0 {

struct DirectOptions {
  LocalOptions files{};
  /// Bytes: what is read at once, or a value that is written, and is smaller goes through page-locked memory.
  std::uint64_t least = std::uint64_t{64} << 10;
  bool must = false;  ///< what is not too small, and cannot go directly, is a StoreError that says why
  cufile::Options cufile{};
};

/// A LocalStore of device buffers whose values cuFile reads and writes, where it can: the same files, locks and
/// watches, replaced in the same way. cuFile is loaded when it is needed first. What cannot go directly goes through
/// page-locked memory, as LocalStore's values do: `transfer_path` says how much went which way, and why.
///
/// A read ends with a copy within the device, because cuFile knows blocks of the queue (8 MiB each, from cudaMalloc)
/// and whole pages of a file. The calling thread waits for the disk, as that of a LocalStore does. Appends go through
/// page-locked memory.
template <Buffer B>
class DirectStore
    : public detail::ForwardingStore<LocalStore<B>,
                                     detail::Forwarded{.batches = true, .folders = true, .writes = true}> {
  static_assert(std::same_as<typename B::space_type, space::Device>,
                "tessera: a DirectStore is for device memory: DirectStore<DeviceBuffer>; for the host's, LocalStore");
  using Base =
      detail::ForwardingStore<LocalStore<B>, detail::Forwarded{.batches = true, .folders = true, .writes = true}>;
  using Queue = tessera::Queue<space::Device>;
  using Request = ReadRequest<space::Device>;
  using WriteRequest = tessera::WriteRequest<space::Device>;

 public:
  explicit DirectStore(std::string root, DirectOptions options = {})
      : DirectStore{detail::LocalFolder{std::move(root), options.files}, std::move(options)} {}

  /// The same files through page-locked memory alone, and as host bytes.
  LocalStore<B> const& source() const { return this->behind(); }
  LocalStore<HostBuffer> host_side() const { return source().host_side(); }
  bool is_near() const { return true; }
  bool has_folder(std::string_view path) const { return source().has_folder(path); }

  /// What went directly and what did not, since the store was made. A range counts as a read.
  std::vector<Transferred> transfer_path() const { return state_->transfers.all(); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Device> destination,
                                  Queue& on) const {
    Request request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }

  /// What the requests need of all keys is one batch of cuFile's for each block.
  void get_many(std::span<Request> requests, Queue& on) const {
    auto const ranges = on.host().template lease<detail::DeviceRanges>();
    auto const kept = on.host().template lease<cufile::Reads::Kept>();
    cufile::Reads reads{state_->driver, state_->transfers, state_->options.must, *kept, on};
    detail::Upload upload{on};
    for_each_key(requests, [&](Key const& key, std::span<Request> of_key) {
      detail::at_key(*this, key, [&] { read_ranges(of_key, *ranges, reads, upload, on); });
    });
    upload.send();
    try {
      reads.finish();
    } catch (Error& error) {
      error.in_store(this->name());
      throw;
    }
  }

  void write(Key const& key, ByteView<space::Device> value, Queue& on) const {
    detail::at_key(*this, key, [&] { write_file(key, value, on); });
  }
  void write_many(std::span<WriteRequest const> requests, Queue& on) const {
    for (auto const& request : requests) write(*request.key, request.value, on);
  }
  bool append(Key const& key, ByteView<space::Device> bytes, std::uint64_t size, Queue& on) const {
    bool const is_done = source().append(key, bytes, size, on);
    if (is_done) state_->transfers.write("appended", bytes.size);
    return is_done;
  }

 private:
  struct State {
    explicit State(DirectOptions given)
        : options{std::move(given)}, driver{std::make_shared<cufile::Driver>(options.cufile)} {}
    DirectOptions options;
    std::shared_ptr<cufile::Driver> driver;
    cufile::Files files;
    cufile::Transfers transfers;
    std::string const too_small = text({"fewer than ", options.least, " bytes"});
  };

  DirectStore(detail::LocalFolder folder, DirectOptions options)
      : Base{LocalStore<B>{folder}}, folder_{std::move(folder)}, state_{std::make_shared<State>(std::move(options))} {}

  // Why so many bytes cannot go directly, as far as is known without the file.
  std::string const& why_not(std::uint64_t bytes, Queue& on) const {
    if (bytes < state_->options.least) return state_->too_small;
    detail::InContext const here{on.shared_stream()->context()};
    return state_->driver->why_not();
  }
  void refuse_if_it_must(std::string const& why_not) const {
    if (state_->options.must && !why_not.empty() && why_not != state_->too_small)
      throw StoreError{text({"the value cannot go directly: ", why_not})};
  }

  // Requests for one key.
  void read_ranges(std::span<Request> requests, detail::DeviceRanges& ranges, cufile::Reads& reads,
                   detail::Upload& upload, Queue& on) const {
    folder_.open(requests, [&](detail::posix::Descriptor const& opened, std::uint64_t total) {
      ranges.find(requests, total);
      std::shared_ptr<cufile::File const> file;
      detail::posix::RangeReader reader{opened};
      for_each_run(ranges.wanted, requests.front().limits(cufile::page), [&](std::span<WantedRange const> run) {
        auto end = run.front().offset;
        std::uint64_t bytes = 0;
        for (auto const& range : run) end = std::max(end, range.offset + range.size), bytes += range.size;
        auto const* why = &why_not(end - run.front().offset, on);
        if (why->empty() && !file) {
          detail::InContext const here{on.shared_stream()->context()};
          file = state_->files.find(state_->driver, opened);
        }
        if (why->empty()) why = &file->why_not();
        if (why->empty()) return reads.add(file, run, ranges, requests);
        refuse_if_it_must(*why);
        detail::upload_run(reader, opened, run, ranges, requests, upload, on);
        state_->transfers.read(*why, run.size(), bytes);
      });
    });
  }

  void write_file(Key const& key, ByteView<space::Device> value, Queue& on) const {
    auto const& why = why_not(value.size, on);
    refuse_if_it_must(why);
    if (!why.empty()) {
      source().write(key, value, on);
      state_->transfers.write(why, value.size);
      return;
    }
    std::string failed;
    folder_.write(key, [&](detail::posix::Descriptor const& file) {
      failed = cufile::write(state_->driver, file, value, on);
      refuse_if_it_must(failed);
      if (!failed.empty()) {
        WriteRequest const request{&key, value};
        detail::Download download{{&request, 1}, on};
        download.write(value.size, file);
      }
      if (::ftruncate(file.number(), static_cast<off_t>(value.size)) != 0) detail::posix::fail("cut the file");
    });
    state_->transfers.write(failed, value.size);
  }

  detail::LocalFolder folder_;
  std::shared_ptr<State> state_;
};

static_assert(Store<DirectStore<DeviceBuffer>> && ListableStore<DirectStore<DeviceBuffer>>);
static_assert(AppendableStore<DirectStore<DeviceBuffer>>);

}}  // namespace tessera::v0
