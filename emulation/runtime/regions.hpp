// The address space: one region for each device's memory, one for page-locked and one for managed memory, mapped before
// the program begins, and the table of their allocations, which the GPU's processes and the signal handlers read too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace emulation {

inline constexpr int most_devices = 4;
inline constexpr std::size_t page = 4096;
inline constexpr std::size_t alignment = 256;

enum class Kind : std::uint8_t { device, page_locked, managed };

/// reserved: its address is known, the stream has not reached it; live; gone: freed; lost: its context was destroyed.
enum class State : std::uint8_t { reserved, live, gone, lost };

/// One allocation. Lies in memory that all processes share; not reused before its pages are.
struct Allocation {
  std::byte* begin;
  std::size_t size;
  std::byte* pages;     ///< its first page: `begin` is as near to the end of the last one as its alignment allows
  std::size_t length;   ///< of its pages, in bytes
  char const* made_by;  ///< the call that made it ...
  void* made_at;        ///< ... and where that was
  void* freed_at;
  int pool;  ///< -1: none
  int device;
  std::uint32_t accessible;  ///< bit d: kernels of device d may access it
  std::uint32_t opened;      ///< bit d: it is open in the process of device d
  Kind kind;
  State state;
  bool free_asked;  ///< a free is queued or done
  std::uint32_t exported;  ///< its number among those that other processes may open; 0: not exported
  bool imported;           ///< another process's

  std::byte* end() const { return begin + size; }
};

class Region {
 public:
  void map(Kind kind);
  void hide() const;

  bool holds(void const* address) const { return address >= view_ && address < view_ + size_; }
  /// The distance to the view in which the program's own copies find the same bytes.
  std::ptrdiff_t distance() const { return inside_ - view_; }
  Kind kind() const { return kind_; }

  /// Room for `length` bytes and a closed page after them, from the part that was free for longest. Null if there is
  /// none.
  std::byte* take(std::size_t length);
  void give_back(std::byte* pages, std::size_t length);
  /// Access of the program to its view.
  void protect(std::byte* pages, std::size_t length, bool open) const;

  /// The region's file, and the offset of an address of the region in it.
  int file() const { return file_; }
  std::size_t offset_of(std::byte const* pages) const { return static_cast<std::size_t>(pages - view_); }
  /// Maps these pages, in both views, to another file, or to the region's own again. False: that failed.
  bool show(std::byte* pages, std::size_t length, int file, std::size_t offset, bool open) const;
  /// The same in a device's process, which has one view: closed.
  static bool show_to_kernels(std::byte* pages, std::size_t length, int file, std::size_t offset);

  std::uint32_t& owner(void const* address) const {
    return owners_[static_cast<std::size_t>(static_cast<std::byte const*>(address) - view_) / page];
  }

 private:
  std::byte* view_ = nullptr;
  std::byte* inside_ = nullptr;
  std::size_t size_ = 0;
  int file_ = -1;
  Kind kind_{};
  std::uint32_t* owners_ = nullptr;             ///< for each page the number of its allocation
  std::map<std::size_t, std::size_t> free_;     ///< offset, length
  std::size_t cursor_ = 0;                      ///< after the last room taken
  std::size_t window_ = std::size_t{64} << 20;  ///< the used part lies below; grows when it is full
};

class Regions {
 public:
  void map();
  /// In a device's process: kernels do not use the views for copies.
  void hide() const;

  Region& of(Kind kind, int device);
  Region const* find(void const* address) const;

  /// The allocation on whose pages `address` lies, live or gone; null if there never was one.
  Allocation* find_allocation(void const* address) const;

  /// Reserves room; the pages stay closed. Null if there is none.
  Allocation* reserve(Kind kind, int device, std::size_t size);
  /// Opens it for its users, and fills it with a pattern.
  void begin(Allocation& allocation) const;
  /// Closes it and frees its room. Stops the program if bytes around it were written.
  void end(Allocation& allocation, State state);
  /// Of another process: maps its bytes from the file at that offset. False: that failed.
  bool begin_import(Allocation& allocation, int file, std::size_t offset) const;
  void end_import(Allocation& allocation);
  /// Stops the program if bytes around the allocation were written.
  void check_red_zones(Allocation const& allocation) const;

  /// All allocations so far, gone ones too.
  std::span<Allocation> all() const { return {allocations_ + 1, made_}; }

 private:
  Region devices_[most_devices];
  Region page_locked_;
  Region managed_;
  Allocation* allocations_ = nullptr;
  std::size_t made_ = 0;
};

Regions& regions();

}  // namespace emulation
