#include "regions.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "report.hpp"
#include "sanitizer.hpp"

namespace emulation {
namespace {

constexpr std::size_t region_size = std::size_t{16} << 30;
constexpr std::size_t most_allocations = std::size_t{1} << 22;
constexpr std::size_t most_filled = std::size_t{16} << 20;
constexpr std::size_t much = std::size_t{1} << 20;  ///< of freed memory: the system has it back at once
constexpr int red = 0xe7;                           ///< around allocations
constexpr int unwritten = 0xcb;                     ///< in them

void* checked(void* mapped) {
  if (mapped == MAP_FAILED) mistake({"no address space for the emulated devices' memory"});
  return mapped;
}

/// Memory allocated on first access, shared with processes that are forked later.
template <class T>
T* shared_table(std::size_t count) {
  return static_cast<T*>(checked(
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)));
}

constexpr std::size_t round_up(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

bool all_red(std::byte const* begin, std::byte const* end) {
  return std::all_of(begin, end, [](std::byte b) { return b == std::byte{red}; });
}

}  // namespace

void Region::map(Kind kind) {
  kind_ = kind;
  size_ = region_size;
  file_ = memfd_create("emulation", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(size_)) != 0) mistake({"no memory file for emulated memory"});
  view_ = static_cast<std::byte*>(checked(mmap(nullptr, size_, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file_, 0)));
  inside_ = static_cast<std::byte*>(
      checked(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0)));
  owners_ = shared_table<std::uint32_t>(size_ / page);
  free_.emplace(page, size_ - page);  // the first page stays closed: the memory before the region is unknown
}

void Region::hide() const {
  if (inside_ != view_) mprotect(inside_, size_, PROT_NONE);
}

std::byte* Region::take(std::size_t length) {
  std::size_t const wanted = length + page;
  auto const fits = [&](auto const& range) { return range.second >= wanted && range.first + wanted <= window_; };
  auto found = std::find_if(free_.lower_bound(cursor_), free_.end(), fits);
  if (found == free_.end()) found = std::find_if(free_.begin(), free_.end(), fits);
  if (found == free_.end()) {
    if (window_ == size_) return nullptr;
    window_ *= 2;
    return take(length);
  }
  auto const [offset, room] = *found;
  free_.erase(found);
  if (room > wanted) free_.emplace(offset + wanted, room - wanted);
  cursor_ = offset + wanted;
  return view_ + offset;
}

void Region::give_back(std::byte* pages, std::size_t length) {
  auto const offset = static_cast<std::size_t>(pages - view_);
  if (length >= much) {
    auto const [begin, size] = std::pair{static_cast<off_t>(offset), static_cast<off_t>(length)};
    fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, size);
  }
  auto const [range, placed] = free_.emplace(offset, length + page);
  if (auto const next = std::next(range); next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range == free_.begin()) return;
  if (auto const before = std::prev(range); before->first + before->second == range->first) {
    before->second += range->second;
    free_.erase(range);
  }
}

void Region::protect(std::byte* pages, std::size_t length, bool open) const {
  if (open) {
    mprotect(pages, length, PROT_READ | PROT_WRITE);
  } else if (sanitizer::threads) {  // a new mapping, unknown to ThreadSanitizer
    mmap(pages, length, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file_, pages - view_);
  } else {
    mprotect(pages, length, PROT_NONE);
  }
}

bool Region::show(std::byte* pages, std::size_t length, int file, std::size_t offset, bool open) const {
  auto const place = [&](std::byte* at, int access) {
    return mmap(at, length, access, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, static_cast<off_t>(offset)) == at;
  };
  return place(pages, open ? PROT_READ | PROT_WRITE : PROT_NONE) && place(pages + distance(), PROT_READ | PROT_WRITE);
}

bool Region::show_to_kernels(std::byte* pages, std::size_t length, int file, std::size_t offset) {
  return mmap(pages, length, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, static_cast<off_t>(offset)) ==
         pages;
}

void Regions::map() {
  for (Region& device : devices_) device.map(Kind::device);
  page_locked_.map(Kind::page_locked);
  managed_.map(Kind::managed);
  allocations_ = shared_table<Allocation>(most_allocations);
}

void Regions::hide() const {
  for (Region const& device : devices_) device.hide();
  page_locked_.hide();
  managed_.hide();
}

Region& Regions::of(Kind kind, int device) {
  if (kind == Kind::page_locked) return page_locked_;
  if (kind == Kind::managed) return managed_;
  return devices_[device];
}

Region const* Regions::find(void const* address) const {
  for (Region const& device : devices_) {
    if (device.holds(address)) return &device;
  }
  if (page_locked_.holds(address)) return &page_locked_;
  if (managed_.holds(address)) return &managed_;
  return nullptr;
}

Allocation* Regions::find_allocation(void const* address) const {
  Region const* const region = find(address);
  if (region == nullptr) return nullptr;
  std::uint32_t const number = region->owner(address);
  if (number == 0) return nullptr;
  Allocation& allocation = allocations_[number];
  auto const* const byte = static_cast<std::byte const*>(address);
  return byte >= allocation.pages && byte < allocation.pages + allocation.length ? &allocation : nullptr;
}

Allocation* Regions::reserve(Kind kind, int device, std::size_t size) {
  std::size_t const aligned = round_up(size, alignment);
  std::size_t const length = round_up(aligned, page);
  Region& region = of(kind, device);
  std::byte* const pages = region.take(length);
  if (pages == nullptr || made_ + 2 >= most_allocations) return nullptr;
  auto const number = static_cast<std::uint32_t>(++made_);
  Allocation& allocation = allocations_[number];
  allocation = {.begin = pages + (length - aligned),
                .size = size,
                .pages = pages,
                .length = length,
                .made_by = "",
                .made_at = nullptr,
                .freed_at = nullptr,
                .pool = -1,
                .device = device,
                .accessible = std::uint32_t{1} << device,
                .opened = 0,
                .kind = kind,
                .state = State::reserved,
                .free_asked = false,
                .exported = 0,
                .imported = false};
  if (kind != Kind::device) allocation.accessible = ~std::uint32_t{0};
  for (std::size_t at = 0; at < length; at += page) region.owner(pages + at) = number;
  return &allocation;
}

void Regions::begin(Allocation& allocation) const {
  Region const& region = *find(allocation.pages);
  auto const inside = [&](std::byte* view) { return view + region.distance(); };
  std::size_t const slack = static_cast<std::size_t>(allocation.pages + allocation.length - allocation.end());
  std::memset(inside(allocation.pages), red, static_cast<std::size_t>(allocation.begin - allocation.pages));
  std::memset(inside(allocation.begin), unwritten, std::min(allocation.size, most_filled));
  std::memset(inside(allocation.end()), red, slack);
  if (allocation.kind != Kind::device || sanitizer::threads) {
    region.protect(allocation.pages, allocation.length, true);
  }
  allocation.state = State::live;
}

void Regions::check_red_zones(Allocation const& allocation) const {
  std::ptrdiff_t const distance = find(allocation.pages)->distance();
  bool const after = !all_red(allocation.end() + distance, allocation.pages + allocation.length + distance);
  if (!after && all_red(allocation.pages + distance, allocation.begin + distance)) return;
  mistake({"out of bounds: bytes ", after ? "behind" : "before", " the allocation of ", allocation.size, " bytes at ",
           static_cast<void const*>(allocation.begin), " made by ", allocation.made_by, " at ",
           Piece::place(allocation.made_at), " were written"});
}

void Regions::end(Allocation& allocation, State state) {
  if (allocation.state == State::live) check_red_zones(allocation);
  Region& region = of(allocation.kind, allocation.device);
  if (allocation.state == State::live && (allocation.kind != Kind::device || sanitizer::threads)) {
    region.protect(allocation.pages, allocation.length, false);
  }
  allocation.state = state;
  region.give_back(allocation.pages, allocation.length);
}

bool Regions::begin_import(Allocation& allocation, int file, std::size_t offset) const {
  allocation.imported = true;
  bool const shown = find(allocation.pages)->show(allocation.pages, allocation.length, file, offset, sanitizer::threads);
  if (shown) allocation.state = State::live;
  return shown;
}

void Regions::end_import(Allocation& allocation) {
  Region& region = of(allocation.kind, allocation.device);
  if (allocation.state == State::live) check_red_zones(allocation);
  region.show(allocation.pages, allocation.length, region.file(), region.offset_of(allocation.pages), false);
  allocation.state = State::gone;
  region.give_back(allocation.pages, allocation.length);
}

Regions& regions() {
  // Never destroyed: static objects free their memory later. Not on the heap, which devices do not have.
  alignas(Regions) static std::byte room[sizeof(Regions)];
  static Regions& all = *new (room) Regions;
  return all;
}

}  // namespace emulation
