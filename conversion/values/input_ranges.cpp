// A range is NAME=LO,HI, or spans the elements of all samples, extended on each side by a quarter
// of its width.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/values/input_ranges.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "conversion/model/files/files.h"
#include "conversion/model/files/npy_header.h"
#include "registry/files/output_files.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr double kMargin = 0.25;  // of the measured width

std::optional<double> NumberOf(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && !std::isnan(number) ? std::optional(number) : std::nullopt;
}

// Parses "x=-1,1". Returns nullopt if malformed.
std::optional<std::pair<std::string, Range>> ParseRange(const std::string& given) {
  const std::size_t equals = given.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  const std::string_view numbers = std::string_view(given).substr(equals + 1);
  const std::size_t comma = numbers.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto low = NumberOf(numbers.substr(0, comma));
  const auto high = NumberOf(numbers.substr(comma + 1));
  if (!low || !high || *low > *high) return std::nullopt;
  return std::pair(given.substr(0, equals), Range::Between(*low, *high));
}

ValueId InputNamed(const Graph& graph, const std::string& name) {
  const ValueId id = graph.Find(0, name);
  return id != kNone && graph.values[id].is_input ? id : kNone;
}

// Returns the file name of an input: all characters but letters, digits, '.', '-' and '_' become
// '_'.
std::string FileNameOf(std::string_view name) {
  std::string file(name);
  for (char& each : file) {
    const bool plain = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
                       (each >= '0' && each <= '9') || each == '.' || each == '-';
    if (!plain) each = '_';
  }
  return file;
}

// Returns the bounds of the float32 elements in a .npy file, or nullopt if it is not such a file.
std::optional<Range> Measure(const std::string& path) {
  Diagnostics nobody;
  const auto file = SourceFile::Open(path, nobody);
  if (!file) return std::nullopt;
  const std::string_view bytes = file->bytes();
  const auto header = ReadNpyHeader(bytes.substr(0, std::min(bytes.size(), kMaxNpyHeader)));
  if (!header || header->dtype != Dtype::kFloat32 || header->big_endian) return std::nullopt;
  const std::string_view numbers = bytes.substr(std::min(bytes.size(), header->text.size()));
  Range range = Range::Nothing();
  for (std::size_t at = 0; at + 4 <= numbers.size(); at += 4) {
    float number = 0;
    std::memcpy(&number, numbers.data() + at, 4);
    if (std::isnan(number)) return std::nullopt;
    range.low = std::min(range.low, static_cast<double>(number));
    range.high = std::max(range.high, static_cast<double>(number));
  }
  return range.IsEmpty() ? std::nullopt : std::optional(Range::Between(range.low, range.high));
}

Range WithMargin(const Range& range) {
  const double margin = (range.high - range.low) * kMargin;
  const double low = range.low >= 0 ? std::max(0.0, range.low - margin) : range.low - margin;
  const double high = range.high <= 0 ? std::min(0.0, range.high + margin) : range.high + margin;
  return Range::Between(low, high);
}

// Returns the ranges of the inputs that every sample contains.
InputRanges MeasuredRanges(const Graph& graph, const std::string& folder) {
  InputRanges ranges;
  const std::vector<std::string> files = InputFiles({}, folder);
  for (const ValueId input : graph.scopes.front().inputs) {
    if (!graph.IsFloat32(input) || graph.values[input].tensor != kNone) continue;
    const std::string name = FileNameOf(graph.values[input].name) + ".npy";
    Range range = Range::Nothing();
    bool all = true;
    for (const std::string& file : files) {
      if (std::filesystem::path(file).filename() != name) continue;
      const auto measured = Measure(file);
      all = all && measured;
      if (measured) range = Hull(range, *measured);
    }
    if (all && !range.IsEmpty()) ranges[input] = {WithMargin(range), true, range};
  }
  return ranges;
}

}  // namespace

std::optional<InputRanges> GivenRanges(const Graph& graph, const ConvertOptions& options,
                                       Diagnostics& diagnostics) {
  InputRanges ranges;
  if (!options.inputs_from.empty()) ranges = MeasuredRanges(graph, options.inputs_from);
  for (const std::string& given : options.input_ranges) {
    const auto parsed = ParseRange(given);
    if (!parsed) {
      return diagnostics.Error({.path = options.model}, "'" + given + "' is not a range",
                               "give --input-range NAME=LO,HI with LO at most HI");
    }
    const ValueId input = InputNamed(graph, parsed->first);
    if (input == kNone) {
      return diagnostics.Error({.path = options.model},
                               "the model has no input '" + parsed->first + "'",
                               "give --input-range the name of an input: NAME=LO,HI");
    }
    ranges[input] = {parsed->second, false, {}};
  }
  return ranges;
}

std::string MeasuredText(const Graph& graph, const InputRanges& inputs) {
  std::string text;
  for (const auto& [input, known] : inputs) {
    if (!known.measured) continue;
    text += "  --inputs-from: '" + Printable(std::string(graph.values[input].name)) + "' is " +
            RangeText(known.samples) + ", assumed to be " + RangeText(known.range) + "\n";
  }
  return text;
}

void KnowInputs(const InputRanges& inputs, KnownModel& model) {
  for (const auto& [input, known] : inputs) {
    Range range = known.range;
    const ValueType& type = model.graph.values[input].type;
    range.integer = type.dtype && IsInteger(*type.dtype);
    model.given[input] = {range, nullptr};
    model.is_given[input] = true;
  }
}

}  // namespace opledger
