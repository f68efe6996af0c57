// What grows item by item.
#pragma once
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace tessera { inline namespace v0 { namespace detail {

class DynamicMemory {
 protected:
  using Move = void (*)(void* to, void* from, std::size_t count) noexcept;  // of items, which end where they were

  DynamicMemory() = default;
  DynamicMemory(DynamicMemory const&) = delete;
  DynamicMemory& operator=(DynamicMemory const&) = delete;
  ~DynamicMemory() { ::operator delete(items_); }

  // Without `move` an item is its bytes. Throws: std::bad_alloc.
  void grow(std::size_t least, std::size_t item_size, Move move) {
    auto const capacity = least < 2 * size_ ? 2 * size_ : least;
    if (capacity > std::size_t{PTRDIFF_MAX} / item_size) throw std::bad_array_new_length{};
    auto* const items = ::operator new(capacity * item_size);
    if (move)
      move(items, items_, size_);
    else if (size_ > 0)
      std::memcpy(items, items_, size_ * item_size);
    ::operator delete(items_);
    items_ = items;
    capacity_ = capacity;
  }

  void* items_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// What std::vector does, with as many allocations, of what tessera itself needs: each std::vector of another type is
/// 60 functions to compile, and this one is grown by one function for all types. Moving an item must not throw.
template <class T>
class DynamicArray : DynamicMemory {
 public:
  using value_type = T;

  DynamicArray() = default;
  /// Value-initialised items.
  explicit DynamicArray(std::size_t count) : DynamicArray() { resize(count); }
  DynamicArray(DynamicArray const& other) : DynamicArray() {
    reserve(other.size_);
    for (auto const& item : other) push_back(item);
  }
  DynamicArray(DynamicArray&& other) noexcept : DynamicArray() { swap(other); }
  DynamicArray& operator=(DynamicArray other) noexcept {
    swap(other);
    return *this;
  }
  ~DynamicArray() { clear(); }

  T* data() { return static_cast<T*>(items_); }
  T const* data() const { return static_cast<T const*>(items_); }
  T* begin() { return data(); }
  T const* begin() const { return data(); }
  T* end() { return data() + size_; }
  T const* end() const { return data() + size_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data()[i]; }
  T const& operator[](std::size_t i) const { return data()[i]; }
  T& front() { return *begin(); }
  T const& front() const { return *begin(); }
  T& back() { return end()[-1]; }
  T const& back() const { return end()[-1]; }

  void reserve(std::size_t count) {
    if (count > capacity_) grow_to(count);
  }
  T& push_back(T&& item) {
    if (size_ < capacity_) return add(std::move(item));
    T kept{std::move(item)};  // it may be one of these
    grow_to(size_ + 1);
    return add(std::move(kept));
  }
  T& push_back(T const& item) {
    if (size_ < capacity_) return add(item);
    return push_back(T{item});
  }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    return push_back(T(std::forward<Arguments>(arguments)...));
  }
  void pop_back() { shrink(size_ - 1); }
  void clear() { shrink(0); }
  void resize(std::size_t count) {
    if (count < size_) return shrink(count);
    reserve(count);
    for (; size_ < count; ++size_) ::new (static_cast<void*>(end())) T();
  }
  void assign(std::size_t count, T const& item) {
    clear();
    reserve(count);
    while (size_ < count) push_back(item);
  }
  template <class Condition>
  void erase_if(Condition&& is_erased) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i)
      if (!is_erased((*this)[i])) {
        if (kept != i) (*this)[kept] = std::move((*this)[i]);
        ++kept;
      }
    shrink(kept);
  }
  bool operator==(DynamicArray const& other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < size_; ++i)
      if (!((*this)[i] == other[i])) return false;
    return true;
  }
  void swap(DynamicArray& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  void grow_to(std::size_t count) {
    static_assert(std::is_nothrow_move_constructible_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    if constexpr (std::is_trivially_copyable_v<T>)
      grow(count, sizeof(T), nullptr);
    else
      grow(count, sizeof(T), [](void* to, void* from, std::size_t n) noexcept {
        for (auto *target = static_cast<T*>(to), *item = static_cast<T*>(from); n > 0; --n, ++target, ++item) {
          ::new (static_cast<void*>(target)) T(std::move(*item));
          item->~T();
        }
      });
  }
  template <class Item>
  T& add(Item&& item) {
    auto* const added = ::new (static_cast<void*>(end())) T(std::forward<Item>(item));
    ++size_;
    return *added;
  }
  void shrink(std::size_t count) {
    if constexpr (std::is_trivially_destructible_v<T>)
      size_ = count;
    else
      while (size_ > count) data()[--size_].~T();
  }
};

}}}  // namespace tessera::v0::detail
