// Searches the folder for registrations only if there is no project file.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands/next_steps.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "checker/project/discovery.h"
#include "checker/project/project.h"
#include "checker/terminal/terminal.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

struct Step {
  std::string command;
  std::string what;
};

constexpr std::size_t kCommandWidth = 32;

std::string Text(const std::string& here, const std::vector<Step>& steps) {
  std::string text = "Here: " + here + '\n';
  for (const Step& step : steps) {
    std::string command = step.command;
    command.resize(std::max(kCommandWidth, command.size()), ' ');
    text += (&step == &steps.front() ? "Next: " : "      ") + command + step.what + '\n';
  }
  return text;
}

const Step kConvert = {"opledger convert MODEL -o OUT",
                       "converts a model, with or without sources"};

std::string InProject(const Project& project) {
  const ProjectFile& file = *project.file();
  const std::string dialects =
      file.dialects.empty() ? Printable(file.dialect)
                            : Join(file.dialects, ", ",
                                   [](const NamedDialect& each) { return Printable(each.name); });
  std::string here = ShownPath(file.path);
  if (!dialects.empty()) {
    here += (file.dialects.size() > 1 ? ", dialects " : ", dialect ") + dialects;
  }
  here += file.lists.empty() ? "" : ", " + Counted(file.lists.size(), "list");
  return Text(here, {{"opledger check", "finds where the sources and the lists disagree"},
                     {"opledger explain", "lists what it looks for, and what to do about each"},
                     kConvert});
}

// Returns "12 files register operators (dialect mxnet), the first is src/a.cc".
std::string SeenText(const FirstLook& look, const std::string& root) {
  std::string text;
  for (const SeenDialect& each : look.dialects) {
    const std::string first = fs::path(each.first).lexically_relative(root).string();
    text += (text.empty() ? "" : "; ") + std::string(look.whole ? "" : "at least ") +
            Counted(each.files, "file") + (each.files == 1 ? " registers" : " register") +
            " operators (dialect " + each.name + "), " +
            (each.files == 1 ? ShownPath(first) : "the first is " + ShownPath(first));
  }
  if (!text.empty()) return text;
  return look.whole ? "no file that registers operators in a way that opledger knows"
                    : "no file that registers operators among the first ones of a large tree";
}

std::string WithoutProject(const GlobalOptions& global) {
  const std::optional<FirstLook> look = LookBriefly();
  const std::string none = "no opledger.json; ";
  if (!look) {
    return Text(none + "opledger-scan, which reads sources, is not installed next to opledger",
                {kConvert, {"opledger doctor", "shows what else is missing"}});
  }
  const std::string here = none + SeenText(*look, global.here.root());
  const Step init = {"opledger init", "writes opledger.json and lists to start from"};
  if (!look->dialects.empty()) {
    return Text(here, {init, {"opledger check", "then finds where sources and lists disagree"}});
  }
  if (!look->whole) {
    return Text(
        here, {{"opledger init", "searches all of it, and writes settings that match"}, kConvert});
  }
  return Text(here,
              {kConvert,
               {"opledger -C SOURCES", "shows this for another folder"},
               {"opledger init", "generates a dialect for your own framework from what it finds"}});
}

}  // namespace

std::string NextSteps(const GlobalOptions& global) {
  Diagnostics problems;
  const std::optional<Project> project = Project::Open(global, ".", problems);
  if (!project) {
    return Text("a project file with errors",
                {{"opledger config validate", "lists the errors and how to fix them"}});
  }
  return project->file() ? InProject(*project) : WithoutProject(global);
}

}  // namespace opledger
