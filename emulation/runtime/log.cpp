#include "log.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "world.hpp"

namespace emulation {
namespace {

struct Log {
  std::uint64_t number = 0;  ///< the number of logs begun
  std::size_t watches = 0;
  std::vector<Call> calls;
};

Log& the_log() {
  static Log& only = *new Log;
  return only;
}

constexpr std::array queries{
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaDeviceGetAttribute",
    "cudaPointerGetAttributes",
    "cudaStreamGetFlags",
    "cudaStreamGetPriority",
    "cudaStreamGetDevice",
    "cudaStreamIsCapturing",
    "cudaMemGetInfo",
    "cudaMemPoolGetAttribute",
    "cudaDeviceGetMemPool",
    "cudaDeviceGetDefaultMemPool",
    "cudaRuntimeGetVersion",
    "cudaDriverGetVersion",
    "cudaDeviceCanAccessPeer",
    "cudaHostGetDevicePointer",
    "cuCtxGetCurrent",
    "cudaThreadExchangeStreamCaptureMode",
    "cuCtxPushCurrent",
    "cuCtxPopCurrent",
    "cuStreamGetCtx",
    "cudaGetDriverEntryPointByVersion",
};

/// A note is logged as a query.
constexpr int note_stream = -2;

template <class Which>
std::size_t count_if(Watch const& watch, Which which) {
  auto const calls = watch.calls();
  return static_cast<std::size_t>(std::count_if(calls.begin(), calls.end(), which));
}

bool is_copy(Call const& call) { return std::string_view(call.name).starts_with("cudaMemcpy"); }

bool synchronises(Call const& call) {
  constexpr std::array<std::string_view, 8> waiting{
      "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaFree",          "cudaFreeHost", "cudaMemcpy",
      "cudaHostUnregister",    "cudaDeviceReset",       "cudaMemPoolDestroy"};
  return std::find(waiting.begin(), waiting.end(), call.name) != waiting.end();
}

}  // namespace

std::uint64_t log::current() { return the_log().watches != 0 ? the_log().number : 0; }

std::size_t log::add(Call call) {
  the_log().calls.push_back(std::move(call));
  return the_log().calls.size() - 1;
}

Call& log::at(std::size_t index) { return the_log().calls[index]; }

Watch::Watch() {
  Held const held;
  Log& all = the_log();
  if (all.watches++ == 0) {
    ++all.number;
    all.calls.clear();
  }
  begin_ = all.calls.size();
}

Watch::~Watch() {
  Held const held;
  --the_log().watches;
}

std::vector<Call> Watch::calls() const {
  Held const held;
  auto const& calls = the_log().calls;
  return {calls.begin() + static_cast<std::ptrdiff_t>(begin_), calls.end()};
}

std::size_t Watch::count() const {
  return count_if(*this, [](Call const& call) { return call.stream != note_stream && !is_query(call.name); });
}

std::size_t Watch::count(std::string_view name) const {
  return count_if(*this, [&](Call const& call) { return call.name == name; });
}

std::size_t Watch::copies(cudaMemcpyKind kind) const {
  return count_if(*this, [&](Call const& call) { return is_copy(call) && call.kind == kind; });
}

std::size_t Watch::copied(cudaMemcpyKind kind) const {
  std::size_t bytes = 0;
  for (Call const& call : calls()) {
    if (is_copy(call) && call.kind == kind) bytes += call.bytes;
  }
  return bytes;
}

std::size_t Watch::spins() const {
  return count_if(*this, [](Call const& call) { return call.spins; });
}

std::size_t Watch::launches() const { return count("emulatedLaunch"); }

std::size_t Watch::synchronisations() const { return count_if(*this, synchronises); }

void note(char const* what) {
  Held const held;
  if (log::current() != 0) log::add({.name = what, .stream = note_stream, .site = {}});
}

bool is_query(std::string_view call) { return std::find(queries.begin(), queries.end(), call) != queries.end(); }

}  // namespace emulation
