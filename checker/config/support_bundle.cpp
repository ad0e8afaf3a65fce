// Runs the check as a program of its own: if it crashes, the bundle says so.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/support_bundle.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "checker/config/version_report.h"
#include "checker/rules/rules.h"
#include "registry/json/json.h"
#include "registry/json/json_write.h"
#include "registry/platform/platform.h"
#include "registry/project/project.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kMostPlaces = 200;  // messages, and incomplete places, of a bundle with names
constexpr const char* kOther = "other";

// The parts of a check whose times `check --statistics` prints, and the counts of a report.
constexpr std::string_view kPhases[] = {"scan",  "lists",       "suppressions", "index",
                                        "rules", "suggestions", "reports"};
constexpr std::string_view kCounts[] = {"operators",   "exempt", "files",    "errors",
                                        "warnings",    "notes",  "ignored",  "baseline",
                                        "of_revision", "off",    "excluded", "resolved"};
constexpr std::string_view kStages[] = {"registration", "file", "worker", "list"};
constexpr std::string_view kSeverities[] = {"error", "warning", "note"};

template <typename Words>
std::string Known(const Words& words, const std::string& word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words) ? word : kOther;
}

// A message of the check.
struct Said {
  std::string severity;
  std::string path;  // empty: about the command line
  std::int64_t line = 0;
  std::string message;
};

struct IncompletePlace {
  std::string stage;
  std::string path;
  std::int64_t line = 0;
  std::string detail;
};

// What a check found.
struct CheckRun {
  std::optional<int> status;  // none: it could not be run, or was killed
  std::string failure;        // why; says no names
  double milliseconds = 0;
  std::map<std::string, double> phases;
  std::map<std::string, std::int64_t> counts;
  std::map<std::pair<std::string, std::string>, std::int64_t> findings;  // by rule and severity
  std::map<std::string, std::int64_t> incomplete;                        // by stage
  std::map<std::pair<std::string, bool>, std::int64_t> messages;  // by severity; about a file?
  std::vector<Said> said;
  std::vector<IncompletePlace> places;
};

std::string TextAt(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.Find(key);
  return value != nullptr ? value->string : std::string();
}

std::int64_t NumberAt(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = object.Find(key);
  return value != nullptr ? value->integer : 0;
}

// Reads "scan 83 ms, rules 1.20 s; total 1283 ms".
void ReadPhases(std::string_view line, CheckRun& run) {
  line = line.substr(0, line.find(';'));
  for (const std::string_view part : SplitAt(line, ',')) {
    const std::vector<std::string_view> words = SplitAt(Trimmed(part), ' ');
    if (words.size() != 3 || Known(kPhases, std::string(words[0])) == kOther) continue;
    double time = 0;
    std::from_chars(words[1].data(), words[1].data() + words[1].size(), time);
    run.phases[std::string(words[0])] += words[2] == "s" ? time * 1000 : time;
  }
}

// Reads a line of standard error: a diagnostic, progress, or a line of the statistics.
void ReadLine(std::string_view line, CheckRun& run) {
  if (line.find("; total ") != std::string_view::npos) ReadPhases(line, run);
  if (!line.starts_with('{')) return;
  Diagnostics ignored;
  const std::optional<JsonDocument> said = ParseJson({}, std::string(line), ignored);
  if (!said || said->root.Find("severity") == nullptr) return;
  const JsonValue& root = said->root;
  Said message = {Known(kSeverities, TextAt(root, "severity")), TextAt(root, "path"),
                  NumberAt(root, "line"), TextAt(root, "message")};
  ++run.messages[{message.severity, !message.path.empty()}];
  if (run.said.size() < kMostPlaces) run.said.push_back(std::move(message));
}

// Reads what `check --output-format json` wrote; nothing if it wrote no report.
void ReadReport(std::string text, CheckRun& run) {
  Diagnostics ignored;
  const std::optional<JsonDocument> report = ParseJson({}, std::move(text), ignored);
  if (!report) return;
  if (const JsonValue* const summary = report->root.Find("summary")) {
    for (const std::string_view name : kCounts) {
      run.counts[std::string(name)] = NumberAt(*summary, name);
    }
    const JsonValue* const lists = summary->Find("by_list");
    run.counts["lists"] = lists != nullptr ? static_cast<std::int64_t>(lists->members.size()) : 0;
  }
  if (const JsonValue* const findings = report->root.Find("findings")) {
    for (const JsonValue& each : findings->items) {
      const std::string rule = TextAt(each, "rule");
      ++run.findings[{FindRule(rule) != nullptr ? rule : kOther,
                      Known(kSeverities, TextAt(each, "severity"))}];
    }
  }
  const JsonValue* const incomplete = report->root.Find("incomplete");
  if (incomplete == nullptr) return;
  for (const JsonValue& each : incomplete->items) {
    IncompletePlace place = {Known(kStages, TextAt(each, "stage")), TextAt(each, "path"),
                             NumberAt(each, "line"), TextAt(each, "detail")};
    ++run.incomplete[place.stage];
    if (run.places.size() < kMostPlaces) run.places.push_back(std::move(place));
  }
}

// Sets an environment variable and restores it at the end.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~ScopedVariable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

CheckRun RunCheck(const GlobalOptions& global) {
  CheckRun run;
  std::vector<std::string> arguments = {"check", "--statistics", "--output-format", "json"};
  if (!global.project_file.empty()) {
    arguments.insert(arguments.end(), {"--config", global.project_file});
  }
  SiblingStreams streams;
  streams.said = [&run](std::string_view line) { ReadLine(line, run); };
  Diagnostics messages;
  std::string report;
  const auto begin = std::chrono::steady_clock::now();
  {
    const ScopedVariable json("OPLEDGER_DIAGNOSTICS", "json");
    run.status = RunSibling("opledger", arguments, report, messages, streams);
  }
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  run.milliseconds = passed.count();
  if (!run.status && !messages.all().empty()) run.failure = messages.all().front().message;
  if (!report.empty()) ReadReport(std::move(report), run);
  return run;
}

void WriteExamined(const std::vector<DoctorCheck>& examined, JsonWriter& json) {
  json.Records("examined", examined, [&](const DoctorCheck& each) {
    json.Field("name", each.name);
    if (!each.found.empty()) json.Field("found", each.found);
    if (!each.problem.empty()) json.Field("problem", each.problem);
  });
}

// Writes which keys of the schema the project file has, and how many entries each has. Keys that
// the schema does not know are counted.
void WriteSettings(const GlobalOptions& global, JsonWriter& json) {
  std::vector<std::pair<std::string, std::int64_t>> settings;
  std::int64_t unknown = 0;
  Diagnostics ignored;
  const std::string path = global.project_file.empty()     ? FindProjectFile(global.here, ".")
                           : global.project_file == "none" ? ""
                                                           : global.project_file;
  const auto schema = ReadJson(DataDirectory() + "/schemas/project.schema.json", ignored);
  const JsonValue* const known = schema ? schema->root.Find("properties") : nullptr;
  const auto file =
      path.empty() ? std::nullopt : ReadJson(global.here, path, Reach::kAnywhere, ignored);
  if (file && known != nullptr) {
    for (const JsonMember& member : file->root.members) {
      if (known->Find(member.key) == nullptr) {
        ++unknown;
        continue;
      }
      const std::size_t entries = member.value.items.size() + member.value.members.size();
      settings.emplace_back(member.key,
                            std::max<std::int64_t>(static_cast<std::int64_t>(entries), 1));
    }
  }
  json.BeginObject("settings");
  json.Field("project_file", file.has_value());
  json.BeginCompactObject("entries");
  for (const auto& [key, entries] : settings) json.Field(key, entries);
  json.EndObject();
  json.Field("unknown_keys", unknown);
  json.EndObject();
}

void WriteCheck(const CheckRun& run, bool names, JsonWriter& json) {
  json.BeginObject("check");
  json.Field("exit_status", run.status);
  if (!run.failure.empty()) json.Field("failure", run.failure);
  json.BeginCompactObject("counts");
  for (const auto& [name, count] : run.counts) json.Field(name, count);
  json.EndObject();
  json.Records("findings", run.findings, [&](const auto& each) {
    json.Field("rule", each.first.first);
    json.Field("severity", each.first.second);
    json.Field("count", each.second);
  });
  json.BeginCompactObject("incomplete");
  for (const auto& [stage, count] : run.incomplete) json.Field(stage, count);
  json.EndObject();
  json.Records("messages", run.messages, [&](const auto& each) {
    json.Field("severity", each.first.first);
    json.Field("about", each.first.second ? "a file" : "the run");
    json.Field("count", each.second);
  });
  json.BeginCompactObject("milliseconds");
  json.Field("total", run.milliseconds);
  for (const auto& [phase, milliseconds] : run.phases) json.Field(phase, milliseconds);
  json.EndObject();
  if (names) {
    const auto place = [&](const auto& each) {
      if (!each.path.empty()) json.Field("path", each.path);
      if (each.line > 0) json.Field("line", each.line);
    };
    json.Records("texts", run.said, [&](const Said& each) {
      json.Field("severity", each.severity);
      place(each);
      json.Field("message", each.message);
    });
    json.Records("incomplete_places", run.places, [&](const IncompletePlace& each) {
      json.Field("stage", each.stage);
      place(each);
      json.Field("detail", each.detail);
    });
  }
  json.EndObject();
}

// Writes the limits of `ulimit` (null: unlimited) and the size of the memory.
void WriteLimits(JsonWriter& json) {
  static constexpr std::pair<const char*, int> kLimits[] = {
      {"address_space", RLIMIT_AS},      {"data", RLIMIT_DATA},
      {"stack", RLIMIT_STACK},           {"file_size", RLIMIT_FSIZE},
      {"open_files", RLIMIT_NOFILE},     {"processes", RLIMIT_NPROC},
      {"locked_memory", RLIMIT_MEMLOCK}, {"processor_seconds", RLIMIT_CPU}};
  json.BeginCompactObject("limits");
  for (const auto& [name, resource] : kLimits) {
    rlimit limit = {};
    std::optional<std::uint64_t> value;
    if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY) {
      value = limit.rlim_cur;
    }
    json.Field(name, value);
  }
  json.EndObject();
  json.Field("memory_bytes", static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
                                 static_cast<std::int64_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace

SupportBundle MakeSupportBundle(const GlobalOptions& global,
                                const std::vector<std::string>& siblings, bool names) {
  SupportBundle bundle;
  bundle.examined = RunDoctorChecks(global, siblings, names);
  VersionReport versions = ReadVersions();
  // In a folder that the user chose, the names are the user's.
  if (!names && std::getenv("OPLEDGER_DATA_DIR") != nullptr) {
    versions.schemas.clear();
    versions.dialects.clear();
  }
  JsonWriter json(bundle.text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-support-bundle/1");
  json.Field("names", names);
  json.BeginObject("versions");
  WriteVersions(versions, json);
  json.EndObject();
  WriteExamined(bundle.examined, json);
  WriteLimits(json);
  WriteSettings(global, json);
  WriteCheck(RunCheck(global), names, json);
  json.EndObject();
  bundle.text += '\n';
  return bundle;
}

}  // namespace opledger
