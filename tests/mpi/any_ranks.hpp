// AnyRanks: a communicator behind virtual functions, so that the program of these tests is compiled once, and for each
// MPI only ranks.cpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <tessera/parallel/communicator.hpp>
#include <tessera/parallel/detail/erased_communicator.hpp>

namespace test {

class AnyRanks {
 public:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> copy() const = 0;  // with an exchange of its own
    virtual tessera::detail::ErasedCommunicator& erased() = 0;
  };
  template <class C>
  static AnyRanks of(C const& ranks) {
    return AnyRanks{std::make_shared<Of<C>>(ranks)};
  }

  int rank() const { return base_->erased().rank(); }
  int size() const { return base_->erased().size(); }
  int node_of(int rank) const { return base_->erased().node_of(rank); }
  std::uint64_t least(std::uint64_t number) const { return base_->erased().least(number); }
  void broadcast(std::span<std::byte> bytes, int root) const { base_->erased().broadcast(bytes, root); }
  void gather(std::span<std::byte const> own, std::span<std::byte> all) const { base_->erased().gather(own, all); }

  class exchange_type {
   public:
    explicit exchange_type(std::unique_ptr<Base> base) : base_{std::move(base)} {}
    void prepare(std::size_t messages, std::uint64_t bytes) { base_->erased().prepare(messages, bytes); }
    void receive(std::span<std::byte> to, int from) { base_->erased().receive(to, from); }
    void send(std::span<std::byte const> bytes, int to) { base_->erased().send(bytes, to); }
    void wait_for_sends() { base_->erased().wait_for_sends(); }
    void wait_for_receives() { base_->erased().wait_for_receives(); }
    void wait() { base_->erased().wait(); }
    void keep(std::shared_ptr<void const> memory) noexcept { base_->erased().keep(std::move(memory)); }

   private:
    std::unique_ptr<Base> base_;
  };
  exchange_type exchange() const { return exchange_type{base_->copy()}; }

 private:
  explicit AnyRanks(std::shared_ptr<Base> base) : base_{std::move(base)} {}

  template <class C>
  struct Of final : Base {
    explicit Of(C const& of) : ranks{of}, communicator{of} {}
    std::unique_ptr<Base> copy() const override { return std::make_unique<Of>(ranks); }
    tessera::detail::ErasedCommunicator& erased() override { return communicator; }
    C ranks;
    tessera::detail::ErasedCommunicatorOf<C> communicator;
  };

  std::shared_ptr<Base> base_;
};

static_assert(tessera::Communicator<AnyRanks>);

/// The program's work, in program.cpp. Returns its exit status.
int run(AnyRanks const& ranks, int argc, char** argv);

}  // namespace test
