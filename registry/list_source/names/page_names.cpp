// Reads pages line by line: titles, paragraphs, and code in backquotes. Directives are not
// processed.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/names/page_names.h"

#include <algorithm>

namespace opledger {
namespace {

constexpr std::string_view kUnderlines = "=-`:.'\"~^_*+#<>!$%&()/,;?@[\\]{|}";

bool IsRunOf(std::string_view line, std::string_view characters) {
  return !line.empty() && characters.find(line.front()) != std::string_view::npos &&
         line.find_first_not_of(line.front()) == std::string_view::npos;
}

// "`exp`" or "``exp``", including a role such as in ":func:`~torch.exp`" or "{func}`torch.exp`".
struct Code {
  std::string name;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Strips "~", "()" and surrounding blanks. Returns an empty string if the code is not a name.
std::string NameIn(std::string_view code) {
  code = Trimmed(code);
  if (code.starts_with('~') || code.starts_with('!')) code.remove_prefix(1);
  if (code.ends_with("()")) code.remove_suffix(2);
  const bool plain = std::all_of(code.begin(), code.end(), [](char c) {
    return IsWordCharacter(c) || c == '.' || c == ':' || c == '-';
  });
  return plain ? std::string(code) : std::string();
}

// Returns the start of the role before the code at `at`, or `at` if there is none.
std::size_t RoleBefore(std::string_view text, std::size_t at) {
  if (at == 0 || (text[at - 1] != ':' && text[at - 1] != '}')) return at;
  const char open = text[at - 1] == ':' ? ':' : '{';
  std::size_t begin = at - 1;
  while (begin > 0 && (IsWordCharacter(text[begin - 1]) || text[begin - 1] == '-')) --begin;
  return begin > 0 && begin < at - 1 && text[begin - 1] == open ? begin - 1 : at;
}

std::vector<Code> CodeIn(std::string_view text) {
  std::vector<Code> found;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '`') {
      ++i;
      continue;
    }
    std::size_t open = i;
    while (open < text.size() && text[open] == '`') ++open;
    const std::string_view quotes = text.substr(i, open - i);
    const std::size_t close = text.find(quotes, open);
    if (close == std::string_view::npos) {
      i = open;
      continue;
    }
    found.push_back(
        {NameIn(text.substr(open, close - open)), RoleBefore(text, i), close + quotes.size()});
    i = found.back().end;
  }
  return found;
}

class PageReader {
 public:
  PageReader(std::string_view text, bool markdown) : text_(text), markdown_(markdown) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines_.push_back({begin, end});
      begin = end + 1;
    }
  }

  std::vector<PageSection> Read() {
    for (std::size_t i = 0; i < lines_.size();) {
      if (const std::size_t past = SkipFence(i); past > i) {
        i = past;
      } else if (const std::size_t below = ReadTitle(i); below > i) {
        i = below;
      } else if (Line(i).empty()) {
        ++i;
      } else {
        i = ReadBlock(i);
      }
    }
    return std::move(sections_);
  }

 private:
  std::string_view Line(std::size_t i) const {
    return i < lines_.size()
               ? Trimmed(text_.substr(lines_[i].begin, lines_[i].end - lines_[i].begin))
               : std::string_view();
  }

  // Returns the line after a fenced code block, or `i` if none starts there.
  std::size_t SkipFence(std::size_t i) const {
    const std::string_view first = Line(i);
    if (!markdown_ || !(first.starts_with("```") || first.starts_with("~~~"))) return i;
    const std::string_view fence = first.substr(0, first.find_first_not_of(first.front()));
    for (std::size_t j = i + 1; j < lines_.size(); ++j) {
      if (Line(j).starts_with(fence) && IsRunOf(Line(j), "`~")) return j + 1;
    }
    return lines_.size();
  }

  bool IsUnderline(std::size_t i, std::string_view title) const {
    const std::string_view line = Line(i);
    if (!IsRunOf(line, markdown_ ? "=-" : kUnderlines)) return false;
    return markdown_ || line.size() >= std::min<std::size_t>(4, title.size());
  }

  // Returns the line after a title, or `i` if there is no title.
  std::size_t ReadTitle(std::size_t i) {
    const std::string_view line = Line(i);
    if (line.empty()) return i;
    if (markdown_ && line.starts_with('#')) {
      const std::size_t level = line.find_first_not_of('#');
      if (level > 6 || line[level] != ' ') return i;
      AddTitle(Trimmed(Trimmed(line.substr(level)), "#"));
      return i + 1;
    }
    const bool over = !markdown_ && IsRunOf(line, kUnderlines);
    const std::size_t title = over ? i + 1 : i;
    if (Line(title).empty() || IsRunOf(Line(title), kUnderlines)) return i;
    if (!IsUnderline(title + 1, Line(title)) || (over && Line(title + 1) != line)) return i;
    AddTitle(Line(title));
    return title + 2;
  }

  void AddTitle(std::string_view title) {
    title = Trimmed(title);
    const auto begin = static_cast<std::size_t>(title.data() - text_.data());
    sections_.push_back({PlainTitle(title), {begin, begin + title.size()}, {}});
  }

  // Reads lines up to the next empty line or title.
  std::size_t ReadBlock(std::size_t i) {
    std::size_t end = i + 1;
    while (end < lines_.size() && !Line(end).empty() && !EndsBlock(end)) ++end;
    if (sections_.empty()) return end;
    const std::size_t begin = lines_[i].begin;
    const std::string_view block = text_.substr(begin, lines_[end - 1].end - begin);
    std::vector<Code> code = CodeIn(block);
    if (IsEnumeration(block, code)) {
      for (const Code& each : code) AddName(each, begin, false);
      return end;
    }
    for (std::size_t j = i; j < end; ++j) ReadItem(j);
    return end;
  }

  bool EndsBlock(std::size_t i) const {
    return markdown_ && (Line(i).starts_with('#') || Line(i).starts_with("```"));
  }

  static bool IsItem(std::string_view line) {
    return line.size() > 2 && std::string_view("*-+|").find(line.front()) != std::string_view::npos;
  }

  // Returns whether the block consists only of names separated by commas.
  static bool IsEnumeration(std::string_view block, const std::vector<Code>& code) {
    if (code.empty() || IsItem(Trimmed(block))) return false;
    std::string rest;
    std::size_t at = 0;
    for (const Code& each : code) {
      if (each.name.empty()) return false;
      rest.append(block.substr(at, each.begin - at)).append(",");
      at = each.end;
    }
    rest += block.substr(at);
    if (const std::size_t word = rest.find(" and "); word != std::string::npos) {
      rest.erase(word, 5);
    }
    return rest.find_first_not_of(" \t\r\n,;.") == std::string::npos;
  }

  // Reads "* `exp`: why" or "| `exp` | why |".
  void ReadItem(std::size_t i) {
    const std::string_view line = Line(i);
    if (!IsItem(line)) return;
    const std::size_t first = line.find_first_not_of(" \t", 1);
    const std::vector<Code> code = CodeIn(line);
    if (code.empty() || code.front().begin != first || code.front().name.empty()) return;
    AddName(code.front(), static_cast<std::size_t>(line.data() - text_.data()), true);
  }

  void AddName(const Code& code, std::size_t begin, bool alone) {
    sections_.back().names.push_back({code.name, {begin + code.begin, begin + code.end}, alone});
  }

  std::string_view text_;
  bool markdown_;
  std::vector<TextRange> lines_;
  std::vector<PageSection> sections_;
};

}  // namespace

std::vector<PageSection> ReadPage(std::string_view text, bool markdown) {
  return PageReader(text, markdown).Read();
}

bool IsMarkdown(std::string_view path) {
  return path.ends_with(".md") || path.ends_with(".markdown");
}

std::string PlainTitle(std::string_view title) {
  std::string plain;
  for (const char c : title) {
    if (c == '`' || c == '*') continue;
    const bool blank = c == ' ' || c == '\t';
    if (blank && (plain.empty() || plain.back() == ' ')) continue;
    plain += blank ? ' ' : c;
  }
  while (plain.ends_with(' ')) plain.pop_back();
  return plain;
}

}  // namespace opledger
