// Attributes formatted for people, nested ones too.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>

namespace cli {

/// Short values on one line, otherwise one line for each item or member.
class AttributeLines {
 public:
  static constexpr std::size_t most = 40;  // lines; the rest is shown by tessera attrs

  explicit AttributeLines(tessera::Value const& attributes) {
    auto const& members = *attributes.get_if<tessera::Members>();
    bool const is_flat =
        std::none_of(members.begin(), members.end(), [](auto const& member) { return !on_one_line(member.value); });
    if (!members.empty() && is_flat)
      add(joined(members), 0);
    else
      add(attributes, "", 0);
  }

  std::vector<std::string> const& lines() const { return lines_; }
  bool is_cut() const { return is_cut_; }

 private:
  static constexpr std::size_t width = 60;

  static std::string joined(tessera::Members const& members) {
    std::string text;
    for (auto const& [name, value] : members) text += (text.empty() ? "" : ", ") + name + ' ' + *on_one_line(value);
    return text;
  }

  // nullopt: too long for one line, or too deep.
  static std::optional<std::string> on_one_line(tessera::Value const& value, int depth = 0) {
    std::string text;
    auto const add = [&](std::string const& name, tessera::Value const& item) {
      auto const inner = on_one_line(item, depth + 1);
      if (!inner || text.size() + inner->size() > width) return false;
      text += (text.empty() ? "" : ", ") + name + *inner;
      return true;
    };
    auto* const list = value.get_if<tessera::List>();
    auto* const members = value.get_if<tessera::Members>();
    if (!list && !members) return tessera::describe(value);
    if (depth == 3) return std::nullopt;
    if (list) {
      bool const is_plain = std::none_of(list->begin(), list->end(), [](tessera::Value const& item) {
        return item.get_if<tessera::List>() || item.get_if<tessera::Members>();
      });
      for (auto const& item : *list)
        if (!add("", item)) {
          if (!is_plain) return std::nullopt;
          return tessera::to_text({"[", text, ", ...] of ", list->size()});
        }
      return '[' + text + ']';
    }
    for (auto const& [name, item] : *members)
      if (!add(name + ' ', item)) return std::nullopt;
    return '{' + text + '}';
  }

  void add(std::string const& text, std::size_t depth) {
    if ((is_cut_ = is_cut_ || lines_.size() == most)) return;
    lines_.push_back(std::string(2 * depth, ' ') + text);
  }
  void add(tessera::Value const& value, std::string const& name, std::size_t depth) {
    if (is_cut_) return;  // however deep and long the rest is
    auto const text = depth == 0 ? std::nullopt : on_one_line(value);
    if (text) return add(name + ' ' + *text, depth - 1);
    if (depth > 0) add(name, depth - 1);
    if (auto* list = value.get_if<tessera::List>())
      for (auto const& item : *list) add(item, "-", depth + 1);
    if (auto* members = value.get_if<tessera::Members>())
      for (auto const& [inner, item] : *members) add(item, inner, depth + 1);
  }

  std::vector<std::string> lines_;
  bool is_cut_ = false;
};

}  // namespace cli
