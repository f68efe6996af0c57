// tessera show: the elements of an array, as NumPy prints them: of a large one the corners.
#include <algorithm>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/metadata/to_json.hpp>

#include "commands.hpp"
#include "element_text.hpp"
#include "region.hpp"
#include "source.hpp"

namespace cli {
namespace {

// Along one dimension the first and the last indices are shown; between them are some that are not.
struct Shown {
  std::uint64_t first, last, all;

  std::uint64_t count() const { return first + last; }
  bool is_cut() const { return count() < all; }
  /// Requires: there are two at least.
  void shrink() {
    if (!is_cut())
      first = all / 2, last = (all - 1) / 2;
    else
      --(last >= first ? last : first);
  }
};

// Three at either end; fewer along the first dimensions, where that would be more than `limit`.
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

constexpr std::size_t longest = 64;                            // characters of an element: some are a MiB of bytes
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;  // of elements

// The texts of what is shown, in C order, read piece by piece: each is dense in the array.
std::vector<std::string> texts_of(Array const& array, tessera::Region const& region, std::vector<Shown> const& shown) {
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
    for (std::size_t i = 0; i < std::max(strings.size(), room.size() / type.size); ++i) {
      std::size_t place = 0, along = 1, rest = i;
      for (auto d = rank; d-- > 0;) {
        place += (rest % piece.count[d] + (at_end[d] ? shown[d].first : 0)) * along;
        rest /= piece.count[d];
        along *= shown[d].count();
      }
      auto text =
          type.varies() ? tessera::to_json(strings[i]) : element_text(room.data() + i * type.size, type, fields);
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
  Printer(std::vector<Shown> const& shown, std::vector<std::string> const& texts) : shown_{shown}, texts_{texts} {
    for (auto const& text : texts) width_ = std::max(width_, text.size());
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
    if (is_row && line_.size() + 1 + width_ < columns) return void(line_ += ' ');
    break_line(is_row ? 1 : shown_.size() - 1 - d);
    line_.assign(d + 1, ' ');
  }
  void put(std::string const& text) { line_.append(width_ - text.size(), ' ') += text; }
  void break_line(std::size_t lines) {
    std::cout << line_ << std::string(std::min<std::size_t>(lines, 2), '\n');
    line_.clear();
  }

  std::vector<Shown> const& shown_;
  std::vector<std::string> const& texts_;
  std::size_t width_ = 0, next_ = 0;
  std::string line_;
};

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
      text += tessera::text({region.first[d], ":", region.first[d] + length(region, d)}) +
              (region.step[d] == 1 ? "" : ':' + std::to_string(region.step[d]));
  }
  auto const elements = tessera::element_count(region.count, "the region");
  return array.type().name() + " [" + text + ']' +
         (texts < elements ? tessera::text({", ", texts, " of ", elements, " elements"}) : "");
}

}  // namespace

Status run(Show const& command) {
  auto const array = open_array(command.path, command.threads, command);
  auto const asked = asked_of(command.region, command.index, array.metadata());
  auto const& region = asked.region;
  auto const shown = choose(region.count, std::min<std::uint64_t>(command.limit, most_bytes / array.type().size));
  auto const texts = texts_of(array, region, shown);
  std::vector<Shown> kept;
  for (std::size_t d = 0; d < shown.size(); ++d)
    if (asked.is_kept[d]) kept.push_back(shown[d]);
  std::cout << printable(command.path + ": " + described(array, region, texts.size())) << '\n';
  if (texts.empty())  // as NumPy, whatever the other dimensions are
    std::cout << "[]\n";
  else
    Printer{kept, texts}.print();
  return done;
}

}  // namespace cli
