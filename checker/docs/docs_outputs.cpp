// Chooses, renders and compares the files of documentation.
// SPDX-License-Identifier: Apache-2.0
#include "checker/docs/docs_outputs.h"

#include <algorithm>
#include <filesystem>

#include "checker/terminal/terminal.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaximumSize = std::size_t{256} << 20U;
constexpr std::size_t kMarkWithin = 1000;  // bytes; every format has its mark there
constexpr std::size_t kShownLength = 160;  // of a line in a diff

// A file that the project names is overwritten only if opledger wrote it. Otherwise an untrusted
// checkout could replace the user's files, directly or through a link.
bool MayBeWritten(const std::string& path, const Project& project, Diagnostics& diagnostics) {
  const Diagnostic outside = {
      .location = {path, 0, 0, 0, 0},
      .message = "this file is outside the project",
      .hint = "name a file in the project under \"docs\" in opledger.json, or use -o"};
  if (!project.source().MustHold(path, outside, diagnostics)) return false;
  const std::optional<bool> there = project.source().Exists(path, diagnostics);
  if (!there) return false;
  if (!*there) return true;
  const std::optional<std::string> text =
      project.source().Read(path, kMaximumSize, Reach::kBelow, diagnostics);
  if (!text) return false;
  const std::string_view head = std::string_view(*text).substr(0, kMarkWithin);
  for (const std::string_view mark : {"opledger docs", "opledger-docs/"}) {
    if (text->empty() || head.find(mark) != std::string_view::npos) return true;
  }
  return diagnostics.Error({path, 0, 0, 0, 0}, "this file was not written by `opledger docs`",
                           "move it away, or name another file under \"docs\" in opledger.json");
}

std::optional<std::vector<DocsOutput>> OutputsOfProject(const Project& project,
                                                        Diagnostics& diagnostics) {
  std::vector<DocsOutput> outputs;
  for (const std::string& path : project.file()->docs) {
    if (!MayBeWritten(path, project, diagnostics)) return std::nullopt;
    outputs.push_back({FindDocsFormatOfFile(path), path, false, true});
  }
  return outputs;
}

std::string LineAt(const std::string& text, std::size_t begin) {
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::string line = text.substr(begin, std::min(end - begin, kShownLength));
  if (end - begin > kShownLength) line += "...";
  return Printable(line);
}

}  // namespace

std::optional<std::vector<DocsOutput>> ChooseDocsOutputs(const std::string& choice,
                                                         const std::string& format_name,
                                                         const Project& project,
                                                         Diagnostics& diagnostics) {
  const bool of_project = project.file() && !project.file()->docs.empty();
  if (choice.empty() && format_name.empty() && of_project) {
    return OutputsOfProject(project, diagnostics);
  }
  DocsOutput output;
  output.path = choice.empty() ? "-" : project.FromRoot(choice);
  output.is_folder =
      choice.ends_with('/') ||
      (output.path != "-" && project.source().Examine(output.path).kind == PathKind::kFolder);
  if (!format_name.empty()) {
    output.format = FindDocsFormat(format_name);
  } else if (output.path == "-" || output.is_folder) {
    output.format = FindDocsFormat("md");
  } else {
    output.format = FindDocsFormatOfFile(output.path);
    if (output.format == nullptr) {
      diagnostics.Error({output.path, 0, 0, 0, 0}, "the format of this file is unknown",
                        "choose it with --format md, html, json or svg");
    }
  }
  if (output.format == nullptr) return std::nullopt;
  return std::vector<DocsOutput>{output};
}

std::optional<std::vector<DocsFile>> RenderDocs(const Docs& docs, const DocsOutput& output,
                                                Diagnostics& diagnostics) {
  std::vector<DocsFile> files = output.format->render(docs);
  if (output.is_folder) {
    for (DocsFile& file : files) file.name = (fs::path(output.path) / file.name).string();
    return files;
  }
  if (output.of_project && files.size() > 1) {
    // Picks the picture of this name, such as "docs/coverage-float16.svg".
    const std::string name = fs::path(output.path).filename().string();
    for (DocsFile& file : files) {
      if (file.name == name) return std::vector<DocsFile>{{output.path, std::move(file.text)}};
    }
  }
  if (files.size() == 1) {
    files.front().name = output.path;
    return files;
  }
  return diagnostics.Error({output.path == "-" ? "" : output.path, 0, 0, 0, 0},
                           std::string("format ") + output.format->name +
                               " writes a file per list: " + Join(files, ", ", &DocsFile::name),
                           output.of_project ? "name one of these in opledger.json"
                                             : "give a folder with -o, or one list with --list");
}

std::optional<std::string> StaleDocs(const DocsFile& file, const Project& project,
                                     Diagnostics& diagnostics) {
  const std::optional<bool> there = project.source().Exists(file.name, diagnostics);
  if (!there) return std::nullopt;
  if (!*there) {
    return ShownPath(file.name) + ": error: the documentation does not exist\n";
  }
  const std::optional<std::string> committed =
      project.source().Read(file.name, kMaximumSize, Reach::kAnywhere, diagnostics);
  if (!committed) return std::nullopt;
  if (*committed == file.text) return std::string();
  const auto [was, is] =
      std::mismatch(committed->begin(), committed->end(), file.text.begin(), file.text.end());
  const auto same = static_cast<std::size_t>(was - committed->begin());
  const std::size_t before = same == 0 ? std::string::npos : committed->rfind('\n', same - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const auto line =
      std::count(committed->begin(), committed->begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  std::string text = ShownPath(file.name) + ':' + std::to_string(line + 1) +
                     ":1: error: the documentation is out of date\n";
  if (begin < committed->size()) text += "  - " + LineAt(*committed, begin) + '\n';
  if (begin < file.text.size()) text += "  + " + LineAt(file.text, begin) + '\n';
  return text;
}

}  // namespace opledger
