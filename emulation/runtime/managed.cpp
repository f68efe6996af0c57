#include "managed.hpp"

#include <algorithm>

namespace emulation {
namespace {

bool is_modelled() { return !world().machine.concurrent_managed && !sanitizer::threads; }

bool is_managed(Allocation const& allocation) {
  return allocation.kind == Kind::managed && allocation.state == State::live && allocation.accessible != 0;
}

void open(Allocation const& allocation, bool whether) {
  regions().of(Kind::managed, 0).protect(allocation.pages, allocation.length, whether);
}

void close_or_open() {
  auto const& streams = world().streams.all();
  bool const closed = std::any_of(streams.begin(), streams.end(), [](auto const& s) { return s->told < s->kernel; });
  if (closed == world().managed_closed) return;
  world().managed_closed = closed;
  for (Allocation const& allocation : regions().all())
    if (is_managed(allocation)) open(allocation, !closed);
}

/// Earlier points are known to be done too.
void tell(Stream& stream, std::uint64_t count) {
  if (stream.told >= count) return;
  stream.told = count;
  for (auto const& [at, before] : stream.behind)
    if (at <= count) tell(*before.stream, before.count);
}

}  // namespace

void managed::kernel_queued(Point const& end) {
  if (!is_modelled()) return;
  end.stream->kernel = end.count;
  close_or_open();
}

void managed::ordered(Stream& stream, std::vector<Point> const& after) {
  if (!is_modelled()) return;
  for (Point const& point : after) stream.behind.emplace_back(stream.enqueued, point);
}

void managed::told(Point const& point) {
  if (!is_modelled()) return;
  tell(*point.stream, point.count);
  close_or_open();
}

void managed::told_all(int device) {
  if (!is_modelled()) return;
  for (auto const& stream : world().streams.all())
    if (stream->device == device) tell(*stream, stream->enqueued);
  close_or_open();
}

void managed::begun(Allocation& allocation, bool attached_to_host) {
  if (!is_modelled()) return;
  if (attached_to_host) allocation.accessible = 0;
  if (world().managed_closed && is_managed(allocation)) open(allocation, false);
}

char const* managed::reason(Allocation const& allocation) {
  if (allocation.kind != Kind::managed || allocation.state != State::live || !is_modelled()) return "";
  return allocation.accessible == 0 ? "attached to the host, of a device without concurrent managed access; "
         : world().managed_closed
             ? "while a kernel may still run, because no call has waited for its end, on a device without concurrent managed access; "
             : "";
}

}  // namespace emulation
