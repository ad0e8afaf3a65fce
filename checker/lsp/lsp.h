// A server of the Language Server Protocol (3.17). framing.h and message.h read messages,
// documents.h keeps the texts, project_check.h checks them as `opledger check` does, and the others
// answer requests.
// May include: checker/candidates, checker/config, checker/docs, checker/edit, checker/filter,
// checker/git, checker/index, checker/project, checker/terminal, registry/files, registry/json,
// registry/manifest, registry/platform, registry/precision_list, registry/project, registry/source,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/lsp/client.h"
#include "checker/lsp/documents.h"
#include "checker/lsp/framing.h"
#include "checker/lsp/message.h"
#include "checker/lsp/placed_finding.h"
#include "checker/lsp/project_check.h"
#include "checker/lsp/scan_progress.h"

namespace opledger {

// A connection. Takes bytes and answers by `send`, which returns false if the client is gone.
class LanguageServer {
 public:
  // `options` are from the command line, with paths relative to the current folder.
  LanguageServer(CheckOptions options, std::function<bool(std::string_view)> send);

  // While a scan runs, calls `read` if the descriptor `wake` is readable. `read` returns whether to
  // go on. Without this, scans are not interrupted.
  void SetWake(int wake, std::function<bool()> read);

  // Queues the messages in the bytes. Work() answers them.
  void Feed(std::string_view bytes);
  // Answers the queued messages in order. Then runs the checks that are due, or all pending ones if
  // `now` is true.
  void Work(bool now = false);
  // Returns the milliseconds until a check is due, or -1 if none is.
  int Waits() const;

  bool ended() const { return ended_; }
  // Returns whether the client has asked to shut down.
  bool ends() const { return ended_ || leaving_; }
  int status() const { return shut_down_ ? 0 : 1; }  // exit status of the process

 private:
  struct ProjectState {
    std::shared_ptr<const ComparedRevision> base;  // of the last successful check
    std::unique_ptr<ProjectCheck> check;           // the last check; nullptr: not checked yet
    std::vector<PlacedFinding> findings;
    std::map<std::string, std::string> said;  // diagnostics by URI
    std::string told;                         // the error shown last
    std::optional<std::chrono::steady_clock::time_point> due;
  };
  using Method = void (LanguageServer::*)(const Message&);

  void Send(const std::string& message);
  void Reply(const Message& request, const std::string& result);
  void Refuse(const Message& request, ErrorCode code, const std::string& why);
  void Show(int type, const std::string& text);  // window/showMessage: 1 error, 2 warning
  void Handle(const Message& message);
  void Cancel(const Message& message);

  void Initialize(const Message& message);
  void Initialized(const Message& message);
  void Shutdown(const Message& message);
  void Exit(const Message& message);
  void DidOpen(const Message& message);
  void DidChange(const Message& message);
  void DidSave(const Message& message);
  void DidClose(const Message& message);
  void DidChangeFolders(const Message& message);
  void DidChangeFiles(const Message& message);
  void Hover(const Message& message);
  void Completion(const Message& message);
  void CodeAction(const Message& message);

  // The text and the project of a request's document. Runs a due check first if `fresh` is true.
  struct Place {
    std::string text;
    std::string path;
    std::string inside;  // relative to the project's root
    ProjectState* project = nullptr;
  };
  std::optional<Place> PlaceOf(const JsonValue& params, bool fresh);
  std::string ProjectFileOf(const std::string& folder) const;
  void FindProjects();
  void Due(const std::string& path, std::chrono::milliseconds wait);
  void AllDue(std::chrono::milliseconds wait);
  std::map<std::string, std::string> Unsaved() const;
  // The project file and one of its dialects, or "" if it has only one.
  using ProjectKey = std::pair<std::string, std::string>;
  void Check(const ProjectKey& key, ProjectState& project);
  void Collect(ProjectState& project) const;
  void Publish();
  void TellProblems(ProjectState& project);
  const JsonValue& Schema(const std::string& name);

  static const std::map<std::string_view, Method>& Requests();
  static const std::map<std::string_view, Method>& Notifications();

  CheckOptions options_;
  std::function<bool(std::string_view)> send_;
  int wake_ = -1;
  std::function<bool()> read_;

  MessageReader reader_;
  std::deque<Message> queue_;
  std::set<std::string> cancelled_;  // ids of queued requests
  bool initialized_ = false;
  bool shut_down_ = false;
  bool ended_ = false;
  bool leaving_ = false;

  ClientAbilities client_;
  Documents documents_;
  std::vector<std::string> folders_;  // absolute paths of the workspace folders
  std::set<std::string> without_;     // folders without a project that were reported
  std::map<ProjectKey, ProjectState> projects_;
  std::map<std::string, std::string> published_;  // last published diagnostics by URI
  std::map<std::string, std::optional<JsonDocument>> schemas_;

  ScanProgress progress_;
  bool first_scan_ = true;
};

// Serves the client on standard input and output until it leaves. Returns the exit status.
int RunLanguageServer(const CheckOptions& options);

}  // namespace opledger
