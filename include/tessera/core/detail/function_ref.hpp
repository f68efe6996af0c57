// FunctionRef: a reference to a callable, of two words, without allocation or ownership. (std::function_ref is C++26.)
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
        call_{&call<std::remove_reference_t<F>>} {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  template <class F>
  static R call(void* object, Args... args) {
    if constexpr (std::is_void_v<R>)
      (*static_cast<F*>(object))(std::forward<Args>(args)...);
    else
      return (*static_cast<F*>(object))(std::forward<Args>(args)...);
  }

  void* object_;
  R (*call_)(void*, Args...);
};

}}  // namespace tessera::v0
