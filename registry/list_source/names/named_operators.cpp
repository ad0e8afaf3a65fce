// Reads pages and tests. A problem with a file is reported once per file.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/names/named_operators.h"

#include <algorithm>

#include "registry/list_source/names/page_names.h"
#include "registry/list_source/names/test_names.h"
#include "registry/project/contained_path.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::size_t kLargestPage = std::size_t{16} << 20U;

// A section or list in a file.
struct FoundSection {
  std::string name;
  Location location;
  std::vector<PlacedName> names;
};

std::vector<FoundSection> SectionsOfPage(const std::string& path, const std::string& text) {
  const LineIndex lines(text);
  const auto place = [&](const TextRange& range) {
    const auto [line, column] = lines.At(range.begin);
    const auto [end_line, end_column] = lines.At(range.end);
    return Location{path, line, column, end_line, end_column};
  };
  std::vector<FoundSection> sections;
  for (const PageSection& section : ReadPage(text, IsMarkdown(path))) {
    sections.push_back({section.title, place(section.range), {}});
    FoundSection& found = sections.back();
    for (const PageName& name : section.names) {
      found.names.push_back({name.name, place(name.range)});
    }
  }
  return sections;
}

std::vector<FoundSection> ListsOfTest(const std::string& path, std::string text,
                                      std::string& problem) {
  Diagnostics said;
  std::vector<FoundSection> sections;
  for (TestList& list : ReadTestLists(path, std::move(text), said)) {
    sections.push_back({std::move(list.name), list.location, std::move(list.names)});
  }
  if (said.has_errors()) problem = "cannot be read: " + said.all().front().message;
  return sections;
}

// Returns all sections with this name: a page may continue a section further below.
std::vector<const FoundSection*> Named(const std::vector<FoundSection>& sections,
                                       const std::string& name) {
  std::vector<const FoundSection*> fitting;
  for (const FoundSection& each : sections) {
    if (each.name == name || each.name.ends_with('.' + name)) fitting.push_back(&each);
  }
  return fitting;
}

std::vector<NamedOperators> ReadFile(const Source& source, const NamingFile& named, bool test) {
  std::string problem;
  std::vector<FoundSection> sections;
  Diagnostics unread;
  std::optional<std::string> text;
  if (!StaysBelow(named.file)) {
    problem = "is outside the project";
  } else if (source.Examine(named.file).kind == PathKind::kAbsent) {
    problem = "does not exist";
  } else if (text = source.Read(named.file, kLargestPage, Reach::kBelow, unread); !text) {
    problem = unread.all().empty() ? "cannot be read" : unread.all().front().message;
  } else {
    sections = test ? ListsOfTest(named.file, std::move(*text), problem)
                    : SectionsOfPage(named.file, *text);
  }
  std::vector<NamedOperators> all;
  for (const MappedSection& mapped : named.map) {
    const auto fitting = Named(sections, test ? mapped.name : PlainTitle(mapped.name));
    NamedOperators& of = all.emplace_back();
    of.file = named.file;
    of.section = mapped.name;
    of.policy = mapped.policy;
    of.location = fitting.empty() ? mapped.location : fitting.front()->location;
    if (fitting.empty()) {
      of.problem = !problem.empty() ? problem : test ? "has no such list" : "has no such section";
    }
    for (const FoundSection* each : fitting) {
      of.names.insert(of.names.end(), each->names.begin(), each->names.end());
    }
    if (!problem.empty()) return all;  // reported once
  }
  return all;
}

void Add(std::vector<NamedOperators> more, std::vector<NamedOperators>& all) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

}  // namespace

void ReadNamedOperators(const Source& source, PrecisionList& list) {
  for (const NamingFile& named : list.documented_in) {
    Add(ReadFile(source, named, false), list.documented);
  }
  for (const NamingFile& named : list.tested_in) Add(ReadFile(source, named, true), list.tested);
}

}  // namespace opledger
