// The state of a connection and the table of methods.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/lsp.h"

#include <algorithm>
#include <filesystem>

#include "checker/config/config_schema.h"
#include "checker/lsp/actions.h"
#include "checker/lsp/completion_items.h"
#include "checker/lsp/hover.h"
#include "registry/project/project.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTyping{150};  // pause in typing before unsaved text is checked
constexpr milliseconds kNow{0};
constexpr milliseconds kOpening{50};  // wait for the documents that a client opens after starting
constexpr const char* kWatchId = "\"opledger-watch\"";

bool IsBelowFolder(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

// Returns `path` relative to the root, with links resolved if necessary, or "" if it is elsewhere.
std::string InsideOf(const std::string& path, const std::string& root) {
  if (IsBelowFolder(path, root)) return fs::path(path).lexically_relative(root).string();
  const std::string real = RealPath(path);
  const std::string real_root = RealPath(root);
  if (!IsBelowFolder(real, real_root)) return {};
  return fs::path(real).lexically_relative(real_root).string();
}

// Returns the names of the project's dialects if it has several, otherwise {""}.
std::vector<std::string> DialectsOf(const CheckOptions& options, const std::string& project_file) {
  CheckOptions own = options;
  own.global.project_file = project_file;
  std::vector<std::string> names;
  for (const CheckOptions& each : OptionsOfDialects(own)) names.push_back(each.dialect);
  return names;
}

// Returns whether the path, relative to the root, is a checked list or registers an operator.
bool Reads(const ProjectCheck& check, const std::string& path) {
  if (!check.opened) return false;
  const auto& lists = check.checked.lists;
  const auto& operators = check.checked.manifest->operators;
  return std::any_of(lists.begin(), lists.end(),
                     [&](const PrecisionList& list) { return list.path == path; }) ||
         std::any_of(operators.begin(), operators.end(), [&](const Operator& op) {
           return std::any_of(op.sites.begin(), op.sites.end(),
                              [&](const Site& site) { return site.location.path == path; });
         });
}

}  // namespace

LanguageServer::LanguageServer(CheckOptions options, std::function<bool(std::string_view)> send)
    : options_(std::move(options)),
      send_(std::move(send)),
      progress_([this](const std::string& message) { Send(message); }) {
  std::string& file = options_.global.project_file;
  if (!file.empty() && file != "none") {
    file = fs::path(options_.global.here.Absolute(file)).lexically_normal().string();
  }
}

void LanguageServer::SetWake(int wake, std::function<bool()> read) {
  wake_ = wake;
  read_ = std::move(read);
}

void LanguageServer::Send(const std::string& message) {
  if (!ended_ && !send_(Frame(message))) ended_ = true;
}

void LanguageServer::Reply(const Message& request, const std::string& result) {
  Send(ResponseText(request.id, result));
}

void LanguageServer::Refuse(const Message& request, ErrorCode code, const std::string& why) {
  Send(ErrorText(request.id, code, why));
}

void LanguageServer::Show(int type, const std::string& text) {
  Send(NotificationText("window/showMessage", JsonText([&](JsonWriter& json) {
                          json.BeginObject();
                          json.Field("type", type);
                          json.Field("message", "opledger: " + Printable(text));
                          json.EndObject();
                        })));
}

const std::map<std::string_view, LanguageServer::Method>& LanguageServer::Requests() {
  static const std::map<std::string_view, Method> methods = {
      {"initialize", &LanguageServer::Initialize},
      {"shutdown", &LanguageServer::Shutdown},
      {"textDocument/hover", &LanguageServer::Hover},
      {"textDocument/completion", &LanguageServer::Completion},
      {"textDocument/codeAction", &LanguageServer::CodeAction},
  };
  return methods;
}

const std::map<std::string_view, LanguageServer::Method>& LanguageServer::Notifications() {
  static const std::map<std::string_view, Method> methods = {
      {"initialized", &LanguageServer::Initialized},
      {"exit", &LanguageServer::Exit},
      {"textDocument/didOpen", &LanguageServer::DidOpen},
      {"textDocument/didChange", &LanguageServer::DidChange},
      {"textDocument/didSave", &LanguageServer::DidSave},
      {"textDocument/didClose", &LanguageServer::DidClose},
      {"workspace/didChangeWorkspaceFolders", &LanguageServer::DidChangeFolders},
      {"workspace/didChangeWatchedFiles", &LanguageServer::DidChangeFiles},
  };
  return methods;
}

void LanguageServer::Feed(std::string_view bytes) {
  reader_.Feed(bytes);
  while (std::optional<FramedMessage> framed = reader_.Next()) {
    Message message = ParseMessage(std::move(framed->text));
    if (!framed->problem.empty()) {
      message.code = ErrorCode::kParseError;
      message.problem = framed->problem;
    }
    // Handle these at once: their order does not matter, and a scan may be running.
    if (message.kind == Message::Kind::kResponse) {
      progress_.TakeResponse(message);
      continue;
    }
    if (message.method == "$/cancelRequest") {
      Cancel(message);
      continue;
    }
    leaving_ = leaving_ || message.method == "shutdown" || message.method == "exit";
    queue_.push_back(std::move(message));
  }
}

void LanguageServer::Cancel(const Message& message) {
  const JsonValue& id = ValueAt(message.Params(), {"id"});
  const std::string text = id.kind == JsonValue::Kind::kString
                               ? JsonQuote(id.string)
                               : message.document.text.substr(id.span.begin, id.span.size());
  for (const Message& waiting : queue_) {
    if (waiting.kind == Message::Kind::kRequest && waiting.id == text) cancelled_.insert(text);
  }
}

void LanguageServer::Handle(const Message& message) {
  if (message.kind == Message::Kind::kInvalid) {
    Refuse(message, message.code, message.problem);
    return;
  }
  if (message.kind == Message::Kind::kNotification) {
    const auto found = Notifications().find(message.method);
    const bool heard = initialized_ || message.method == "exit";
    if (found != Notifications().end() && heard) (this->*found->second)(message);
    return;
  }
  if (cancelled_.erase(message.id) > 0) {
    Refuse(message, ErrorCode::kRequestCancelled, "cancelled");
  } else if (shut_down_) {
    Refuse(message, ErrorCode::kInvalidRequest, "the server is shut down; only 'exit' can follow");
  } else if (!initialized_ && message.method != "initialize") {
    Refuse(message, ErrorCode::kServerNotInitialized, "'initialize' must come first");
  } else if (const auto found = Requests().find(message.method); found != Requests().end()) {
    (this->*found->second)(message);
  } else {
    Refuse(message, ErrorCode::kMethodNotFound, "there is no method '" + message.method + "'");
  }
}

void LanguageServer::Work(bool now) {
  while (!queue_.empty() && !ended_) {
    const Message message = std::move(queue_.front());
    queue_.pop_front();
    Handle(message);
  }
  if (ends() || shut_down_) return;
  for (auto& [key, project] : projects_) {
    if (!project.due || (!now && *project.due > Clock::now())) continue;
    Check(key, project);
    if (!queue_.empty()) return;  // handle new messages first
  }
}

int LanguageServer::Waits() const {
  if (!queue_.empty()) return 0;  // received while a scan was running
  if (shut_down_) return -1;
  std::optional<Clock::time_point> first;
  for (const auto& [key, project] : projects_) {
    if (project.due && (!first || *project.due < *first)) first = project.due;
  }
  if (!first) return -1;
  const auto wait = std::chrono::ceil<milliseconds>(*first - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(wait, 0));
}

void LanguageServer::Initialize(const Message& message) {
  if (initialized_) {
    Refuse(message, ErrorCode::kInvalidRequest, "'initialize' came before");
    return;
  }
  const JsonValue& params = message.Params();
  client_ = ReadAbilities(params);
  documents_.SetEncoding(ChooseEncoding(params));
  folders_ = ReadFolders(params);
  initialized_ = true;
  Reply(message,
        JsonText([&](JsonWriter& json) { WriteCapabilities(json, documents_.encoding()); }));
}

void LanguageServer::Initialized(const Message&) {
  if (client_.watches) {
    Send(RequestText(kWatchId, "client/registerCapability", JsonText(WriteWatchers)));
  }
  FindProjects();
}

void LanguageServer::Shutdown(const Message& message) {
  shut_down_ = true;
  Reply(message, "null");
}

void LanguageServer::Exit(const Message&) { ended_ = true; }

void LanguageServer::DidOpen(const Message& message) {
  const std::optional<std::string> path = documents_.Open(message.Params());
  if (!path) return;
  FindProjects();
  const std::string& uri = TextAt(message.Params(), {"textDocument", "uri"});
  published_.erase(uri);  // send its diagnostics again
  Due(*path, kNow);
}

void LanguageServer::DidChange(const Message& message) {
  if (const auto path = documents_.Change(message.Params())) {
    Due(*path, kTyping);
  } else {
    AllDue(kTyping);
  }
}

void LanguageServer::DidSave(const Message& message) {
  const auto path = PathOfUri(TextAt(message.Params(), {"textDocument", "uri"}));
  if (!path) return;
  FindProjects();
  Due(*path, kNow);
}

void LanguageServer::DidClose(const Message& message) {
  const std::optional<std::string> path = documents_.Close(message.Params());
  if (!path) return;
  Due(*path, kNow);  // unsaved text is gone
  FindProjects();
}

void LanguageServer::DidChangeFolders(const Message& message) {
  const JsonValue& event = ValueAt(message.Params(), {"event"});
  for (const JsonValue& folder : ValueAt(event, {"removed"}).items) {
    const auto path = PathOfUri(TextAt(folder, {"uri"}));
    if (path) std::erase(folders_, *path);
    if (path) without_.erase(*path);
  }
  for (const JsonValue& folder : ValueAt(event, {"added"}).items) {
    if (const auto path = PathOfUri(TextAt(folder, {"uri"}))) folders_.push_back(*path);
  }
  FindProjects();
}

void LanguageServer::DidChangeFiles(const Message& message) {
  FindProjects();
  for (const JsonValue& change : ValueAt(message.Params(), {"changes"}).items) {
    if (const auto path = PathOfUri(TextAt(change, {"uri"}))) Due(*path, kTyping);
  }
}

std::string LanguageServer::ProjectFileOf(const std::string& folder) const {
  const std::string& asked = options_.global.project_file;
  if (asked == "none") return {};
  if (asked.empty()) return FindProjectFile(options_.global.here, folder);
  return InsideOf(folder, fs::path(asked).parent_path().string()).empty() ? std::string() : asked;
}

// Finds the projects of the folders and open documents. Clears the diagnostics of all others.
void LanguageServer::FindProjects() {
  std::set<std::string> files;
  for (const std::string& folder : folders_) {
    const std::string file = ProjectFileOf(folder);
    if (!file.empty()) {
      files.insert(file);
      without_.erase(folder);
    } else if (without_.insert(folder).second) {
      Show(2, "there is no opledger.json in " + folder +
                  " or above, so nothing is checked there; `opledger init` writes one");
    }
  }
  std::set<std::string> parents;
  for (const auto& [uri, document] : documents_.all()) {
    const std::string folder = fs::path(document.path).parent_path().string();
    if (!parents.insert(folder).second) continue;
    const std::string file = ProjectFileOf(folder);
    if (!file.empty()) files.insert(file);
  }
  std::set<ProjectKey> keys;
  for (const std::string& file : files) {
    for (std::string& dialect : DialectsOf(options_, file)) keys.emplace(file, std::move(dialect));
  }
  const auto gone =
      std::erase_if(projects_, [&](const auto& each) { return !keys.contains(each.first); });
  if (gone > 0) Publish();
  for (const ProjectKey& key : keys) {
    const auto [project, fresh] = projects_.try_emplace(key);
    if (fresh) project->second.due = Clock::now() + kOpening;
  }
}

void LanguageServer::Due(const std::string& path, milliseconds wait) {
  for (auto& [key, project] : projects_) {
    if (InsideOf(path, fs::path(key.first).parent_path().string()).empty()) continue;
    // A check that is due stays due; typing postpones any other.
    const bool at_once = project.due && *project.due <= Clock::now();
    if (!at_once) project.due = Clock::now() + wait;
  }
}

void LanguageServer::AllDue(milliseconds wait) {
  for (auto& [key, project] : projects_) project.due = Clock::now() + wait;
}

// Returns the open texts that differ from their files.
std::map<std::string, std::string> LanguageServer::Unsaved() const {
  std::map<std::string, std::string> unsaved;
  for (const auto& [uri, document] : documents_.all()) {
    const std::optional<std::string> saved = TextOfFile(document.file);
    if (saved && *saved != document.text) unsaved[document.file] = document.text;
  }
  return unsaved;
}

void LanguageServer::Check(const ProjectKey& key, ProjectState& project) {
  const std::string& project_file = key.first;
  CheckOptions options = options_;
  if (!key.second.empty()) options.dialect = key.second;
  project.due.reset();
  SiblingStreams streams;
  streams.wake = wake_;
  streams.go_on = read_;
  streams.said = [this](std::string_view line) { progress_.Tell(line); };
  if (client_.progress && first_scan_) progress_.Begin();
  const std::map<std::string, std::string> unsaved = Unsaved();
  auto check = CheckProject(options, project_file, unsaved, streams, project.base);
  progress_.End();
  if (check->stopped) {
    project.due = Clock::now();
    return;
  }
  first_scan_ = false;
  if (check->opened) project.base = check->base;
  project.findings =
      PlaceFindings(*check, project_file, unsaved, documents_.encoding(), client_.related);
  // Hovers and completions use the last check that could be opened.
  const bool known = project.check != nullptr && project.check->opened;
  if (check->opened || !known) {
    project.check = std::move(check);
  } else {
    // Its findings are outdated.
    project.check->filtered.counted.clear();
    project.check->messages = std::move(check->messages);
  }
  Collect(project);
  Publish();
  TellProblems(project);
}

// Collects the diagnostics of each document.
void LanguageServer::Collect(ProjectState& project) const {
  project.said.clear();
  std::string path;
  std::string uri;
  for (const PlacedFinding& placed : project.findings) {
    if (uri.empty() || placed.path != path) {
      path = placed.path;
      const Document* const document = documents_.FindFile(path);
      uri = document != nullptr ? document->uri : UriOfPath(path);
    }
    std::string& text = project.said[uri];
    text += (text.empty() ? "" : ",") + placed.json;
  }
}

// Publishes the documents whose diagnostics changed. Documents without diagnostics get an empty
// array. A document may belong to nested projects.
void LanguageServer::Publish() {
  std::map<std::string, std::string> now;
  for (const auto& [key, project] : projects_) {
    for (const auto& [uri, said] : project.said) {
      std::string& text = now[uri];
      text += (text.empty() ? "" : ",") + said;
    }
    if (project.check == nullptr) continue;
    // Publish an empty result, too.
    const std::string root = fs::path(key.first).parent_path().string();
    for (const auto& [uri, document] : documents_.all()) {
      if (!InsideOf(document.path, root).empty()) now.try_emplace(uri);
    }
  }
  for (const auto& [uri, text] : published_) now.try_emplace(uri);
  for (auto each = now.begin(); each != now.end();) {
    const auto& [uri, text] = *each;
    const auto before = published_.find(uri);
    const Document* const document = documents_.Find(uri);
    if (before == published_.end() || before->second != text) {
      std::string params = "{\"uri\":" + JsonQuote(uri);
      if (client_.versions && document != nullptr) {
        params += ",\"version\":" + std::to_string(document->version);
      }
      Send(NotificationText("textDocument/publishDiagnostics",
                            params + ",\"diagnostics\":[" + text + "]}"));
    }
    each = text.empty() && document == nullptr ? now.erase(each) : std::next(each);
  }
  published_ = std::move(now);
}

// Shows an error that prevents the check as a message, because the user may not be looking at its
// file.
void LanguageServer::TellProblems(ProjectState& project) {
  std::string text;
  if (!project.check->opened || project.check->messages.has_errors()) {
    for (const Diagnostic& each : project.check->messages.all()) {
      if (each.severity != Severity::kError || !text.empty()) continue;
      const std::string place = each.location.path.empty() ? "" : each.location.path + ": ";
      text = place + each.message + (each.hint.empty() ? "" : " (" + each.hint + ")");
    }
  }
  const bool open = std::any_of(project.findings.begin(), project.findings.end(), [&](auto& each) {
    return each.finding == nullptr && documents_.FindFile(each.path) != nullptr;
  });
  if (text == project.told) return;
  project.told = text;
  if (!text.empty() && !open) Show(1, text);
}

std::optional<LanguageServer::Place> LanguageServer::PlaceOf(const JsonValue& params, bool fresh) {
  const Document* const document = documents_.Find(TextAt(params, {"textDocument", "uri"}));
  if (document == nullptr) return std::nullopt;
  Place place = {document->text, document->path, {}, nullptr};
  const std::string file = ProjectFileOf(fs::path(place.path).parent_path().string());
  place.inside = InsideOf(place.path, fs::path(file).parent_path().string());
  for (auto& [key, project] : projects_) {
    if (key.first != file) continue;
    if (fresh && (project.due || project.check == nullptr)) Check(key, project);
    if (project.check == nullptr) continue;
    // Of several dialects, choose one that uses the document.
    if (place.project == nullptr || Reads(*project.check, place.inside)) place.project = &project;
  }
  return place;
}

void LanguageServer::Hover(const Message& message) {
  const std::optional<Position> position = ReadPosition(ValueAt(message.Params(), {"position"}));
  if (!position) {
    Refuse(message, ErrorCode::kInvalidParams, "'position' is missing");
    return;
  }
  const std::optional<Place> place = PlaceOf(message.Params(), true);
  if (!place || place->project == nullptr || !place->project->check->opened) {
    Reply(message, "null");
    return;
  }
  const ProjectCheck& check = *place->project->check;
  const DocumentLines lines(place->text, documents_.encoding());
  const auto named = OperatorAt(check, place->inside, place->text, lines.OffsetOf(*position));
  if (!named) {
    Reply(message, "null");
    return;
  }
  Reply(message, JsonText([&](JsonWriter& json) {
          json.BeginObject();
          json.BeginObject("contents");
          json.Field("kind", client_.markdown ? "markdown" : "plaintext");
          json.Field("value", client_.markdown ? HoverMarkdown(check, named->name)
                                               : HoverPlain(check, named->name));
          json.EndObject();
          WriteRange(json, "range", lines.RangeOf(named->span));
          json.EndObject();
        }));
}

const JsonValue& LanguageServer::Schema(const std::string& name) {
  static const JsonValue kNone;
  const auto [found, fresh] = schemas_.try_emplace(name);
  if (fresh) {
    Diagnostics ignored;
    const auto text = ConfigSchema(name, {}, ignored);
    if (text) found->second = ParseJson(name, *text, ignored);
  }
  return found->second ? found->second->root : kNone;
}

void LanguageServer::Completion(const Message& message) {
  const std::optional<Position> position = ReadPosition(ValueAt(message.Params(), {"position"}));
  if (!position) {
    Refuse(message, ErrorCode::kInvalidParams, "'position' is missing");
    return;
  }
  const std::optional<Place> place = PlaceOf(message.Params(), false);
  const ProjectCheck* const check =
      place && place->project != nullptr ? place->project->check.get() : nullptr;
  std::string schema;
  if (check != nullptr && check->opened) {
    const auto is_it = [&](const PrecisionList& list) { return list.path == place->inside; };
    const std::vector<PrecisionList>& lists = check->checked.lists;
    if (std::any_of(lists.begin(), lists.end(), is_it)) schema = "list";
  }
  if (check != nullptr && fs::path(place->path).filename() == "opledger.json") schema = "project";
  if (schema.empty()) {
    Reply(message, "null");
    return;
  }
  Reply(message, CompletionList(check, place->inside, place->text, *position, documents_.encoding(),
                                Schema(schema)));
}

void LanguageServer::CodeAction(const Message& message) {
  const JsonValue& params = message.Params();
  const std::optional<Range> range = ReadRange(ValueAt(params, {"range"}));
  if (!range) {
    Refuse(message, ErrorCode::kInvalidParams, "'range' is missing");
    return;
  }
  const std::optional<Place> place = PlaceOf(params, true);
  const bool possible = place && place->project != nullptr && place->project->check->opened;
  if (!possible || !client_.literal_actions) {
    Reply(message, "[]");
    return;
  }
  ActionRequest request = {*place->project->check,
                           place->project->findings,
                           documents_,
                           AbsolutePath(*place->project->check, place->inside),
                           *range,
                           {},
                           client_.versioned_edits};
  for (const JsonValue& kind : ValueAt(params, {"context", "only"}).items) {
    request.only.push_back(kind.string);
  }
  Reply(message, CodeActions(request));
}

}  // namespace opledger
