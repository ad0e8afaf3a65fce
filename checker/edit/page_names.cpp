// Writes a name like the one next to it, with its quotes, role and module.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/page_names.h"

#include <algorithm>

#include "checker/edit/sorted_place.h"
#include "registry/list_source/names/page_names.h"

namespace opledger {
namespace {

// Replaces the name of `other` by `name`, but keeps its quotes and module.
std::string Like(const std::string& text, const PageName& other, const std::string& name) {
  std::string written = text.substr(other.range.begin, other.range.end - other.range.begin);
  const std::size_t at = written.find(other.name);
  const std::size_t module = other.name.find_last_of(".:");
  const std::size_t kept = module == std::string::npos ? 0 : module + 1;
  return written.replace(at + kept, other.name.size() - kept, name);
}

// Returns the text between two names of an enumeration.
std::string Separator(const std::string& text, const std::vector<PageName>& names) {
  for (std::size_t i = names.size() - 1; i > 0; --i) {
    if (names[i].alone || names[i - 1].alone) continue;
    std::string between =
        text.substr(names[i - 1].range.end, names[i].range.begin - names[i - 1].range.end);
    const bool words = std::any_of(between.begin(), between.end(), IsWordCharacter);
    if (!words && between.find("\n\n") == std::string::npos)
      return between;  // not across paragraphs
  }
  return ",\n";
}

std::size_t LineStart(const std::string& text, std::size_t at) {
  const std::size_t before = text.rfind('\n', at);
  return before == std::string::npos ? 0 : before + 1;
}

// Returns a line like that of `other`, without the text after its name. A table row keeps its
// columns.
std::string LineLike(const std::string& text, const PageName& other, const std::string& name) {
  const std::size_t begin = LineStart(text, other.range.begin);
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::string line = text.substr(begin, other.range.begin - begin) + Like(text, other, name);
  if (Trimmed(std::string_view(text).substr(begin, end - begin)).starts_with('|')) {
    const auto columns = std::count(text.begin() + static_cast<std::ptrdiff_t>(other.range.end),
                                    text.begin() + static_cast<std::ptrdiff_t>(end), '|');
    for (std::ptrdiff_t i = 0; i < columns; ++i) line += i == 0 ? " |" : "  |";
  }
  return line + '\n';
}

// Returns the end of an item's lines: the start of the next item or of an empty line.
std::size_t EndOfItem(const std::string& text, const PageName& item) {
  std::size_t at = text.find('\n', item.range.end);
  while (at != std::string::npos) {
    const std::size_t begin = at + 1;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = Trimmed(std::string_view(text).substr(begin, end - begin));
    if (line.empty() || std::string_view("*-+|").find(line.front()) != std::string_view::npos) {
      return begin;
    }
    at = end < text.size() ? end : std::string::npos;
  }
  return text.size();
}

void AddName(std::string& text, const std::vector<PageName>& names, const std::string& name) {
  std::vector<std::string_view> sorted;
  for (const PageName& each : names) {  // without their modules
    const std::string_view whole = each.name;
    sorted.push_back(whole.substr(whole.find_last_of(".:") + 1));
  }
  const std::size_t place = SortedPlace(sorted, name);
  const PageName& beside = names[place == 0 ? 0 : place - 1];
  if (beside.alone) {
    const std::size_t at =
        place == 0 ? LineStart(text, beside.range.begin) : EndOfItem(text, beside);
    const bool cut = at == text.size() && !text.ends_with('\n');
    text.insert(at, (cut ? "\n" : "") + LineLike(text, beside, name));
  } else if (place == 0) {
    text.insert(beside.range.begin, Like(text, beside, name) + Separator(text, names));
  } else {
    text.insert(beside.range.end, Separator(text, names) + Like(text, beside, name));
  }
}

}  // namespace

std::optional<std::string> WithNames(std::string text, bool markdown, const std::string& section,
                                     const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::vector<PageSection> sections = ReadPage(text, markdown);
    const auto there = std::find_if(sections.begin(), sections.end(), [&](const PageSection& each) {
      return each.title == PlainTitle(section) && !each.names.empty();
    });
    if (there == sections.end()) return std::nullopt;
    AddName(text, there->names, name);
  }
  return text;
}

}  // namespace opledger
