// A reference to a callable: two words, no allocation, no ownership. (std::function_ref is C++26.)
#pragma once
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

template <class Signature>
class FunctionRef;

/// Requires: the callable outlives every call.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
      FunctionRef(F&& f)
  noexcept
      : object_{const_cast<void*>(static_cast<void const*>(std::addressof(f)))},
        call_{[](void* object, Args... args) -> R {
          auto& call = *static_cast<std::remove_reference_t<F>*>(object);
          if constexpr (std::is_void_v<R>)
            call(std::forward<Args>(args)...);
          else
            return call(std::forward<Args>(args)...);
        }} {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}}  // namespace tessera::v0
