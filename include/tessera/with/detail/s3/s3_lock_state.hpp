// s3::LockState: who holds a folder of a bucket, as the text of an object. s3::Patience: which holders have ended.
#pragma once
#include <charconv>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// A line "alone ID COUNT SECONDS" or "shared ID COUNT SECONDS" for each holder.
struct LockState {
  struct Holder {
    std::string id;
    Sharing sharing = Sharing::alone;
    std::uint64_t count = 0;    ///< of its renewals
    std::uint64_t seconds = 0;  ///< without a renewal; then it has ended
  };
  std::vector<Holder> holders;

  /// Lines of another form are left out.
  static LockState from(std::string_view text) {
    LockState state;
    while (!text.empty()) {
      auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      auto const word = [&] {
        auto const found = line.substr(0, line.find(' '));
        line.remove_prefix(std::min(line.size(), found.size() + 1));
        return found;
      };
      auto const number = [&](std::uint64_t& value) {
        auto const digits = word();
        auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc{} && end == digits.data() + digits.size();
      };
      auto const how = word(), id = word();
      Holder holder{std::string{id}, how == "shared" ? Sharing::shared : Sharing::alone};
      if ((how == "shared" || how == "alone") && !id.empty() && number(holder.count) && number(holder.seconds))
        state.holders.push_back(std::move(holder));
    }
    return state;
  }
  std::string text() const {
    std::string result;
    for (auto const& one : holders)
      result += to_text(
          {one.sharing == Sharing::shared ? "shared " : "alone ", one.id, " ", one.count, " ", one.seconds, "\n"});
    return result;
  }

  Holder const* find(std::string_view id) const {
    for (auto const& one : holders)
      if (one.id == id) return &one;
    return nullptr;
  }
  void erase(std::string_view id) {
    std::erase_if(holders, [&](Holder const& one) { return one.id == id; });
  }
  bool admits(Sharing sharing) const {
    for (auto const& one : holders)
      if (sharing == Sharing::alone || one.sharing == Sharing::alone) return false;
    return true;
  }
};

/// Of one waiting thread. It compares no clocks: a holder has ended if its line stayed the same for its seconds.
class Patience {
  using Clock = std::chrono::steady_clock;

 public:
  /// Removes the holders that have ended.
  void remove_ended(LockState& state) {
    auto const now = Clock::now();
    std::erase_if(state.holders, [&](LockState::Holder const& one) {
      auto& [count, since] = seen_.try_emplace(one.id, one.count, now).first->second;
      if (count != one.count) count = one.count, since = now;
      return now - since > std::chrono::seconds{std::min<std::uint64_t>(one.seconds, 86400)};  // as S3Options allow
    });
  }

 private:
  std::map<std::string, std::pair<std::uint64_t, Clock::time_point>> seen_;
};

}  // namespace s3
}}  // namespace tessera::v0
