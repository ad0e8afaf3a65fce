// A row is a string between commas, the argument of a call that adds it, or a call of a macro's
// parameter.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/source_rows.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "checker/edit/macro_rows.h"
#include "checker/edit/row_text.h"
#include "checker/edit/sorted_place.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// A file that contains rows.
struct RowFile {
  const std::string& text;
  RowText tokens;
  LineIndex lines;

  std::optional<std::size_t> Offset(const Location& place) const {
    if (place.line < 1 || place.line > lines.count() || place.column < 1) return std::nullopt;
    return lines.Start(place.line) + static_cast<std::size_t>(place.column) - 1;
  }
  Span SpanOf(const RowElement& element) const {
    return {tokens.tokens()[element.first].span.begin, tokens.tokens()[element.last].span.end};
  }
};

// Returns the language according to "derived_from". Registrations are in C++.
RowLanguage LanguageOf(const PrecisionList& list, const InternedString& path) {
  const auto origin = std::find_if(list.derived_from.begin(), list.derived_from.end(),
                                   [&](const ListOrigin& each) { return path == each.file; });
  if (origin == list.derived_from.end()) return RowLanguage::kCpp;
  if (origin->format == ListFormat::kPython) return RowLanguage::kPython;
  return origin->format == ListFormat::kYaml ? RowLanguage::kOther : RowLanguage::kCpp;
}

std::optional<RowFile> FileOf(const PrecisionList& list, const InternedString& path) {
  const auto found = list.source_texts.find(path);
  const RowLanguage language = LanguageOf(list, path);
  if (found == list.source_texts.end() || language == RowLanguage::kOther) return std::nullopt;
  const std::string& text = *found->second;
  return RowFile{text, RowText(text, language), LineIndex(text)};
}

struct LiteralRow {
  enum class Kind { kElement, kStatement, kMacro };
  Kind kind = Kind::kElement;
  RowBracket bracket;
  MacroRows macro;
  std::size_t index = 0;  // of the element, or of the macro's row
  std::size_t name = 0;   // token of the name
};

bool AddsOne(std::string_view method) {
  return method == "insert" || method == "push_back" || method == "emplace" ||
         method == "emplace_back" || method == "add" || method == "append";
}

// Matches `list.insert("X");` on a line of its own.
bool IsStatement(const RowFile& file, const RowBracket& bracket) {
  const RowText& text = file.tokens;
  if (bracket.open < 3 || bracket.elements.size() != 1 || !AddsOne(text.Of(bracket.open - 1))) {
    return false;
  }
  const Span close = text.tokens()[bracket.close].span;
  const std::string_view behind = Trimmed(text.Between(close.end, text.LineEnd(close.end)));
  const std::size_t start = text.LineStart(close.begin);
  std::size_t first = bracket.open;
  while (first > 0 && text.tokens()[first - 1].span.begin >= start) --first;
  const char before = first == 0 ? ';' : text.Mark(first - 1);
  const bool begins = before == ';' || before == '{' || before == '}' ||
                      (first > 0 && text.tokens()[first - 1].kind == RowToken::Kind::kDirective);
  const bool plain = text.tokens()[first].kind == RowToken::Kind::kWord;
  return plain && begins && behind.starts_with(';') &&
         text.EndsLine(text.tokens()[bracket.close + 1].span.end);
}

bool IsString(const RowText& text, const RowElement& element) {
  for (std::size_t i = element.first; i <= element.last; ++i) {
    if (text.tokens()[i].kind == RowToken::Kind::kDirective) continue;
    if (text.tokens()[i].kind != RowToken::Kind::kString) return false;
  }
  return true;
}

// Matches {"exp", true} or {"exp"} inside another bracket, in C++.
bool IsStruct(const RowText& text, const RowBracket& bracket) {
  if (text.Mark(bracket.open) != '{' || text.language() != RowLanguage::kCpp) return false;
  const char before = bracket.open == 0 ? ' ' : text.Mark(bracket.open - 1);
  return before == '{' || before == ',' ||
         !std::all_of(bracket.elements.begin(), bracket.elements.end(),
                      [&](const RowElement& each) { return IsString(text, each); });
}

std::optional<LiteralRow> FindElement(const RowFile& file, const ListEntry& row,
                                      std::size_t token) {
  const RowText& text = file.tokens;
  LiteralRow found;
  found.name = token;
  std::optional<RowBracket> bracket = text.BracketAround(token);
  if (bracket && row.policy == Policy::kConditional) bracket = text.BracketAround(bracket->open);
  if (!bracket) return std::nullopt;
  found.bracket = std::move(*bracket);
  const std::vector<RowElement>& elements = found.bracket.elements;
  const auto at = std::find_if(elements.begin(), elements.end(), [&](const RowElement& each) {
    return each.first <= token && token <= each.last;
  });
  if (at == elements.end()) return std::nullopt;
  found.index = static_cast<std::size_t>(at - elements.begin());
  if (row.policy != Policy::kConditional && !IsString(text, *at)) return std::nullopt;
  if (IsStruct(text, found.bracket)) return std::nullopt;
  const std::size_t open = found.bracket.open;
  const bool call =
      text.Mark(open) == '(' && open > 0 && text.tokens()[open - 1].kind == RowToken::Kind::kWord;
  if (!call) return found;
  if (!IsStatement(file, found.bracket)) return std::nullopt;
  found.kind = LiteralRow::Kind::kStatement;
  return found;
}

std::optional<LiteralRow> FindRow(const RowFile& file, const ListEntry& row) {
  const std::optional<std::size_t> offset = file.Offset(row.location);
  const std::optional<std::size_t> token =
      offset ? file.tokens.TokenAt(*offset) : std::optional<std::size_t>();
  if (!token) return std::nullopt;
  const RowToken::Kind kind = file.tokens.tokens()[*token].kind;
  if (kind == RowToken::Kind::kString) return FindElement(file, row, *token);
  if (kind != RowToken::Kind::kWord) return std::nullopt;
  std::optional<MacroRows> macro = MacroRowsAround(file.tokens, *token);
  if (!macro) return std::nullopt;
  for (std::size_t i = 0; i < macro->rows.size(); ++i) {
    if (macro->rows[i].first < *token && *token < macro->rows[i].last) {
      return LiteralRow{LiteralRow::Kind::kMacro, {}, std::move(*macro), i, *token};
    }
  }
  return std::nullopt;
}

struct RowChange {
  Span span;
  std::string text;
};

// For lists whose commas begin lines, returns the text before a row from the start of its line,
// such as "    , ". Returns "" for other lists.
std::string LeadingComma(const RowFile& file, const RowBracket& bracket) {
  const RowText& text = file.tokens;
  for (std::size_t i = 1; i < bracket.elements.size(); ++i) {
    const Span comma = text.tokens()[*bracket.elements[i - 1].comma].span;
    const std::size_t begin = file.SpanOf(bracket.elements[i]).begin;
    const std::size_t line = text.LineStart(comma.begin);
    if (!text.FirstOnLine(comma.begin) || line != text.LineStart(begin)) continue;
    if (text.IsBlank(comma.end, begin)) return std::string(text.Between(line, begin));
  }
  return {};
}

// Removes a row if its comma, or that of the next row, begins a line. Otherwise returns nullopt.
std::optional<RowChange> RemoveLeading(const RowFile& file, const RowBracket& bracket,
                                       std::size_t index) {
  const RowText& text = file.tokens;
  const RowElement& gone = bracket.elements[index];
  const Span span = file.SpanOf(gone);
  if (index > 0) {
    const Span comma = text.tokens()[*bracket.elements[index - 1].comma].span;
    const std::size_t line = text.LineStart(comma.begin);
    if (!text.FirstOnLine(comma.begin) || line != text.LineStart(span.begin)) return std::nullopt;
    if (!text.EndsLine(span.end)) return std::nullopt;
    return RowChange{{line, text.NextLine(span.end)}, ""};
  }
  if (!gone.comma || bracket.elements.size() < 2) return std::nullopt;
  const Span comma = text.tokens()[*gone.comma].span;
  const std::size_t next = file.SpanOf(bracket.elements[1]).begin;
  if (!text.FirstOnLine(comma.begin) || !text.EndsLine(span.end) ||
      text.LineStart(comma.begin) != text.NextLine(span.end) || !text.IsBlank(comma.end, next)) {
    return std::nullopt;
  }
  return RowChange{{span.begin, next}, ""};
}

// Removes an element with its comma, and with its line if nothing else is on it.
RowChange RemoveElement(const RowFile& file, const RowBracket& bracket, std::size_t index) {
  const RowText& text = file.tokens;
  const RowElement& gone = bracket.elements[index];
  const Span span = file.SpanOf(gone);
  const std::size_t end = gone.comma ? text.tokens()[*gone.comma].span.end : span.end;
  const bool alone = text.FirstOnLine(span.begin) && text.EndsLine(end);
  const bool last = index + 1 == bracket.elements.size();
  if (const auto change = RemoveLeading(file, bracket, index)) return *change;
  if (last && !gone.comma && index > 0) {
    const Span comma = text.tokens()[*bracket.elements[index - 1].comma].span;
    const std::size_t line = text.LineStart(span.begin);
    if (alone && line > comma.end) {
      return {{comma.begin, text.NextLine(end)}, std::string(text.Between(comma.end, line))};
    }
    const bool blank = text.IsBlank(comma.end, span.begin);
    return {{comma.begin, end}, blank ? "" : std::string(text.Between(comma.end, span.begin))};
  }
  if (alone) return {{text.LineStart(span.begin), text.NextLine(end)}, ""};
  if (!last) {
    const std::size_t next = file.SpanOf(bracket.elements[index + 1]).begin;
    const bool here = text.LineStart(next) == text.LineStart(span.begin);
    if (here && text.IsBlank(end, next)) return {{span.begin, next}, ""};
  }
  if (index > 0) {
    const std::size_t before = text.tokens()[*bracket.elements[index - 1].comma].span.end;
    if (text.IsBlank(before, span.begin)) return {{before, end}, ""};
  }
  return {{span.begin, end}, ""};
}

// Removing an element of ("exp", "log") must give ("exp",): without the comma it is not a tuple.
RowChange KeepTuple(const RowFile& file, const RowBracket& bracket, RowChange change) {
  const RowText& text = file.tokens;
  const RowElement& last = bracket.elements.back();
  if (text.language() != RowLanguage::kPython || text.Mark(bracket.open) != '(' ||
      bracket.elements.size() != 2 || last.comma) {
    return change;
  }
  const std::size_t end = file.SpanOf(last).end;
  if (change.span.end <= file.SpanOf(last).begin) {
    change.text += std::string(text.Between(change.span.end, end)) + ",";
    change.span.end = end;
  } else {
    change.text.insert(0, ",");
  }
  return change;
}

std::string QuotedLike(const RowFile& file, std::size_t like, std::string_view name) {
  const char quote = file.tokens.Of(like).front();
  return quote + std::string(name) + quote;
}

// Returns the name as written: the value of the string, or the arguments in the macro.
std::string WrittenName(const RowFile& file, const LiteralRow& row) {
  if (row.kind == LiteralRow::Kind::kMacro) return row.macro.rows[row.index].name;
  const std::string_view literal = file.tokens.Of(row.name);
  return literal.size() < 2 ? "" : std::string(literal.substr(1, literal.size() - 2));
}

// Returns `op` without the prefix, such as a namespace, that `like` has but its row omits.
std::optional<std::string> NameToWrite(const RowFile& file, const LiteralRow& row,
                                       const ListEntry& like, std::string_view op) {
  const std::string written = WrittenName(file, row);
  const std::string known = like.op;
  if (written.empty() || !known.ends_with(written)) return std::nullopt;
  const std::string prefix = known.substr(0, known.size() - written.size());
  if (!op.starts_with(prefix) || op.size() == prefix.size()) return std::nullopt;
  const std::string name(op.substr(prefix.size()));
  const bool macro = row.kind == LiteralRow::Kind::kMacro;
  const auto fits = [&](char c) {
    if (macro) return IsWordCharacter(c) || c == '.';
    return c >= ' ' && c != '"' && c != '\'' && c != '\\' && c != '\x7F';
  };
  if (!std::all_of(name.begin(), name.end(), fits)) return std::nullopt;
  return name;
}

// Like NameToWrite(), but tries the prefixes of other rows of the list, too.
std::optional<std::string> NewName(const RowFile& file, const LiteralRow& row,
                                   const PrecisionList& list, const ListEntry& of,
                                   std::string_view op) {
  if (auto name = NameToWrite(file, row, of, op)) return name;
  for (const ListEntry& each : list.entries) {
    if (each.source != of.source || each.location.path != of.location.path) continue;
    const auto like = FindRow(file, each);
    if (!like || like->kind != row.kind) continue;
    if (auto name = NameToWrite(file, *like, each, op)) return name;
  }
  return std::nullopt;
}

// A literal that contains rows of the policy.
struct LiteralList {
  LiteralRow like;                             // one of its rows
  std::map<std::size_t, const ListEntry*> of;  // by index of the element or macro row
  InternedString path;
};

// Returns the literal with most rows of the policy. Skips literals that several lists share.
std::optional<LiteralList> LargestLiteral(const PrecisionList& list, Policy policy) {
  std::map<std::pair<InternedString, std::size_t>, LiteralList> literals;
  std::map<InternedString, std::optional<RowFile>> files;
  for (const ListEntry& entry : list.entries) {
    if (entry.source.empty() || entry.policy != policy || !entry.condition.IsAlways()) continue;
    if (ListsWithRowAt(list, entry.location).size() > 1) continue;
    const InternedString& path = entry.location.path;
    if (!files.contains(path)) files.emplace(path, FileOf(list, path));
    const std::optional<RowFile>& file = files.at(path);
    const auto row = file ? FindRow(*file, entry) : std::nullopt;
    if (!row || row->kind == LiteralRow::Kind::kStatement) continue;
    const bool macro = row->kind == LiteralRow::Kind::kMacro;
    if (WrittenName(*file, *row).empty()) continue;
    LiteralList& literal =
        literals[{path, macro ? row->macro.rows.front().first : row->bracket.open}];
    literal.like = *row;
    literal.path = path;
    literal.of.emplace(row->index, &entry);
  }
  const auto most = std::max_element(literals.begin(), literals.end(), [](auto& a, auto& b) {
    return a.second.of.size() < b.second.of.size();
  });
  if (most == literals.end()) return std::nullopt;
  return std::move(most->second);
}

// Returns the number of #if that are open at the element.
int DepthAt(const RowFile& file, const RowBracket& bracket, std::size_t index) {
  int depth = 0;
  for (std::size_t i = bracket.open; i < bracket.elements[index].first; ++i) {
    if (file.tokens.tokens()[i].kind != RowToken::Kind::kDirective) continue;
    const std::string_view word = Trimmed(file.tokens.Of(i).substr(1));
    if (word.starts_with("if")) ++depth;
    if (word.starts_with("endif")) --depth;
  }
  return depth;
}

// Returns the index of the row to insert `name` after, or nullopt to insert it first.
std::optional<std::size_t> PlaceAmong(const std::vector<std::string>& names,
                                      std::string_view name) {
  std::vector<std::string_view> views(names.begin(), names.end());
  const std::size_t place = SortedPlace(views, name);
  return place == 0 ? std::optional<std::size_t>() : place - 1;
}

std::string NoteComment(bool python, std::string_view note) {
  if (note.empty()) return {};
  return std::string(python ? "  # " : "  // ") + "opledger: " + std::string(note);
}

// The parts of a new row.
struct NewElement {
  std::string item;  // with quotes
  std::string comment;
  std::string note;
  bool python = false;
};

RowChange InsertFirst(const RowFile& file, const RowBracket& bracket, bool own_line,
                      const NewElement& added) {
  const RowText& text = file.tokens;
  const std::size_t begin = file.SpanOf(bracket.elements.front()).begin;
  if (!own_line) return {{begin, begin}, added.item + ", "};
  const std::size_t line = text.LineStart(begin);
  return {
      {line, line},
      std::string(text.Between(line, begin)) + added.item + "," + added.comment + text.LineBreak()};
}

// Inserts a row on a line of its own, after that of `before`.
std::optional<RowChange> InsertLine(const RowFile& file, const RowElement& before,
                                    const std::string& indent, const NewElement& added) {
  const RowText& text = file.tokens;
  const std::size_t end = file.SpanOf(before).end;
  const std::string line = text.LineBreak() + indent + added.item;
  if (before.comma) {
    const std::size_t comma = text.tokens()[*before.comma].span.end;
    if (!text.EndsLine(comma)) return RowChange{{comma, comma}, line + ","};
    const std::size_t line_end = text.LineEnd(comma);
    return RowChange{{line_end, line_end}, line + "," + added.comment};
  }
  const std::size_t line_end = text.LineEnd(end);
  const std::string rest(text.Between(end, line_end));
  if (text.EndsLine(end)) {
    return RowChange{{end, line_end}, "," + rest + line + added.comment};
  }
  if (added.note.empty()) return RowChange{{end, end}, "," + line};
  if (!added.python)
    return RowChange{{end, end}, "," + line + " /* opledger: " + added.note + " */"};
  if (rest.find('#') != std::string::npos) return std::nullopt;
  return RowChange{{end, line_end}, "," + line + rest + added.comment};
}

// Inserts a row after `before` on the same line. In Python, a note needs a line break.
RowChange InsertOnLine(const RowFile& file, const RowElement& before, const NewElement& added) {
  const RowText& text = file.tokens;
  const std::size_t end = file.SpanOf(before).end;
  if (added.note.empty()) return {{end, end}, ", " + added.item};
  if (!added.python) return {{end, end}, ", " + added.item + " /* opledger: " + added.note + " */"};
  const std::size_t start = text.LineStart(end);
  std::string indent;
  while (text.IsBlank(start + indent.size(), start + indent.size() + 1)) indent += ' ';
  if (!text.FirstOnLine(file.SpanOf(before).begin)) indent += "    ";
  const std::string line = text.LineBreak() + indent;
  std::size_t stop = before.comma ? text.tokens()[*before.comma].span.end : end;
  while (text.Between(stop, stop + 1) == " ") ++stop;
  return {{end, stop}, "," + line + added.item + "," + added.comment + line};
}

// Inserts a row if commas begin lines.
RowChange InsertLeading(const RowFile& file, const RowBracket& bracket,
                        std::optional<std::size_t> after, const std::string& leading,
                        const NewElement& added) {
  const RowText& text = file.tokens;
  if (!after) {
    const std::size_t begin = file.SpanOf(bracket.elements.front()).begin;
    return {{begin, begin}, added.item + added.comment + text.LineBreak() + leading};
  }
  const std::size_t end = file.SpanOf(bracket.elements[*after]).end;
  const std::string line = text.LineBreak() + leading + added.item;
  if (!text.EndsLine(end)) return {{end, end}, line};
  return {{text.LineEnd(end), text.LineEnd(end)}, line + added.comment};
}

std::optional<RowChange> InsertElement(const RowFile& file, const LiteralList& literal,
                                       std::string_view name, std::string_view note) {
  const RowBracket& bracket = literal.like.bracket;
  std::vector<std::string> names;
  for (const RowElement& element : bracket.elements) {
    const std::string_view literal_text = file.tokens.Of(element.first);
    names.emplace_back(literal_text.size() < 2 ? literal_text
                                               : literal_text.substr(1, literal_text.size() - 2));
  }
  std::optional<std::size_t> after = PlaceAmong(names, name);
  while (after && DepthAt(file, bracket, *after) > 0) {
    after = *after == 0 ? std::optional<std::size_t>() : *after - 1;
  }
  const std::size_t like = after.value_or(0);
  if (!after && DepthAt(file, bracket, 0) > 0) return std::nullopt;
  const RowText& text = file.tokens;
  const std::size_t begin = file.SpanOf(bracket.elements[like]).begin;
  const std::size_t line = text.LineStart(begin);
  const bool next_here = like + 1 < bracket.elements.size() &&
                         text.LineStart(file.SpanOf(bracket.elements[like + 1]).begin) == line;
  const bool own_line = text.FirstOnLine(begin) && !next_here;
  const bool python = text.language() == RowLanguage::kPython;
  const NewElement added = {QuotedLike(file, literal.like.name, name), NoteComment(python, note),
                            std::string(note), python};
  const std::string leading = LeadingComma(file, bracket);
  if (!leading.empty()) return InsertLeading(file, bracket, after, leading, added);
  if (!after) return InsertFirst(file, bracket, own_line, added);
  if (!own_line) return InsertOnLine(file, bracket.elements[like], added);
  return InsertLine(file, bracket.elements[like], std::string(text.Between(line, begin)), added);
}

Edit EditOfRow(const InternedString& path, RowChange change) {
  return {path, change.span.begin, change.span.size(), std::move(change.text)};
}

std::optional<AddedRow> InsertIntoMacro(const RowFile& file, const LiteralList& literal,
                                        const ListEntry& like, std::string_view name,
                                        std::string_view note) {
  std::vector<std::string> names;
  for (const MacroRow& row : literal.like.macro.rows) names.push_back(row.name);
  MacroEdit made =
      InsertMacroRow(file.tokens, literal.like.macro, PlaceAmong(names, name), name, note);
  const std::size_t at = made.span.begin + made.name;
  const std::size_t size = name.substr(0, name.find('.')).size();
  return AddedRow{
      EditOfRow(literal.path, {made.span, std::move(made.text)}), {at, at + size}, &like};
}

}  // namespace

std::set<std::string> ListsWithRowAt(const PrecisionList& list, const Location& place) {
  std::set<std::string> names;
  for (const ListEntry& entry : list.entries) {
    if (!entry.source.empty() && entry.location == place) names.insert(entry.source);
  }
  return names;
}

std::optional<Edit> RemoveRow(const PrecisionList& list, const ListEntry& row) {
  const auto file = FileOf(list, row.location.path);
  const auto found = file ? FindRow(*file, row) : std::nullopt;
  if (!found) return std::nullopt;
  const RowText& text = file->tokens;
  switch (found->kind) {
    case LiteralRow::Kind::kElement: {
      const RowBracket& bracket = found->bracket;
      const bool set = text.language() == RowLanguage::kPython && text.Mark(bracket.open) == '{';
      if (set && bracket.elements.size() == 1) return std::nullopt;  // {} is a dict
      return EditOfRow(row.location.path,
                       KeepTuple(*file, bracket, RemoveElement(*file, bracket, found->index)));
    }
    case LiteralRow::Kind::kStatement: {
      const std::size_t at = text.tokens()[found->name].span.begin;
      return EditOfRow(row.location.path, {{text.LineStart(at), text.NextLine(at)}, ""});
    }
    case LiteralRow::Kind::kMacro: {
      MacroEdit made = RemoveMacroRow(text, found->macro, found->index);
      return EditOfRow(row.location.path, {made.span, std::move(made.text)});
    }
  }
  return std::nullopt;
}

std::optional<Edit> RenameRow(const PrecisionList& list, const ListEntry& row,
                              std::string_view op) {
  return ReplaceRow(list, row, {std::string(op)});
}

std::optional<Edit> ReplaceRow(const PrecisionList& list, const ListEntry& row,
                               const std::vector<std::string>& ops) {
  const auto file = FileOf(list, row.location.path);
  const auto found = file ? FindRow(*file, row) : std::nullopt;
  if (!found || row.policy == Policy::kConditional) return std::nullopt;
  std::string text;
  for (const std::string& op : ops) {
    const auto name = NewName(*file, *found, list, row, op);
    if (!name) return std::nullopt;
    if (!text.empty()) text += ", ";
    text += found->kind == LiteralRow::Kind::kMacro ? MacroArguments(*name)
                                                    : QuotedLike(*file, found->name, *name);
  }
  const auto& tokens = file->tokens.tokens();
  if (found->kind == LiteralRow::Kind::kMacro) {
    const MacroRow& of = found->macro.rows[found->index];
    if (ops.size() != 1 || of.name.empty()) return std::nullopt;
    const Span span = {tokens[of.first + 2].span.begin, tokens[of.last - 1].span.end};
    return EditOfRow(row.location.path, {span, std::move(text)});
  }
  if (found->kind == LiteralRow::Kind::kStatement && ops.size() != 1) return std::nullopt;
  const Span span = file->SpanOf(found->bracket.elements[found->index]);
  return EditOfRow(row.location.path, {span, std::move(text)});
}

std::optional<AddedRow> InsertRow(const PrecisionList& list, Policy policy, std::string_view op,
                                  std::string_view note) {
  if (policy == Policy::kConditional) return std::nullopt;
  const auto literal = LargestLiteral(list, policy);
  const auto file = literal ? FileOf(list, literal->path) : std::nullopt;
  if (!file) return std::nullopt;
  const ListEntry& like = *literal->of.at(literal->like.index);
  const auto name = NameToWrite(*file, literal->like, like, op);
  if (!name) return std::nullopt;
  if (literal->like.kind == LiteralRow::Kind::kMacro) {
    return InsertIntoMacro(*file, *literal, like, *name, note);
  }
  auto change = InsertElement(*file, *literal, *name, note);
  if (!change) return std::nullopt;
  const std::string quoted = QuotedLike(*file, literal->like.name, *name);
  const std::size_t at = change->span.begin + change->text.find(quoted);
  return AddedRow{EditOfRow(literal->path, std::move(*change)), {at, at + quoted.size()}, &like};
}

namespace {

// Replaces the name `known` in the first `size` bytes of `line` by `op`:
//   R"(exp)", // fast  ->  R"(log)", // fast        pow, Scalar)  ->  log, int)
std::optional<std::string> Reworded(std::string line, std::size_t size, std::string_view known,
                                    std::string_view op) {
  const std::string written = line.substr(0, size);
  for (;;) {
    const std::size_t at = written.find(known);
    if (at != std::string::npos) return line.replace(at, known.size(), op);
    const std::string arguments = MacroArguments(known);
    if (line.starts_with(arguments)) return line.replace(0, arguments.size(), MacroArguments(op));
    const std::size_t scope = known.find("::");
    if (scope == std::string_view::npos) return std::nullopt;
    if (op.starts_with(known.substr(0, scope + 2))) op.remove_prefix(scope + 2);
    known.remove_prefix(scope + 2);
  }
}

}  // namespace

std::optional<RowToWrite> WriteLike(const PrecisionList& list, Policy policy, std::string_view op) {
  const bool overload = op.substr(op.rfind(':') + 1).find('.') != std::string_view::npos;
  const ListEntry* like = nullptr;
  for (const ListEntry& entry : list.entries) {
    if (entry.source.empty() || entry.policy != policy) continue;
    const std::string name = entry.op;
    const bool same = (name.substr(name.rfind(':') + 1).find('.') != std::string::npos) == overload;
    const bool always = entry.condition.IsAlways();
    if (like != nullptr && like->condition.IsAlways() && !always) continue;
    if (like == nullptr || same || !like->condition.IsAlways()) like = &entry;
  }
  if (like == nullptr) return std::nullopt;
  const auto found = list.source_texts.find(like->location.path);
  if (found == list.source_texts.end()) return std::nullopt;
  const std::string& text = *found->second;
  const LineIndex lines(text);
  const Location& place = like->location;
  if (place.line < 1 || place.line > lines.count() || place.end_line != place.line) {
    return std::nullopt;
  }
  std::string line(lines.Line(text, place.line));
  const auto column = static_cast<std::size_t>(place.column) - 1;
  const auto size = static_cast<std::size_t>(place.end_column - place.column);
  if (column + size > line.size()) return std::nullopt;
  const std::optional<std::string> renamed =
      Reworded(line.substr(column), size, std::string(like->op), std::string(op));
  if (!renamed) return std::nullopt;
  return RowToWrite{std::string(Trimmed(line.substr(0, column) + *renamed)), place,
                    !like->condition.IsAlways()};
}

void FollowEdit(const Edit& edit, PrecisionList& list) {
  const auto known = list.source_texts.find(edit.path);
  if (known == list.source_texts.end()) return;
  const std::string& before = *known->second;
  auto after = std::make_shared<std::string>(before);
  after->replace(edit.offset, edit.length, edit.text);
  const LineIndex old_lines(before);
  const LineIndex new_lines(*after);
  // Returns false if the edit removed the location.
  const auto move = [&](Location& location) {
    if (location.path != edit.path || location.line < 1 || location.line > old_lines.count()) {
      return true;
    }
    const auto offset = [&](int line, int column) {
      return old_lines.Start(line) + static_cast<std::size_t>(column) - 1;
    };
    std::size_t begin = offset(location.line, location.column);
    if (begin < edit.offset) return true;
    const std::size_t size = offset(location.end_line, location.end_column) - begin;
    if (begin < edit.offset + edit.length) {
      // KeepTuple() rewrites the row that stays.
      const std::string stays = before.substr(begin, edit.offset + edit.length - begin) + ",";
      if (!edit.text.ends_with(stays)) return false;
      begin = edit.offset + edit.text.size() - stays.size();
    } else {
      begin = begin - edit.length + edit.text.size();
    }
    std::tie(location.line, location.column) = new_lines.At(begin);
    std::tie(location.end_line, location.end_column) = new_lines.At(begin + size);
    return true;
  };
  std::erase_if(list.entries,
                [&](ListEntry& entry) { return !entry.source.empty() && !move(entry.location); });
  for (SourceList& each : list.source_lists) move(each.location);
  known->second = std::move(after);
}

}  // namespace opledger
