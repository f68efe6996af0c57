// tessera show: prints the elements of an array as NumPy does: the corners of a large one.
#include <algorithm>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/metadata/detail/base64.hpp>

#include "commands.hpp"
#include "element_text.hpp"
#include "region.hpp"
#include "source.hpp"
#include "unpacked.hpp"

namespace cli {
namespace {

// Along one dimension the first and the last indices are shown, with a gap between them.
struct Shown {
  std::uint64_t first, last, all;

  std::uint64_t count() const { return first + last; }
  bool is_cut() const { return count() < all; }
  /// Requires: there are at least two.
  void shrink() {
    if (!is_cut())
      first = all / 2, last = (all - 1) / 2;
    else
      --(last >= first ? last : first);
  }
};

// Three at either end; fewer along the first dimensions, if that would exceed `limit`.
std::vector<Shown> choose(tessera::Extents const& counts, std::uint64_t limit) {
  std::vector<Shown> shown;
  for (auto n : counts) shown.push_back({n, 0, n});
  auto const elements = [&] {
    auto product = 1.0;
    for (auto const& one : shown) product *= static_cast<double>(one.count());
    return product;
  };
  if (elements() <= static_cast<double>(limit)) return shown;
  for (auto& one : shown)
    if (one.all > 6) one = {3, 3, one.all};
  while (elements() > static_cast<double>(limit)) {
    auto const most = std::max_element(shown.begin(), shown.end(),
                                       [](Shown const& a, Shown const& b) { return a.count() < b.count(); });
    if (most == shown.end() || most->count() < 2) break;
    most->shrink();
  }
  return shown;
}

constexpr std::size_t longest = 64;                            // characters of an element: some have a MiB of bytes
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;  // of elements

// Of a text as read_texts returns it.
std::string varying_text(std::string const& text, tessera::DataType type) {
  if (type == tessera::string_type) return quoted_text(text);
  auto const bytes = tessera::detail::decode_base64(text).value_or(std::vector<std::byte>{});
  return quoted_bytes({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
}

// The texts of the shown elements, in C order, read piece by piece: each is dense in the array.
std::vector<std::string> texts_of(Array const& array, tessera::Region const& region, std::vector<Shown> const& shown,
                                  std::optional<tessera::Conversion> const& unpacking) {
  auto const type = array.type();
  auto const fields = array.metadata().fields;
  auto const rank = shown.size();
  std::size_t elements = 1;
  for (auto const& one : shown) elements *= one.count();
  std::vector<std::string> texts(elements);
  std::vector<std::byte> room;
  std::vector<bool> at_end(rank, false);
  tessera::Traffic traffic;
  if (elements == 0) return texts;
  for (;;) {
    auto piece = region;
    for (std::size_t d = 0; d < rank; ++d) {
      piece.count[d] = at_end[d] ? shown[d].last : shown[d].first;
      if (at_end[d]) piece.first[d] += (shown[d].all - shown[d].last) * region.step[d];
    }
    std::vector<std::string> strings;
    if (type.varies()) {
      strings = read_texts(array, piece, traffic);
    } else {
      room.resize(size_in_bytes(piece.count, type));
      read_elements(array, piece, room, traffic);
    }
    auto const numbers = unpacking ? unpacked(room, type, *unpacking) : std::vector<double>{};
    for (std::size_t i = 0; i < std::max(strings.size(), room.size() / type.size); ++i) {
      std::size_t place = 0, along = 1, rest = i;
      for (auto d = rank; d-- > 0;) {
        place += (rest % piece.count[d] + (at_end[d] ? shown[d].first : 0)) * along;
        rest /= piece.count[d];
        along *= shown[d].count();
      }
      auto text = type.varies() ? varying_text(strings[i], type)
                  : unpacking   ? detail::real_text(numbers[i], 1e16)
                                : element_text(room.data() + i * type.size, type, fields, Style::numpy);
      if (text.size() > longest) text.replace(longest - 3, text.npos, "...");
      texts[place] = std::move(text);
    }
    auto d = rank;
    for (; d > 0 && (at_end[d - 1] || shown[d - 1].last == 0); --d) at_end[d - 1] = false;
    if (d == 0) return texts;
    at_end[d - 1] = true;
  }
}

class Printer {
 public:
  /// Texts that are not `aligned` keep their width.
  Printer(std::vector<Shown> const& shown, std::vector<std::string> const& texts, bool aligned)
      : shown_{shown}, texts_{texts} {
    for (auto const& text : texts) width_ = std::max(width_, aligned ? text.size() : 0);
  }

  void print() {
    print(0);
    std::cout << line_ << '\n';
  }

 private:
  static constexpr std::size_t columns = 80;

  void print(std::size_t d) {
    if (d == shown_.size()) return put(texts_[next_++]);
    line_ += '[';
    auto const& along = shown_[d];
    bool const is_row = d + 1 == shown_.size();
    for (std::uint64_t i = 0; i < along.count(); ++i) {
      if (i > 0) separate(d, is_row);
      if (along.is_cut() && i == along.first) dots(d, is_row);
      print(d + 1);
    }
    if (along.is_cut() && along.last == 0) separate(d, is_row), line_ += "...";
    line_ += ']';
  }
  void dots(std::size_t d, bool is_row) {
    line_ += "...";
    separate(d, is_row);
  }
  void separate(std::size_t d, bool is_row) {
    auto const next = next_ < texts_.size() ? std::max(width_, texts_[next_].size()) : width_;
    if (is_row && line_.size() + 1 + next < columns) return void(line_ += ' ');
    break_line(is_row ? 1 : shown_.size() - 1 - d);
    line_.assign(d + 1, ' ');
  }
  void put(std::string const& text) { line_.append(width_ - std::min(width_, text.size()), ' ') += text; }
  void break_line(std::size_t lines) {
    std::cout << line_ << std::string(std::min<std::size_t>(lines, 2), '\n');
    line_.clear();
  }

  std::vector<Shown> const& shown_;
  std::vector<std::string> const& texts_;
  std::size_t width_ = 0, next_ = 0;
  std::string line_;
};

// Those that NumPy does not align.
bool is_text(tessera::DataType type) {
  using tessera::DataKind;
  return type.varies() || type.kind == DataKind::utf32 || type.kind == DataKind::null_terminated ||
         type.kind == DataKind::structure;
}

// From the first index to the last.
std::uint64_t length(tessera::Region const& region, std::size_t d) {
  return region.count[d] == 0 ? 0 : (region.count[d] - 1) * region.step[d] + 1;
}

std::string described(Array const& array, tessera::Region const& region, std::size_t texts) {
  auto const& names = array.metadata().dimension_names;
  std::string text;
  bool const is_part = region.count != array.shape();
  for (std::size_t d = 0; d < region.count.rank(); ++d) {
    text += (d == 0 ? "" : ", ") + (!names.empty() && names[d] ? *names[d] + ' ' : "");
    if (!is_part)
      text += std::to_string(array.shape()[d]);
    else if (region.count[d] == 1)
      text += std::to_string(region.first[d]);
    else
      text += tessera::to_text({region.first[d], ":", region.first[d] + length(region, d)}) +
              (region.step[d] == 1 ? "" : ':' + std::to_string(region.step[d]));
  }
  auto const elements = tessera::count_or_most(region.count);
  return array.type().name() + " [" + text + ']' +
         (texts < elements ? tessera::to_text({", ", texts, " of ", elements, " elements"}) : "");
}

}  // namespace

Status run(Show const& command) {
  auto const array = open_source(command.path, command.threads, command);
  auto const asked = asked_of(command.region, command.index, array.metadata());
  auto const& region = asked.region;
  auto const unpacking = command.unpacked ? std::optional{unpacking_of(array)} : std::nullopt;
  auto const shown = choose(region.count, std::min<std::uint64_t>(command.limit, most_bytes / array.type().size));
  auto const texts = texts_of(array, region, shown, unpacking);
  std::vector<Shown> kept;
  for (std::size_t d = 0; d < shown.size(); ++d)
    if (asked.is_kept[d]) kept.push_back(shown[d]);
  std::cout << printable(shown_path(command.path) + ": " + described(array, region, texts.size()) +
                         (unpacking ? ", unpacked" : ""))
            << '\n';
  if (texts.empty())  // as NumPy, for any other dimensions
    std::cout << "[]\n";
  else
    Printer{kept, texts, !is_text(array.type())}.print();
  return done;
}

}  // namespace cli
