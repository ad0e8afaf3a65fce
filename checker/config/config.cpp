// Finds the origin of each setting. Uses the same order of precedence as the code that reads it.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/config.h"

#include <algorithm>
#include <cstdlib>

#include "checker/filter/baseline.h"
#include "checker/filter/severities.h"
#include "checker/project/list_choice.h"
#include "checker/reports/output_formats.h"
#include "checker/rules/rules.h"
#include "checker/terminal/terminal.h"
#include "registry/dialect/dialect.h"
#include "registry/json/json.h"
#include "registry/platform/platform.h"
#include "registry/project/cache_folder.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr const char* kDefault = "default";

using Words = std::vector<std::string>;

Words OneOrNone(const std::string& value) { return value.empty() ? Words() : Words{value}; }

class SettingsReader {
 public:
  SettingsReader(const CheckOptions& options, const Project& project, Diagnostics& diagnostics)
      : options_(options), project_(project) {
    if (project.file())
      document_ = ReadProjectJson(project.source(), project.file()->path, diagnostics);
    const bool of_project = options.dialect.empty() || !File().dialects.empty();
    const std::string name = of_project ? File().dialect : options.dialect;
    const Reach reach = of_project ? Reach::kBelow : Reach::kAnywhere;
    if (!name.empty()) dialect_ = FindDialect(project.source(), name, reach, diagnostics);
  }

  std::vector<EffectiveSetting> Read() {
    AddWhere();
    AddSources();
    AddLists();
    AddSeverities();
    AddIgnored();
    AddDocumentation();
    AddSurroundings();
    return std::move(settings_);
  }

 private:
  const ProjectFile& File() const {
    static const ProjectFile none;
    return project_.file() ? *project_.file() : none;
  }

  // Returns "opledger.json:3", the place of the key in the project file.
  std::string PlaceOf(std::string_view key) const {
    if (!document_) return File().path;
    for (const JsonMember& member : document_->root.members) {
      if (member.key == key) return Place(document_->At(member.key_span));
    }
    return ShownPath(File().path);
  }

  static std::string Place(const Location& location) {
    return ShownPath(location.path) + ':' + std::to_string(location.line);
  }

  // Shows a shipped dialect by its path in the installation.
  std::string DialectPlace() const {
    if (!dialect_) return kDefault;
    const std::string shipped = DataDirectory();
    const bool is_shipped = dialect_->path.starts_with(shipped);
    return ShownPath(is_shipped ? "share/opledger" + dialect_->path.substr(shipped.size())
                                : dialect_->path);
  }

  void Add(std::string name, Words values, std::string origin) {
    settings_.push_back({std::move(name), std::move(values), std::move(origin)});
  }

  // Adds the flag's value, otherwise the project file's, otherwise the default.
  void Add(const char* key, const char* flag, const Words& flagged, const Words& of_file,
           const Words& otherwise, const std::string& origin) {
    if (!flagged.empty()) {
      Add(key, flagged, flag);
    } else if (!of_file.empty()) {
      Add(key, of_file, PlaceOf(key));
    } else {
      Add(key, otherwise, origin);
    }
  }

  void AddWhere() {
    const std::string& choice = options_.global.project_file;
    Add("project file", OneOrNone(File().path),
        choice.empty() ? "nearest, here or above" : options_.global.project_file_from);
    Add("root", {project_.root()}, project_.file() ? "the project file's folder" : "-C, or here");
  }

  void AddSources() {
    if (!File().dialects.empty()) {
      Words names;
      for (const NamedDialect& each : File().dialects) names.push_back(each.name);
      Add("dialects", "", {}, names, {}, {});
      if (File().dialect.empty()) return;  // the other settings depend on the dialect
    }
    Add("dialect", "--dialect", OneOrNone(options_.dialect), OneOrNone(File().dialect), {},
        "found in the sources");
    const Dialect none;
    const Dialect& dialect = dialect_ ? *dialect_ : none;
    const std::string place = DialectPlace();
    Add("sources", "", {}, File().sources, dialect.sources, place);
    Add("exclude", "", {}, File().exclude, dialect.exclude, place);
    Add("include_directories", "", {}, File().include_directories, dialect.include_directories,
        place);
    for (const auto& [name, configuration] : dialect.configurations) {
      if (!File().configurations.contains(name)) AddConfiguration(name, configuration, place);
    }
    for (const auto& [name, configuration] : File().configurations) {
      AddConfiguration(name, configuration, PlaceOf("configurations"));
    }
    Add("default_configuration", "", {}, OneOrNone(File().default_configuration),
        OneOrNone(dialect.default_configuration), place);
    Add("configuration", OneOrNone(options_.configuration),
        options_.configuration.empty() ? "each list's own" : "--configuration");
  }

  void AddConfiguration(const std::string& name, const Configuration& configuration,
                        const std::string& origin) {
    Words values;
    for (const auto& [macro, value] : configuration.defines) values.push_back(macro + '=' + value);
    for (const std::string& macro : configuration.undefined) values.push_back("no " + macro);
    Add("configurations." + name, values, origin);
  }

  void AddLists() {
    Words shipped;
    const std::size_t folder = DataDirectory().size();
    Diagnostics ignored;  // a missing list is visible in the output
    for (const std::string& path : ShippedLists(dialect_ ? dialect_->name : "", ignored)) {
      shipped.push_back("share/opledger" + path.substr(folder));
    }
    Add("lists", "--list", ListsFromRoot(options_.lists, project_), File().lists, shipped,
        kDefault);
    Add("baseline", "--baseline", OneOrNone(options_.baseline), OneOrNone(File().baseline), {},
        std::string(kDefault) + ": " + kBaselineFile + " if it exists");
    Add("evidence", "--evidence", OneOrNone(options_.evidence), OneOrNone(File().evidence), {},
        kDefault);
  }

  void AddSeverities() {
    for (const Rule& rule : Rules()) {
      std::string level = rule.off ? "off" : SeverityName(rule.severity);
      std::string origin = kDefault;
      if (const auto set = File().severities.find(rule.name); set != File().severities.end()) {
        level = set->second;
        origin = Place(File().severity_locations.at(rule.name));
      }
      for (const std::string& flag : options_.severities) {
        if (!flag.starts_with(std::string(rule.name) + '=')) continue;
        level = flag.substr(flag.find('=') + 1);
        origin = "--severity";
      }
      const auto among = [&rule](const Words& words) {
        return std::find(words.begin(), words.end(), rule.name) != words.end();
      };
      if (among(options_.ignore)) {
        level = "off";
        origin = "--ignore";
      } else if (!options_.select.empty() && !among(options_.select)) {
        level = "off";
        origin = "--select";
      }
      Add(std::string("severities.") + rule.name, {level}, origin);
    }
  }

  void AddIgnored() {
    for (const IgnoreRule& rule : File().ignore) {
      std::string what;
      for (const auto& [name, value] :
           {std::pair("rule", rule.rule), std::pair("operator", rule.op),
            std::pair("path", rule.path)}) {
        if (!value.empty()) what += (what.empty() ? "" : ", ") + (name + (' ' + value));
      }
      Add("ignore", {what + ": " + rule.reason}, Place(rule.location));
    }
  }

  void AddDocumentation() {
    Add("guidelines", "", {}, File().guidelines, {}, "built in");
    if (!File().docs.empty()) Add("docs.files", File().docs, PlaceOf("docs"));
    if (!File().source_url.empty()) Add("docs.source_url", {File().source_url}, PlaceOf("docs"));
  }

  void AddSurroundings() {
    const RequestedFormats formats = ChooseFormats(options_.formats);
    Add("output_format", formats.texts, formats.from);
    const ColorUse color = DecideColor(options_.global.color);
    Add("color", {color.on ? "on" : "off"}, color.why);
    const CacheFolder cache = FindCacheFolder();
    Add("cache", OneOrNone(cache.path), cache.path.empty() ? "no HOME" : cache.variable);
    Add("data", {DataDirectory()},
        std::getenv("OPLEDGER_DATA_DIR") != nullptr ? "OPLEDGER_DATA_DIR" : kDefault);
  }

  const CheckOptions& options_;
  const Project& project_;
  std::optional<JsonDocument> document_;
  std::optional<Dialect> dialect_;
  std::vector<EffectiveSetting> settings_;
};

}  // namespace

std::vector<EffectiveSetting> EffectiveSettings(const CheckOptions& options, const Project& project,
                                                Diagnostics& diagnostics) {
  Severities checked;
  if (project.file()) checked.AddProject(*project.file(), diagnostics);
  for (const std::string& text : options.severities) checked.AddFlag(text, diagnostics);
  AreLabels(options.lists, project, diagnostics);
  checked.Ignore(options.ignore, diagnostics);
  checked.Select(options.select, diagnostics);
  return SettingsReader(options, project, diagnostics).Read();
}

std::string SettingsText(const std::vector<EffectiveSetting>& settings) {
  std::size_t width = 0;
  for (const EffectiveSetting& setting : settings) width = std::max(width, setting.name.size());
  std::string text;
  for (const EffectiveSetting& setting : settings) {
    std::string name = Printable(setting.name);
    name.resize(std::max(width, name.size()), ' ');
    const std::string values = Join(setting.values, ", ", Printable);
    text += name + "  " + (values.empty() ? "-" : values) + "  (" + setting.origin + ")\n";
  }
  return text;
}

}  // namespace opledger
