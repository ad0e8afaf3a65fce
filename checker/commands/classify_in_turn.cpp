// Reads answers line by line, so that the terminal's editing keys work and tests can type them.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands/classify_in_turn.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "checker/candidates/candidates.h"
#include "checker/edit/classify.h"
#include "checker/filter/filter.h"
#include "checker/project/checked_project.h"
#include "checker/project/kept_rows.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"
#include "registry/platform/input_lines.h"
#include "registry/project/contained_path.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// An operator and its findings, one for each list without an entry for it.
struct Question {
  std::string op;
  std::vector<Finding> findings;
};

constexpr std::size_t kLargestRowFile = std::size_t{16} << 20U;

struct WrittenFile {
  std::string path;
  std::string before;
};

class Dialogue {
 public:
  Dialogue(const CheckOptions& options, CheckedProject& checked, std::vector<Question> questions,
           Diagnostics& diagnostics)
      : options_(options),
        checked_(checked),
        questions_(std::move(questions)),
        diagnostics_(diagnostics) {}

  bool Run() {
    std::size_t at = 0;
    while (at < questions_.size()) {
      Show(at);
      const std::optional<std::string> answer =
          Ask("1 target  2 fp32  3 widest  4 conditional  5 either  s skip  u undo  q quit: ");
      if (!answer || *answer == "q") break;
      if (*answer == "s") {
        written_.emplace_back();
        ++at;
      } else if (*answer == "u") {
        if (at == 0) continue;
        if (!Undo()) return false;
        --at;
      } else if (answer->size() == 1 && *answer >= "1" && *answer <= "5") {
        const auto wanted = ReadAnswer(questions_[at].op, kPolicies[answer->front() - '1']);
        if (!wanted) continue;
        if (!Write(questions_[at], *wanted)) return false;
        ++at;
      }
    }
    const auto done = std::count_if(written_.begin(), written_.end(),
                                    [](const auto& files) { return !files.empty(); });
    Print(Counted(static_cast<std::uint64_t>(done), "operator") + " classified, " +
          std::to_string(questions_.size() - static_cast<std::size_t>(done)) + " left\n");
    if (answers_.error() == 0) return true;
    return diagnostics_.Error(
        {}, std::string("cannot read standard input: ") + std::strerror(answers_.error()));
  }

 private:
  void Show(std::size_t at) {
    const Question& question = questions_[at];
    const Finding& first = question.findings.front();
    std::string text = "\n[" + std::to_string(at + 1) + '/' + std::to_string(questions_.size()) +
                       "] " + ShownPlace(first.location) + ": " + Printable(question.op) + '\n' +
                       RenderSnippet(first.location, checked_.lines->Line(first.location));
    for (const Finding& finding : question.findings) {
      text += "  " + Printable(finding.list) + ":\n";
      for (const Related& related : finding.related) {
        text += "    " + Printable(related.message) + '\n';
      }
    }
    Print(text);
  }

  // Returns nullopt at the end of input.
  std::optional<std::string> Ask(const std::string& text) {
    Print(text);
    // Do not read an answer to a question that was not shown. The failed write is reported at exit.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return std::nullopt;
    const auto line = answers_.Next();
    if (!line) return std::nullopt;
    return std::string(Trimmed(*line));
  }

  // Returns nullopt if the answer is incomplete; the question is then asked again.
  std::optional<Classification> ReadAnswer(const std::string& op, Policy policy) {
    Classification wanted;
    wanted.op = op;
    wanted.policy = policy;
    if (policy == Policy::kConditional) {
      const auto attribute = Ask("attribute: ");
      const auto values = Ask("its values, separated by commas, that keep it in float32: ");
      if (!attribute || !values || attribute->empty() || values->empty()) return std::nullopt;
      wanted.attribute = *attribute;
      for (const std::string_view value : SplitAt(*values, ',')) {
        wanted.values.emplace_back(Trimmed(value));
      }
    }
    const auto note = Ask("reason (optional): ");
    if (!note) return std::nullopt;
    wanted.note = *note;
    return wanted;
  }

  bool Write(const Question& question, const Classification& wanted) {
    std::vector<WrittenFile>& files = written_.emplace_back();
    std::set<std::string> derived;
    for (const Finding& finding : question.findings) {
      const PrecisionList* const list = ListOf(finding.list);
      if (list != nullptr && !list->derived_from.empty()) derived.insert(list->path);
    }
    if (!derived.empty() && !WriteRows(derived, wanted, files)) return false;
    for (const Finding& finding : question.findings) {
      const std::string path = PathOf(finding.list);
      if (derived.contains(path)) continue;
      const Project& project = *checked_.project;
      const bool below = StaysBelow(path);
      std::optional<FileEdit> edit = project.Edit(path, below, diagnostics_);
      if (!edit) return false;
      const auto document =
          ReadJson(project.source(), path, below ? Reach::kBelow : Reach::kAnywhere, diagnostics_);
      if (!document) return false;
      const auto list = ParsePrecisionList(path, document->text, diagnostics_);
      const auto result = list ? Classify(*list, wanted, diagnostics_) : std::nullopt;
      if (!result || !edit->Replace(document->text, result->text, diagnostics_)) return false;
      files.push_back({path, document->text});
      Print(ShownPlace(result->location) + ": '" + Printable(wanted.op) + "' is now under '" +
            PolicyName(wanted.policy) + "'\n");
    }
    return true;
  }

  // Writes to the files in which the framework keeps these lists.
  bool WriteRows(const std::set<std::string>& paths, const Classification& wanted,
                 std::vector<WrittenFile>& files) {
    const Project& project = *checked_.project;
    std::optional<KeptRows> rows = KeptRows::Open(options_, project, paths, diagnostics_);
    if (!rows) return false;
    for (const std::string& path : paths) {
      if (!rows->Classify(path, wanted, paths, diagnostics_)) return false;
    }
    if (!rows->Verify(options_, project, diagnostics_)) return false;
    for (const auto& [path, text] : rows->Changed()) {
      auto before = project.source().Read(path, kLargestRowFile, Reach::kBelow, diagnostics_);
      if (!before) return false;
      files.push_back({path, std::move(*before)});
    }
    if (!rows->Write(project, diagnostics_)) return false;
    for (const WrittenFile& file : files) {
      Print(ShownPath(file.path) + ": '" + Printable(wanted.op) + "' is now under '" +
            PolicyName(wanted.policy) + "'\n");
    }
    return true;
  }

  bool Undo() {
    for (const WrittenFile& file : written_.back()) {
      if (!checked_.project->Write(file.path, StaysBelow(file.path), file.before, diagnostics_))
        return false;
      Print(ShownPath(file.path) + " restored\n");
    }
    written_.pop_back();
    return true;
  }

  const PrecisionList* ListOf(const std::string& label) const {
    for (const ListIndex& list : checked_.index->lists()) {
      if (list.label == label) return list.list;
    }
    return nullptr;
  }
  std::string PathOf(const std::string& label) const {
    const PrecisionList* const list = ListOf(label);
    return list != nullptr ? list->path : label;
  }

  const CheckOptions& options_;
  CheckedProject& checked_;
  std::vector<Question> questions_;
  Diagnostics& diagnostics_;
  InputLines answers_;
  std::vector<std::vector<WrittenFile>> written_;  // by question; empty if skipped
};

std::vector<Question> Questions(const CheckedProject& checked, const std::vector<std::string>& ops,
                                Diagnostics& diagnostics) {
  FilteredFindings filtered = FindingsOf(checked);
  std::erase_if(filtered.counted, [&](const Finding& finding) {
    const bool named = ops.empty() || std::find(ops.begin(), ops.end(), finding.op) != ops.end();
    return finding.rule != "unclassified-operator" || !named;
  });
  AddCandidates(*checked.index, filtered.counted, diagnostics);
  std::vector<Question> questions;
  std::map<std::string, std::size_t> places;
  for (Finding& finding : filtered.counted) {
    const auto [place, is_new] = places.emplace(finding.op, questions.size());
    if (is_new) questions.push_back({finding.op, {}});
    questions[place->second].findings.push_back(std::move(finding));
  }
  return questions;
}

}  // namespace

int ClassifyInTurn(const GlobalOptions& global, const std::string& operators,
                   const std::vector<std::string>& ops) {
  Diagnostics diagnostics;
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    diagnostics.Error({}, "--interactive needs a terminal",
                      "without one: opledger classify OPERATOR... --as POLICY");
    return Fail(diagnostics);
  }
  CheckOptions options;
  options.global = global;
  options.operators = operators;
  CheckedProject checked;
  if (!OpenCheckedProject(options, checked, diagnostics)) return Fail(diagnostics);
  for (const PrecisionList& list : checked.lists) {
    if (!list.path.starts_with("share/opledger/")) continue;
    diagnostics.Error({list.path, 0, 0, 0, 0}, "lists that opledger ships cannot be edited",
                      "`opledger init` copies the shipped lists into a project");
    return Fail(diagnostics);
  }
  Dialogue dialogue(options, checked, Questions(checked, ops, diagnostics), diagnostics);
  if (!dialogue.Run()) return Fail(diagnostics);
  Show(diagnostics);
  return kExitClean;
}

}  // namespace opledger
