// Converts the rows of both formats to named values, which are then checked in one place. The rows
// of an operator become one measurement.
// SPDX-License-Identifier: Apache-2.0
#include "checker/findings/measurements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "registry/json/json_fields.h"
#include "registry/precision_list/harm.h"
#include "registry/text/suggestion.h"
#include "registry/text/utf8.h"

namespace opledger {
namespace {

constexpr const char* kSchemaName = "opledger-measurements";
constexpr std::size_t kLargestCsv = std::size_t{256} << 20U;  // bytes, as for JSON

enum class ValueKind { kText, kNumber, kInteger, kBoolean };

struct Field {
  const char* name;
  ValueKind kind;
};
constexpr Field kMeasurementFields[] = {
    {"framework", ValueKind::kText},  {"operator", ValueKind::kText},
    {"kind", ValueKind::kText},       {"dtype", ValueKind::kText},
    {"computed", ValueKind::kText},   {"domain", ValueKind::kText},
    {"rare", ValueKind::kBoolean},    {"error", ValueKind::kNumber},
    {"samples", ValueKind::kInteger}, {"not_finite", ValueKind::kNumber},
    {"flushed", ValueKind::kNumber},  {"most", ValueKind::kNumber},
    {"reference", ValueKind::kText},  {"unsupported", ValueKind::kText},
};

std::vector<std::string> FieldNames() {
  std::vector<std::string> names;
  for (const Field& field : kMeasurementFields) names.emplace_back(field.name);
  return names;
}

const Field* FindField(std::string_view name) {
  for (const Field& field : kMeasurementFields) {
    if (name == field.name) return &field;
  }
  return nullptr;
}

struct RowValue {
  std::string text;
  double number = 0;  // for kNumber and kInteger
  Span span;
};

// A row without its empty values.
struct MeasuredRow {
  std::map<std::string, RowValue, std::less<>> values;
  Span span;  // of the row

  const RowValue* Find(std::string_view name) const {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
  std::string Text(std::string_view name) const {
    const RowValue* value = Find(name);
    return value == nullptr ? std::string() : value->text;
  }
  double Number(std::string_view name) const {
    const RowValue* value = Find(name);
    return value == nullptr ? 0 : value->number;
  }
};

// The rows of one operator, kind and type with the same "computed".
struct RowGroup {
  MeasuredOperator measured;
  std::vector<DomainErrors> domains;
  std::vector<Location> places;  // of the rows, in the same order
  double samples = 0;
};

class MeasurementReader {
 public:
  MeasurementReader(const JsonDocument& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  // Adds the row if it is valid.
  void Add(const MeasuredRow& row);
  Evidence Finish();

 private:
  bool Error(Span span, std::string message, std::string hint = {}) {
    return ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
  }
  bool IsOneOf(const MeasuredRow& row, std::string_view name,
               const std::vector<std::string>& choices);
  bool IsWithin(const MeasuredRow& row, std::string_view name, double least, double most,
                const char* what);
  bool IsMeasured(const MeasuredRow& row);
  bool Check(const MeasuredRow& row);

  const JsonDocument& document_;
  Diagnostics& diagnostics_;
  std::vector<RowGroup> groups_;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, std::size_t>
      by_key_;
};

bool MeasurementReader::IsOneOf(const MeasuredRow& row, std::string_view name,
                                const std::vector<std::string>& choices) {
  const RowValue* value = row.Find(name);
  if (value == nullptr) return true;
  if (std::find(choices.begin(), choices.end(), value->text) != choices.end()) return true;
  return Error(value->span, "'" + value->text + "' is not a value of '" + std::string(name) + "'",
               ChoiceHint(value->text, choices));
}

bool MeasurementReader::IsWithin(const MeasuredRow& row, std::string_view name, double least,
                                 double most, const char* what) {
  const RowValue* value = row.Find(name);
  if (value == nullptr || (value->number >= least && value->number <= most)) return true;
  return Error(value->span, "'" + std::string(name) + "' must be " + what);
}

// Checks that the row has either a measurement or the reason why there is none.
bool MeasurementReader::IsMeasured(const MeasuredRow& row) {
  if (row.Find("unsupported") != nullptr) {
    for (const char* name : {"error", "samples", "not_finite", "flushed", "most"}) {
      if (const RowValue* value = row.Find(name)) {
        return Error(value->span,
                     "'" + std::string(name) + "' cannot be given for an 'unsupported' type");
      }
    }
    return true;
  }
  if (row.Find("samples") == nullptr) {
    return Error(row.span, "the measurement has no 'samples'", "how many results were compared");
  }
  if (row.Find("error") != nullptr || row.Number("not_finite") == 1) return true;
  return Error(row.span, "the measurement has no 'error'",
               "in units of the type's rounding; leave it out only if 'not_finite' is 1, or "
               "'unsupported' says why the operator does not run in the type");
}

bool MeasurementReader::Check(const MeasuredRow& row) {
  for (const char* name : {"operator", "dtype"}) {
    if (row.Find(name) == nullptr) {
      return Error(row.span, "the measurement has no '" + std::string(name) + "'");
    }
  }
  return IsOneOf(row, "dtype", {"float16", "bfloat16", "float32"}) &&
         IsOneOf(row, "computed", {"by-kernel", "rounded-once"}) && IsMeasured(row) &&
         IsWithin(row, "error", 0, HUGE_VAL, "at least 0") &&
         IsWithin(row, "most", 0, HUGE_VAL, "at least 0") &&
         IsWithin(row, "samples", 1, 9e15, "at least 1") &&
         IsWithin(row, "not_finite", 0, 1, "a share from 0 to 1") &&
         IsWithin(row, "flushed", 0, 1, "a share from 0 to 1");
}

void MeasurementReader::Add(const MeasuredRow& row) {
  if (!Check(row)) return;
  const auto key = std::tuple(row.Text("framework"), row.Text("operator"), row.Text("kind"),
                              row.Text("dtype"), row.Text("computed"));
  const auto [found, is_new] = by_key_.try_emplace(key, groups_.size());
  if (is_new) {
    MeasuredOperator& measured = groups_.emplace_back().measured;
    measured.framework = row.Text("framework");
    measured.op = row.Text("operator");
    measured.kind = row.Text("kind");
    measured.dtype = ParseDtype(row.Text("dtype")).value_or(Dtype::kFloat16);
    measured.inherent = row.Text("computed") == "rounded-once";
    measured.location = document_.At(row.Find("operator")->span);
  }
  RowGroup& group = groups_[found->second];
  if (const RowValue* reason = row.Find("unsupported")) {
    group.measured.refusal = reason->text;
    return;
  }
  group.samples += row.Number("samples");
  group.places.push_back(document_.At(row.Find("operator")->span));
  group.domains.push_back({row.Text("domain"), row.Text("rare") == "true", row.Number("not_finite"),
                           row.Number("flushed"), row.Number("error")});
}

// Returns the place of the row that has the harm.
Location PlaceOf(const Harm& harm, const RowGroup& group) {
  for (std::size_t i = 0; i < group.domains.size(); ++i) {
    const auto own = FindHarm({group.domains[i]});
    if (own && own->reason == harm.reason) return group.places[i];
  }
  return group.measured.location;
}

Evidence MeasurementReader::Finish() {
  Evidence evidence;
  for (RowGroup& group : groups_) {
    MeasuredOperator& measured = group.measured;
    // A type that is unsupported for some inputs only counts as supported.
    if (!group.domains.empty()) measured.refusal.clear();
    const auto harm = FindHarm(group.domains);
    measured.policy = harm ? Policy::kFp32 : Policy::kEither;
    measured.step = harm ? harm->step : "rest";
    measured.samples = static_cast<std::int64_t>(group.samples);
    if (harm) {
      measured.reason = harm->reason;
      measured.location = PlaceOf(*harm, group);
    }
    evidence.operators.push_back(std::move(measured));
  }
  return evidence;
}

// Reads a JSON value for the field. Returns false, with an error, if it is of another kind.
bool ReadValue(const JsonDocument& document, const Field& field, const JsonValue& value,
               RowValue& read, Diagnostics& diagnostics) {
  using Kind = JsonValue::Kind;
  read = {value.string, value.number, value.span};
  const bool is_number = value.kind == Kind::kInteger || value.kind == Kind::kFloat;
  const char* wanted = "";
  switch (field.kind) {
    case ValueKind::kText:
      if (value.kind == Kind::kString) return true;
      wanted = "a string";
      break;
    case ValueKind::kNumber:
      if (is_number) return true;
      wanted = "a number";
      break;
    case ValueKind::kInteger:
      if (value.kind == Kind::kInteger) return true;
      wanted = "an integer";
      break;
    case ValueKind::kBoolean:
      read.text = value.boolean ? "true" : "false";
      if (value.kind == Kind::kBoolean) return true;
      wanted = "true or false";
      break;
  }
  return ErrorAt(
      document, value.span,
      "'" + std::string(field.name) + "' must be " + wanted + ", not " + JsonKindName(value.kind),
      {}, diagnostics);
}

bool IsUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = DecodeUtf8(text, at).length;
    if (length == 0) return false;
    at += length;
  }
  return true;
}

// Converts the text of a cell to the kind of the field. Returns false, with an error, if it is not
// valid.
bool ReadCell(const JsonDocument& document, const Field& field, RowValue& cell,
              Diagnostics& diagnostics) {
  const std::string& text = cell.text;
  if (field.kind == ValueKind::kText) {
    if (IsUtf8(text)) return true;
    return ErrorAt(document, cell.span, "'" + std::string(field.name) + "' is not UTF-8", {},
                   diagnostics);
  }
  if (field.kind == ValueKind::kBoolean) {
    if (text == "true" || text == "false") return true;
    return ErrorAt(document, cell.span, "'" + std::string(field.name) + "' must be true or false",
                   {}, diagnostics);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cell.number);
  const bool is_number =
      error == std::errc() && end == text.data() + text.size() && std::isfinite(cell.number);
  const bool is_integer = is_number && std::floor(cell.number) == cell.number;
  if (field.kind == ValueKind::kInteger ? is_integer : is_number) return true;
  return ErrorAt(document, cell.span,
                 "'" + std::string(field.name) + "' must be " +
                     (field.kind == ValueKind::kInteger ? "an integer" : "a number") + ", not '" +
                     text + "'",
                 {}, diagnostics);
}

// Splits a CSV table (RFC 4180) into cells. Quoted cells may contain commas and line ends.
class CsvCells {
 public:
  explicit CsvCells(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  // Reads the next row that is not empty. Returns false at the end. Sets `problem` to the place of
  // a quote that is not closed.
  bool Next(std::vector<RowValue>& cells, std::optional<Span>& problem) {
    while (at_ < text_.size() && IsLineEnd()) ++at_;
    cells.clear();
    if (at_ >= text_.size()) return false;
    while (true) {
      cells.push_back(Cell(problem));
      if (problem || at_ >= text_.size() || text_[at_] != ',') return true;
      ++at_;
    }
  }

 private:
  bool IsLineEnd() const { return text_[at_] == '\n' || text_[at_] == '\r'; }

  RowValue Cell(std::optional<Span>& problem) {
    const std::size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '"') return QuotedCell(problem);
    while (at_ < text_.size() && text_[at_] != ',' && !IsLineEnd()) ++at_;
    const std::string_view whole = text_.substr(start, at_ - start);
    const std::string_view trimmed = Trimmed(whole);
    if (trimmed.empty()) return {{}, 0, {start, start}};
    const std::size_t first = start + static_cast<std::size_t>(trimmed.data() - whole.data());
    return {std::string(trimmed), 0, {first, first + trimmed.size()}};
  }

  RowValue QuotedCell(std::optional<Span>& problem) {
    const std::size_t start = at_++;
    std::string cell;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != '"') {
        cell += c;
      } else if (at_ < text_.size() && text_[at_] == '"') {
        cell += text_[at_++];
      } else if (at_ >= text_.size() || text_[at_] == ',' || IsLineEnd()) {
        return {std::move(cell), 0, {start, at_}};
      } else {
        break;
      }
    }
    problem = Span{start, start + 1};
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Returns the fields of the columns. Returns nullopt, with errors, if the first line is not valid.
std::optional<std::vector<const Field*>> ReadColumns(const JsonDocument& document,
                                                     const std::vector<RowValue>& cells,
                                                     Diagnostics& diagnostics) {
  std::vector<const Field*> columns;
  for (const RowValue& cell : cells) {
    const Field* field = FindField(cell.text);
    if (field == nullptr) {
      return ErrorAt(document, cell.span, "unknown column '" + cell.text + "'",
                     ChoiceHint(cell.text, FieldNames()), diagnostics);
    }
    if (std::find(columns.begin(), columns.end(), field) != columns.end()) {
      return ErrorAt(document, cell.span, "column '" + cell.text + "' is named twice", {},
                     diagnostics);
    }
    columns.push_back(field);
  }
  for (const char* name : {"operator", "dtype", "error", "samples"}) {
    if (std::find(columns.begin(), columns.end(), FindField(name)) != columns.end()) continue;
    return ErrorAt(document, cells.front().span, "there is no column '" + std::string(name) + "'",
                   "the first line names the columns: operator,dtype,error,samples", diagnostics);
  }
  return columns;
}

void ReadCsvRow(const JsonDocument& document, const std::vector<const Field*>& columns,
                std::vector<RowValue>& cells, MeasurementReader& reader, Diagnostics& diagnostics) {
  MeasuredRow row;
  row.span = {cells.front().span.begin, cells.back().span.end};
  if (cells.size() != columns.size()) {
    ErrorAt(document, row.span,
            "the row has " + Counted(cells.size(), "cell") + ", but there are " +
                Counted(columns.size(), "column"),
            {}, diagnostics);
    return;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].text.empty()) continue;
    if (!ReadCell(document, *columns[i], cells[i], diagnostics)) return;
    row.values.emplace(columns[i]->name, std::move(cells[i]));
  }
  reader.Add(row);
}

}  // namespace

bool IsOfMeasurements(const JsonDocument& document) {
  const JsonValue* schema = document.root.Find("schema");
  return schema != nullptr && schema->string.starts_with(std::string(kSchemaName) + '/');
}

std::optional<Evidence> ReadMeasurementsJson(const JsonDocument& document,
                                             Diagnostics& diagnostics) {
  JsonFields fields(document, document.root, "measurements", diagnostics);
  if (!fields.Schema(kSchemaName, 1)) return std::nullopt;
  MeasurementReader reader(document, diagnostics);
  const std::string framework = fields.String("framework");
  fields.Take("package");  // metadata, not used
  fields.Take("version");
  for (const JsonValue& item : fields.Objects("measurements")) {
    JsonFields row_fields(document, item, "measurement", diagnostics);
    MeasuredRow row;
    row.span = item.span;
    if (!framework.empty()) row.values["framework"].text = framework;
    bool ok = true;
    for (const Field& field : kMeasurementFields) {
      const JsonValue* value = row_fields.Take(field.name);
      if (value == nullptr) continue;
      ok = ReadValue(document, field, *value, row.values[field.name], diagnostics) && ok;
      if (value->kind == JsonValue::Kind::kString && value->string.empty()) {
        row.values.erase(field.name);
      }
    }
    if (row_fields.Finish() && ok) reader.Add(row);
  }
  fields.Finish();
  return reader.Finish();
}

std::optional<Evidence> ReadMeasurementsCsv(const Source& source, const std::string& path,
                                            Reach reach, Diagnostics& diagnostics) {
  std::optional<std::string> text = source.Read(path, kLargestCsv, reach, diagnostics);
  if (!text) return std::nullopt;
  JsonDocument document;
  document.path = path;
  document.text = std::move(*text);
  document.lines = LineIndex(document.text);
  document.quotable = IsQuotable(source, path);
  CsvCells table(document.text);
  MeasurementReader reader(document, diagnostics);
  std::vector<RowValue> cells;
  std::optional<Span> unclosed;
  std::optional<std::vector<const Field*>> columns;
  while (table.Next(cells, unclosed)) {
    if (unclosed) return ErrorAt(document, *unclosed, "the quote is not closed", {}, diagnostics);
    if (columns) {
      ReadCsvRow(document, *columns, cells, reader, diagnostics);
      continue;
    }
    columns = ReadColumns(document, cells, diagnostics);
    if (!columns) return std::nullopt;
  }
  if (!columns) {
    return diagnostics.Error({path, 0, 0, 0, 0}, "the table is empty",
                             "its first line names the columns: operator,dtype,error,samples");
  }
  return reader.Finish();
}

}  // namespace opledger
