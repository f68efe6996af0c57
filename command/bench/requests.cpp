#include "requests.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <tessera/store/get.hpp>

#include "page_cache.hpp"

namespace cli {

Requests::Requests(Store const& store, std::vector<ReadLog::Call> calls, Bytes elements, Queue on)
    : store_{store}, calls_{std::move(calls)}, elements_{elements}, workers_{std::move(on)} {
  std::map<std::string, std::uint64_t> bytes_of;
  bool in_place = true;
  for (auto const& call : calls_)
    for (auto const& read : call.reads) {
      ++count_;
      if (!read.size) continue;
      bytes_of[read.key.path] += *read.size;
      in_place = in_place && is_in_place(read);
    }
  for (auto const& [key, bytes] : bytes_of) {
    constexpr std::uint64_t most = 16 << 20;  // so that threads share large files
    auto const size = std::max<std::uint64_t>(1, tessera::value_size(store, {key}, workers_.queue()).value_or(0));
    for (std::uint64_t done = 0; done < bytes;) {
      auto const offset = done % size;  // bytes requested twice are read twice
      auto const count = std::min({most, size - offset, bytes - done});
      parts_.push_back({files_.size(), offset, count, in_place ? elements_.data + bytes_ + done : nullptr});
      done += count;
    }
    files_.push_back(store.name() + '/' + key);
    bytes_ += bytes;
  }
}

bool Requests::is_in_place(ReadLog::Read const& read) const {
  return read.to && tessera::lies_in<tessera::space::Host>({read.to, read.size.value_or(0)}, elements_);
}

void Requests::ask_again() {
  workers_.share(calls_.size(), 1, [&](Memory& own, std::size_t i, std::size_t) { ask_again(calls_[i], own); });
}

void Requests::ask_again(ReadLog::Call const& call, Memory& memory) {
  std::size_t bytes = 0;
  for (auto const& read : call.reads) bytes += read.size.value_or(0);
  auto slab = memory.values.take(bytes, workers_.queue());
  memory.destinations.clear();
  for (auto const& read : call.reads) {
    auto const size = read.size.value_or(0);
    bool const in_place = is_in_place(read);
    memory.destinations.push_back(in_place ? Bytes{read.to, size} : slab.sub(0, size));
    if (!in_place) slab = slab.sub(size, slab.size - size);
  }
  auto const giving = [](Bytes to) {
    return [to](std::size_t n) {
      if (n > to.size) throw tessera::StoreError{"a value grew while it was measured"};
      return to.sub(0, n);
    };
  };
  if (!call.is_many) {
    auto const& read = call.reads.front();
    auto const give = giving(memory.destinations.front());
    store_.read(read.key, read.range, give, workers_.queue());
    return;
  }
  std::vector<decltype(giving({}))> destinations;
  for (auto const to : memory.destinations) destinations.push_back(giving(to));
  std::vector<ReadLog::Request> requests;
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    auto const& read = call.reads[i];
    requests.push_back({&read.key, read.range, destinations[i], {}, {}, 1, call.max_gap, call.max_request_bytes});
  }
  store_.get_many(requests, workers_.queue());
}

void Requests::read_files() {
  workers_.share(parts_.size(), 1, [&](Memory& own, std::size_t i, std::size_t) {
    constexpr std::uint64_t piece = 1 << 20;
    auto const& part = parts_[i];
    auto const slab = own.values.take(piece, workers_.queue());
    FileToRead const file{files_[part.file]};
    for (std::uint64_t done = 0; done < part.size;) {
      auto const read = ::pread(file.number(), part.to ? part.to + done : slab.data, std::min(piece, part.size - done),
                                static_cast<::off_t>(part.offset + done));
      if (read <= 0) throw tessera::StoreError{"a file became shorter while it was measured"};
      done += static_cast<std::uint64_t>(read);
    }
  });
}

}  // namespace cli
