// Finds dialects and applies their filters.
// SPDX-License-Identifier: Apache-2.0
#include "registry/dialect/dialect.h"

#include <algorithm>
#include <cerrno>

#include "registry/platform/platform.h"
#include "registry/project/project_dialects.h"
#include "registry/source/source.h"
#include "registry/text/glob.h"
#include "registry/text/suggestion.h"

namespace opledger {

bool Filter::Matches(const std::string& op) const {
  if (!contains.empty()) return op.find(contains) != std::string::npos;
  if (!prefix.empty()) return op.starts_with(prefix);
  if (!suffix.empty()) return op.ends_with(suffix);
  return !equals.empty() && op == equals;
}

std::optional<std::string> ChainMethod::Detail::Kept(const std::string& text) const {
  if (values.empty()) return text;
  const auto found = values.find(text);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

bool NotRegistration::Holds(std::string_view mention, const std::string& file) const {
  const bool prefix = name.ends_with('*');
  const std::string_view wanted = std::string_view(name).substr(0, name.size() - prefix);
  const bool named = name.empty() || (prefix ? mention.starts_with(wanted) : mention == wanted);
  return named && (path.empty() || GlobMatch(path, file));
}

bool Dialect::IsExcepted(std::string_view name, const std::string& path) const {
  return std::any_of(not_registrations.begin(), not_registrations.end(),
                     [&](const NotRegistration& rule) { return rule.Holds(name, path); });
}

std::string AutocastKernels::DeviceOf(std::string_view key) const {
  for (const auto& [device, keys] : devices) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return device;
  }
  return {};
}

bool Dialect::HasExtension(std::string_view path) const {
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](const std::string& extension) { return path.ends_with(extension); });
}

bool Dialect::HasSource(const std::string& path) const {
  const bool named = GlobMatchAny(sources, path) || !DataFilesAt(*this, path).empty();
  if (!named || GlobMatchAny(exclude, path)) return false;
  if (path.ends_with(".py")) return !python.IsNone() && !GlobMatchAny(python.exclude, path);
  return HasExtension(path);
}

bool Dialect::IsSink(std::string_view name) const {
  return std::any_of(sinks.begin(), sinks.end(),
                     [&](const Sink& sink) { return sink.macro == name; });
}

bool Dialect::HasScopes() const {
  return std::any_of(sinks.begin(), sinks.end(),
                     [](const Sink& sink) { return sink.scope.has_value(); });
}

bool Dialect::HasTable() const {
  return std::any_of(sinks.begin(), sinks.end(),
                     [](const Sink& sink) { return !sink.table.empty(); });
}

const KnownDynamic* KnownDynamicFor(const Dialect& dialect, const std::string& path,
                                    const std::string& expression) {
  for (const KnownDynamic& known : dialect.known_dynamic) {
    if (GlobMatch(known.path, path) && known.expression == expression) return &known;
  }
  return nullptr;
}

std::vector<const DataFile*> DataFilesAt(const Dialect& dialect, const std::string& path) {
  std::vector<const DataFile*> found;
  for (const DataFile& data : dialect.data) {
    if (GlobMatch(data.path, path)) found.push_back(&data);
  }
  if (!found.empty() && GlobMatchAny(dialect.exclude, path)) found.clear();
  return found;
}

namespace {

template <std::size_t kCount>
bool EndsInOneOf(std::string_view path, const std::string_view (&extensions)[kCount]) {
  return std::any_of(std::begin(extensions), std::end(extensions),
                     [&](std::string_view extension) { return path.ends_with(extension); });
}

}  // namespace

bool IsTranslationUnit(std::string_view path) {
  static constexpr std::string_view kExtensions[] = {
      ".C",   ".CC",   ".CPP", ".CXX", ".M",    ".c",   ".c++", ".c++m", ".cc", ".ccm", ".cp",
      ".cpp", ".cppm", ".cu",  ".cxx", ".cxxm", ".hip", ".ixx", ".m",    ".mm", ".mpp"};
  return EndsInOneOf(path, kExtensions);
}

bool IsCode(std::string_view path) {
  static constexpr std::string_view kExtensions[] = {".H",   ".HPP", ".cuh", ".def", ".h",   ".h++",
                                                     ".hh",  ".hp",  ".hpp", ".hxx", ".icc", ".inc",
                                                     ".inl", ".ipp", ".tcc", ".tpp", ".txx"};
  return IsTranslationUnit(path) || EndsInOneOf(path, kExtensions);
}

bool IsSourceTemplate(std::string_view path) {
  static constexpr std::string_view kExtensions[] = {
      ".in", ".j2", ".jinja", ".jinja2", ".mako", ".tmpl", ".tpl", ".template", ".inja", ".erb"};
  return EndsInOneOf(path, kExtensions) && IsCode(path.substr(0, path.rfind('.')));
}

bool IsOnlyData(const Dialect& dialect, const std::string& path) {
  return !IsCode(path) && !DataFilesAt(dialect, path).empty();
}

std::vector<std::string> ShippedDialects(Diagnostics& diagnostics) {
  constexpr std::string_view kExtension = ".json";
  std::vector<std::string> names;
  std::vector<FolderEntry> entries;
  const std::string folder = DataDirectory() + "/dialects";
  const int error = DiskSource(folder).List("", entries);
  if (error != 0 && error != ENOENT) ReportUnread(folder, error, 0, diagnostics);
  for (const FolderEntry& entry : entries) {
    if (!entry.name.ends_with(kExtension)) continue;
    names.push_back(entry.name.substr(0, entry.name.size() - kExtension.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<Dialect> FindDialect(const Source& source, const std::string& name_or_file,
                                   Reach reach, Diagnostics& diagnostics) {
  if (IsDialectFile(name_or_file)) return ReadDialect(source, name_or_file, reach, diagnostics);
  const std::vector<std::string> shipped = ShippedDialects(diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  if (std::find(shipped.begin(), shipped.end(), name_or_file) != shipped.end()) {
    const std::string path = DataDirectory() + "/dialects/" + name_or_file + ".json";
    return ReadDialect(DiskSource(), path, Reach::kAnywhere, diagnostics);
  }
  std::string hint = ChoiceHint(name_or_file, shipped);
  if (!NearestName(name_or_file, shipped)) {
    hint += "; to use a file of your own, give a path with '/' or .json";
  }
  return diagnostics.Error({}, "unknown dialect '" + name_or_file + "'", hint);
}

}  // namespace opledger
