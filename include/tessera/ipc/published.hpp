// Published: an array that other processes can attach while this handle exists; leases keep its memory longer.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/detail/publications.hpp>
#include <tessera/ipc/json.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// Move-only. After its destruction no process can attach the array; the memory is released when the last lease is
/// given back. A moved-from object is empty.
class Published {
 public:
  Published() = default;
  Published(std::shared_ptr<detail::Publications> all, Descriptor what)
      : all_{std::move(all)}, what_{std::move(what)} {}
  Published(Published&& other) noexcept { swap(other); }
  Published& operator=(Published&& other) noexcept {
    Published before;
    swap(before), swap(other);
    return *this;
  }
  ~Published() {
    if (all_) all_->withdraw(what_.memory.number);
  }

  /// What another process attaches. It attaches slices, too: `published.descriptor().slice({{0, 64}, all})`.
  Descriptor const& descriptor() const& { return what_; }
  Descriptor descriptor() && { return std::move(what_); }
  std::string json(Octets how = Octets::base64) const { return to_json(what_, how); }  ///< the descriptor, to be sent
  /// Leases held: one by each process, however many slices it has attached.
  std::size_t holders() const { return all_ ? all_->holders(what_.memory.number) : 0; }
  /// Ends publishing now, if no lease is held: the memory is free when this returns. False: a lease is held.
  bool withdraw_unheld() noexcept { return !all_ || all_->withdraw_unheld(what_.memory.number); }

 private:
  void swap(Published& other) noexcept { std::swap(all_, other.all_), std::swap(what_, other.what_); }

  std::shared_ptr<detail::Publications> all_;
  Descriptor what_;
};

}}}  // namespace tessera::v0::ipc
