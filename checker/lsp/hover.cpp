// Registrations are found by the manifest, entries of lists by position.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/hover.h"

#include <algorithm>

#include "checker/candidates/candidates.h"
#include "checker/candidates/operator_line.h"
#include "checker/docs/operator_page.h"
#include "checker/lsp/json_place.h"
#include "checker/lsp/message.h"
#include "checker/lsp/placed_finding.h"
#include "checker/terminal/markdown_text.h"
#include "checker/terminal/terminal.h"
#include "registry/manifest/absence.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxSitesInHover = 5;

// Returns a link whose text is a path.
std::string LinkTo(const ProjectCheck& check, const Location& location) {
  std::string uri = UriOfPath(AbsolutePath(check, location.path));
  if (location.line > 0) uri += "#L" + std::to_string(location.line);
  return "[" + MarkdownText(ShownPlace(location)) + "](" + uri + ")";
}

std::string SitesText(const ProjectCheck& check, const Operator& op) {
  std::string text;
  for (std::size_t i = 0; i < std::min(op.sites.size(), kMaxSitesInHover); ++i) {
    const Site& site = op.sites[i];
    text += "registered at " + LinkTo(check, site.location);
    if (!site.macro.empty()) text += " by " + MarkdownName(site.macro);
    const std::string& condition = site.condition.text();
    if (!condition.empty()) text += ", if " + MarkdownName(condition);
    text += "  \n";
  }
  if (op.sites.size() > kMaxSitesInHover) {
    text += "and at " + std::to_string(op.sites.size() - kMaxSitesInHover) + " more places  \n";
  }
  return text;
}

std::string ConditionText(const ListEntry& entry) {
  std::string text;
  for (const Clause& clause : entry.clauses) {
    text +=
        "  - " + MarkdownName(PolicyName(clause.then)) + " if " + MarkdownName(clause.Subject());
    if (clause.is_range) {
      const auto bound = [](const std::optional<double>& number) {
        return number ? MarkdownText(JsonText([&](JsonWriter& json) { json.Number(*number); }))
                      : std::string("open");
      };
      text += " is from " + bound(clause.minimum) + " to " + bound(clause.maximum) + "\n";
    } else {
      text +=
          " is " + Join(clause.values, ", ", [](const auto& v) { return MarkdownName(v); }) + "\n";
    }
  }
  if (entry.clauses.empty()) return text;
  return text + "  - else " + MarkdownName(PolicyName(entry.otherwise)) + "\n";
}

std::string EntryText(const ProjectCheck& check, const ListEntry& entry) {
  std::string text = "**" + std::string(PolicyName(entry.policy)) + "**";
  if (!entry.reason.empty()) text += ", " + MarkdownText(entry.reason);
  if (!entry.note.empty()) text += ": " + MarkdownText(entry.note);
  if (entry.accumulate) text += "; accumulates in " + MarkdownText(DtypeName(*entry.accumulate));
  if (entry.output) text += "; gives " + MarkdownText(DtypeName(*entry.output));
  if (!entry.keep_fp32_inputs.empty()) {
    text += "; keeps inputs in float32: " +
            Join(entry.keep_fp32_inputs, ", ", [](const auto& v) { return MarkdownName(v); });
  }
  if (!entry.evidence.empty()) text += "; evidence: " + MarkdownText(entry.evidence);
  return text + " (" + LinkTo(check, entry.location) + ")\n" + ConditionText(entry);
}

// Describes an operator without an entry in the list.
std::string MissingText(const ProjectCheck& check, const Operator& op, const ListIndex& list) {
  const CheckIndex& index = *check.checked.index;
  if (op.exempt == kUnreachable) return "needs no policy: the code that registers it never runs\n";
  if (!op.exempt.empty()) return "needs no policy: filter " + MarkdownName(op.exempt) + "\n";
  if (!list.Exists(op)) {
    const std::string why =
        op.sites.empty() ? ""
                         : WhyNot(op.sites.front().condition, index.manifest(), list.configuration);
    return "not in this configuration" + (why.empty() ? "" : ": " + MarkdownText(why)) + "\n";
  }
  if (list.RunsOnlyElsewhere(op)) {
    return "needs no policy: it has no kernel for " + MarkdownText(list.list->device) + "\n";
  }
  if (list.IsUndecided(op)) {
    const FixedCast* const fixed = list.OtherType(op);
    return fixed != nullptr ? "cast to " + fixed->dtype + ", whatever type autocast uses\n"
                            : "undecided: it is not known what its autocast rule casts to\n";
  }
  if (!index.NeedsEntry(op, list)) {
    return "no entry; the framework runs it under " +
           MarkdownName(PolicyName(list.list->unlisted.value_or(Policy::kEither))) + "\n";
  }
  std::string text = "**unclassified**\n";
  for (const Finding& finding : check.filtered.counted) {
    if (finding.rule != "unclassified-operator" || finding.op != op.name) continue;
    if (finding.list != list.label) continue;
    for (const std::string& line : CandidateLines(finding.candidates, 2)) {
      text += "  - " + MarkdownText(line) + "\n";
    }
  }
  return text;
}

}  // namespace

std::optional<NamedOperator> OperatorAt(const ProjectCheck& check, const std::string& path,
                                        std::string_view text, std::size_t offset) {
  const DocumentLines lines(text, PositionEncoding::kUtf8);
  const auto holds = [&](const Location& location, Span& span) {
    if (location.path != path) return false;
    span = lines.SpanOf(location);
    return span.begin <= offset && offset <= span.end;
  };
  Span span;
  for (const Operator& op : check.checked.manifest->operators) {
    for (const Site& site : op.sites) {
      if (holds(site.location, span)) return NamedOperator{op.name, span};
    }
    for (const Alias& alias : op.aliases) {
      if (holds(alias.location, span)) return NamedOperator{op.name, span};
    }
  }
  for (const PrecisionList& list : check.checked.lists) {
    if (list.path != path) continue;
    const JsonPlace place = JsonPlaceAt(text, offset);
    if (NamesOperator(place) && place.closed) return NamedOperator{place.value, place.span};
  }
  return std::nullopt;
}

std::string HoverMarkdown(const ProjectCheck& check, const std::string& name) {
  const CheckIndex& index = *check.checked.index;
  const Operator* const op = index.Resolve(name);
  std::string text = "**operator** " + MarkdownName(op == nullptr ? name : op->name) + "\n\n";
  if (op == nullptr) {
    text += "No operator of this name exists.  \n";
  } else {
    text += SitesText(check, *op);
    const std::string line = DescribeOperator(*op);
    if (!line.empty()) text += MarkdownText(line) + "  \n";
    const auto aliases =
        Join(op->aliases, ", ", [](const Alias& a) { return MarkdownName(a.name); });
    if (!aliases.empty()) text += "aliases: " + aliases + "  \n";
  }
  text += "\n";
  for (const ListIndex& list : index.lists()) {
    const EntryUse* const use = list.Find(op == nullptr ? name : op->name);
    text += "- " + MarkdownName(list.label) + " (" + MarkdownText(list.configuration) + "): ";
    if (use != nullptr) {
      text += EntryText(check, *use->entry);
    } else {
      text += op == nullptr ? "not named\n" : MissingText(check, *op, list);
    }
  }
  return text;
}

std::string HoverPlain(const ProjectCheck& check, const std::string& name) {
  const CheckIndex& index = *check.checked.index;
  const Operator* const op = index.Resolve(name);
  Diagnostics ignored;
  if (op != nullptr) return OperatorPage(*op, index, ignored);
  return "'" + Printable(name) + "': no operator of this name exists\n";
}

}  // namespace opledger
