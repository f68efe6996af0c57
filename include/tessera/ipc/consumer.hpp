// Consumer: attaches arrays in host memory that other processes published. Device memory: cuda.cuh.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/buffer/detail/memory_file.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/text.hpp>
#include <tessera/ipc/attached.hpp>
#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/detail/link.hpp>
#include <tessera/ipc/detail/posix/identity.hpp>
#include <tessera/ipc/json.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// Keeps one connection to each producer that it attached arrays from. Use one for a process: it opens an allocation
/// once, however many slices of it are attached. Thread-safe; not usable in a child made by fork(). Attached arrays may
/// outlive it.
class Consumer {
 public:
  /// The array of a descriptor, or of a slice of it, with a lease to read. Throws: MetadataError, IpcError, if the
  /// descriptor is wrong; ProducerGone; LeaseRefused, if a process has a lease to write.
  Attached<space::Host> attach(Descriptor const& array) { return attach_host<Reading>(array); }
  Attached<space::Host> attach(std::string_view json) { return attach(parse_descriptor(json)); }
  /// With a lease to write, which excludes every other lease. Throws: LeaseRefused, if any process has a lease.
  Attached<space::Host, Writing> attach_to_write(Descriptor const& array) { return attach_host<Writing>(array); }
  Attached<space::Host, Writing> attach_to_write(std::string_view json) {
    return attach_to_write(parse_descriptor(json));
  }

  /// For additional kinds of memory: `open(reply, file)` returns an Opened; called once for each allocation and access.
  template <MemorySpace S, LeaseKind L, class Open>
  Attached<S, L> attach_by(Descriptor const& array, Open&& open) {
    auto const link = link_to(array.producer);
    detail::Hold hold{link, link->take({array.memory.number, array.memory.kind, std::same_as<L, Writing>}, open)};
    auto const size = hold.opened().size;
    detail::expect_within(array, size);
    return {array, IpcBuffer<S, L>{std::move(hold), 0, checked_size(size, "the allocation")}};
  }
  /// A producer's pool, which contains allocations: `open(reply, file)` returns an Opened; called once for all of them.
  template <class Open>
  detail::Hold hold_pool(Identity const& producer, std::uint64_t number, Open&& open) {
    auto const link = link_to(producer);
    return {link, link->take({number, "pool", false}, open)};
  }

 private:
  template <LeaseKind L>
  Attached<space::Host, L> attach_host(Descriptor const& array) {
    if (array.memory.kind != "shared-memory")
      throw IpcError{to_text({"the array is in memory of kind ", array.memory.kind,
                              ", expected shared-memory: attach device "
                              "memory with ipc::attach(consumer, descriptor, queue) from tessera/ipc/cuda.cuh"})};
    return attach_by<space::Host, L>(array, [](detail::Reply const&, detail::File file) {
      using tessera::detail::MemoryFile;
      if (!file) throw IpcError{"the producer sent no memory file with the lease"};
      constexpr auto access = std::same_as<L, Writing> ? MemoryFile::Access::write : MemoryFile::Access::read;
      auto opened = std::make_shared<MemoryFile>(file.release(), access);
      return detail::Opened{opened->data(), opened->size(), opened};
    });
  }

  std::shared_ptr<detail::Link> link_to(Identity const& producer) {
    std::lock_guard lock{mutex_};
    if (producer.host != host_)
      throw ProducerGone{"the descriptor was made on another host, or before this host was restarted"};
    if (auto const found = links_.find(producer.session); found != links_.end()) return found->second;
    std::erase_if(links_, [](auto const& old) { return old.second.use_count() == 1 && !old.second->is_alive(); });
    return links_.emplace(producer.session, std::make_shared<detail::Link>(producer)).first->second;
  }

  std::string host_ = detail::boot_id();
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<detail::Link>> links_;
};

}}}  // namespace tessera::v0::ipc
