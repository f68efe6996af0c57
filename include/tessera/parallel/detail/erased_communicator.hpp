// ErasedCommunicator: a program's communicator and one exchange of messages, behind virtual functions: what ranks do
// with them is compiled once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <tessera/parallel/communicator.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// As the concept Communicator, with the messages of one exchange.
class ErasedCommunicator {
 public:
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int node_of(int rank) const = 0;
  virtual bool reads_device_memory() const = 0;
  virtual std::uint64_t least(std::uint64_t number) = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void gather(std::span<std::byte const> own, std::span<std::byte> all) = 0;
  virtual void prepare(std::size_t messages, std::uint64_t bytes) = 0;
  virtual void receive(std::span<std::byte> to, int from) = 0;
  virtual void send(std::span<std::byte const> bytes, int to) = 0;
  virtual void wait_for_sends() = 0;
  virtual void wait_for_receives() = 0;
  virtual void wait() = 0;
  virtual void keep(std::shared_ptr<void const> memory) noexcept = 0;

 protected:
  ~ErasedCommunicator() = default;
};

/// Calls f, which exchanges messages. If it throws, the communicator keeps the memory until no send reads it any more.
template <class F>
auto keeping(ErasedCommunicator& ranks, std::shared_ptr<void const> memory, F&& f) {
  try {
    return f();
  } catch (...) {
    ranks.keep(std::move(memory));
    throw;
  }
}

template <Communicator C>
class ErasedCommunicatorOf final : public ErasedCommunicator {
 public:
  explicit ErasedCommunicatorOf(C const& ranks) : ranks_{ranks}, exchange_{ranks.exchange()} {}

  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  int node_of(int rank) const override { return ranks_.node_of(rank); }
  bool reads_device_memory() const override {
    if constexpr (requires { ranks_.reads_device_memory(); })
      return ranks_.reads_device_memory();
    else
      return false;
  }
  std::uint64_t least(std::uint64_t number) override { return ranks_.least(number); }
  void broadcast(std::span<std::byte> bytes, int root) override { ranks_.broadcast(bytes, root); }
  void gather(std::span<std::byte const> own, std::span<std::byte> all) override { ranks_.gather(own, all); }
  void prepare(std::size_t messages, std::uint64_t bytes) override { exchange_.prepare(messages, bytes); }
  void receive(std::span<std::byte> to, int from) override { exchange_.receive(to, from); }
  void send(std::span<std::byte const> bytes, int to) override { exchange_.send(bytes, to); }
  void wait_for_sends() override { exchange_.wait_for_sends(); }
  void wait_for_receives() override { exchange_.wait_for_receives(); }
  void wait() override { exchange_.wait(); }
  void keep([[maybe_unused]] std::shared_ptr<void const> memory) noexcept override {
    if constexpr (requires { exchange_.keep(std::move(memory)); }) exchange_.keep(std::move(memory));
  }

 private:
  C ranks_;
  typename C::exchange_type exchange_;
};

}}}  // namespace tessera::v0::detail
