// A server of the Language Server Protocol (3.17): messages of an editor in, diagnostics, hovers,
// completions and edits out. framing.h and message.h read messages, documents.h keeps the texts,
// project_check.h checks them as `opledger check` does, the rest answers.
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

// One connection. Takes bytes, and answers by `send`, which gives false once nobody reads.
class LanguageServer {
 public:
  // `options`: of the command line, paths in them meant from the current folder.
  LanguageServer(CheckOptions options, std::function<bool(std::string_view)> send);

  // Asked while a scan runs and something comes on the descriptor `wake`: reads it, and says
  // whether to go on. Without it scans are waited for.
  void SetWake(int wake, std::function<bool()> read);

  // Takes messages out of the bytes; none is answered before Work().
  void Feed(std::string_view bytes);
  // Answers what came, in order. Then, where the client has nothing more to say for a while or
  // `now`, checks what is due.
  void Work(bool now = false);
  // Milliseconds until a check is due; -1: none is.
  int Waits() const;

  bool ended() const { return ended_; }
  // Whether the client wants nothing but the end.
  bool ends() const { return ended_ || leaving_; }
  int status() const { return shut_down_ ? 0 : 1; }  // of the process

 private:
  struct ProjectState {
    std::shared_ptr<const ComparedRevision> base;  // of the last check that could be made
    std::unique_ptr<ProjectCheck> check;           // the last; none: not checked yet
    std::vector<PlacedFinding> findings;
    std::map<std::string, std::string> said;  // URI -> its diagnostics
    std::string told;                         // what went wrong
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
  void Ignore(const Message&) {}
  void DidOpen(const Message& message);
  void DidChange(const Message& message);
  void DidSave(const Message& message);
  void DidClose(const Message& message);
  void DidChangeFolders(const Message& message);
  void DidChangeFiles(const Message& message);
  void Hover(const Message& message);
  void Completion(const Message& message);
  void CodeAction(const Message& message);

  // The text and the project of a request's document; brought up to date first where `fresh`.
  struct Place {
    std::string text;
    std::string path;
    std::string inside;  // seen from the project's root
    ProjectState* project = nullptr;
  };
  std::optional<Place> PlaceOf(const JsonValue& params, bool fresh);
  std::string ProjectFileOf(const std::string& folder) const;
  void FindProjects();
  void Due(const std::string& path, std::chrono::milliseconds wait);
  void AllDue(std::chrono::milliseconds wait);
  std::map<std::string, std::string> Unsaved() const;
  // The file of a project, and one of its dialects; empty: it has no more than one.
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
  std::set<std::string> cancelled_;  // ids of requests in the queue
  bool initialized_ = false;
  bool shut_down_ = false;
  bool ended_ = false;
  bool leaving_ = false;

  ClientAbilities client_;
  Documents documents_;
  std::vector<std::string> folders_;  // of the workspace, absolute
  std::set<std::string> without_;     // folders that have no project, of which the user was told
  std::map<ProjectKey, ProjectState> projects_;
  std::map<std::string, std::string> published_;  // URI -> what the client was told last
  std::map<std::string, std::optional<JsonDocument>> schemas_;

  ScanProgress progress_;
  bool first_scan_ = true;
};

// Serves the client at standard input and output until it leaves. The exit status.
int RunLanguageServer(const CheckOptions& options);

}  // namespace opledger
