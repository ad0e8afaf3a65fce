// Takes what was read from the facts and the manifest. Then walks the statements of the file: each
// statement in whose range nothing was read gets a reason.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "registry/scan/commands/commands.h"
#include "registry/scan/macros/statement_walk.h"
#include "registry/text/glob.h"

namespace opledger::scan {
namespace {

class Explainer {
 public:
  Explainer(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
            const Manifest& manifest, const std::string& path)
      : index_(index), tree_(tree), dialect_(dialect), manifest_(manifest), path_(path) {}

  std::string Run(const std::vector<Registration>& registrations);

 private:
  using Place = std::pair<int, int>;  // line and column

  void AddLine(Place place, std::string text) { lines_.emplace(place, std::move(text)); }
  Place PlaceOf(Offset offset) const;
  std::string NameAt(Offset offset) const;
  static std::string TextOf(const Kernel& kernel);
  void AddRegistration(const Registration& registration);
  void AddIncomplete();
  void Statements();
  void AddSuspiciousNames();
  bool HasLineIn(Place begin, Place end) const;
  std::string Outcome(const Registration& registration) const;
  std::string Summary() const;
  bool IsPython() const;
  std::string ExplainPython(const std::vector<Registration>& registrations);
  std::string Lines() const;

  const MacroIndex& index_;
  const SourceTree& tree_;
  const Dialect& dialect_;
  const Manifest& manifest_;
  const std::string& path_;
  int file_ = -1;
  std::string text_;
  std::multimap<Place, std::string> lines_;
  std::size_t read_ = 0;
  std::size_t not_read_ = 0;
};

Explainer::Place Explainer::PlaceOf(Offset offset) const {
  auto end = text_.begin() + std::min<std::ptrdiff_t>(offset, std::ssize(text_));
  auto line = std::count(text_.begin(), end, '\n') + 1;
  std::size_t begin = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
  return {static_cast<int>(line), static_cast<int>(offset - (begin + 1)) + 1};
}

std::string Explainer::NameAt(Offset offset) const {
  std::size_t end = offset;
  while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 ||
                                text_[end] == '_' || text_[end] == '$')) {
    ++end;
  }
  return text_.substr(offset, end - offset);
}

// Returns ", if CONDITION" and what happened to the registration after it was read, such as ";
// exempt (...)".
std::string Explainer::Outcome(const Registration& registration) const {
  std::string outcome;
  const Condition& condition = registration.site.condition;
  if (!condition.IsAlways()) outcome += ", if " + condition.text();
  const Operator* op = manifest_.Find(registration.name);
  if (op == nullptr && registration.adds) {
    outcome += "; nothing registers that operator, so this is ignored";
  } else if (op == nullptr) {
    outcome +=
        "; not reported: a filter of the dialect (drop, keep) or the configuration excludes it";
  } else if (!op->exempt.empty() && !registration.adds) {
    outcome += "; exempt (" + op->exempt + ")";
  }
  return outcome;
}

// "kernel for cuda, T float16 float32"
std::string Explainer::TextOf(const Kernel& kernel) {
  std::string text = "kernel for " + (kernel.device == "*" ? "any device" : kernel.device);
  if (!kernel.label.empty()) text += ", only as \"" + kernel.label + "\"";
  for (const auto& [variable, types] : kernel.types) {
    text += "; " + variable;
    for (const std::string& dtype : types.dtypes) text += (text.ends_with(' ') ? "" : " ") + dtype;
    if (!types.unread.empty()) text += " unknown: " + types.unread;
  }
  return text;
}

void Explainer::AddRegistration(const Registration& registration) {
  const Site& site = registration.site;
  std::map<std::string, int> fields;
  for (const FieldFact& fact : registration.fields) ++fields[fact.field];
  for (const MethodCall& call : registration.calls) ++fields["." + call.method + "()"];
  std::string says;
  for (const Alias& alias : registration.aliases) {
    says += (says.empty() ? "" : ", ") + std::string("alias ") + alias.name;
  }
  for (const auto& [field, count] : fields) {
    says += (says.empty() ? "" : ", ") + field + (count > 1 ? " " + std::to_string(count) : "");
  }
  for (const Kernel& kernel : registration.kernels) {
    says += (says.empty() ? "" : ", ") + TextOf(kernel);
  }
  std::string what =
      site.macro + (registration.adds ? " adds to '" : " registers '") + registration.name + "'";
  if (registration.version != 0) what += " since version " + std::to_string(registration.version);
  if (!says.empty()) what += " (" + says + ")";
  bool here = site.call.path == path_;
  if (!here) what += ", called at " + site.call.path + ":" + std::to_string(site.call.line);
  const Location& at = here ? site.call : site.location;
  AddLine({at.line, at.column}, what + Outcome(registration));
  ++read_;
}

void Explainer::AddIncomplete() {
  for (const Incomplete& incomplete : manifest_.incomplete) {
    if (incomplete.location.path != path_) continue;
    AddLine({incomplete.location.line, incomplete.location.column},
            "not read: " + incomplete.detail);
    ++not_read_;
  }
  for (const DynamicRegistration& dynamic : manifest_.dynamic) {
    if (dynamic.location.path != path_) continue;
    AddLine({dynamic.location.line, dynamic.location.column},
            "registers a computed name, '" + dynamic.expression +
                "', which the dialect lists under known_dynamic: " + dynamic.reason);
  }
}

bool Explainer::HasLineIn(Place begin, Place end) const {
  auto first = lines_.lower_bound(begin);
  return first != lines_.end() && first->first < end;
}

void Explainer::Statements() {
  const Outline& outline = tree_.files()[file_].outline;
  scan::Statements found =
      WalkStatements(text_, outline, index_.LeadingIn(file_), PlainSinks(dialect_));
  std::vector<std::pair<Place, std::string>> unexplained;
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    Offset begin = found.all[i].begin;
    std::string name = NameAt(begin);
    if (name.empty() || !index_.LeadingIn(file_).contains(name)) continue;
    bool last = i + 1 == found.all.size();
    Offset end = last ? static_cast<Offset>(text_.size()) : found.all[i + 1].begin;
    if (HasLineIn(PlaceOf(begin), PlaceOf(end))) continue;
    bool dead = outline.StackCondition(outline.BranchAt(begin)).IsNever();
    unexplained.emplace_back(
        PlaceOf(begin),
        name + (dead ? " is under a condition that never holds"
                     : " leads to a sink, but nothing is registered here: it is not "
                       "a call, or its macros expand to something else"));
  }
  for (auto& [place, text] : unexplained) AddLine(place, std::move(text));
}

void Explainer::AddSuspiciousNames() {
  for (const SuspiciousName& suspicious : tree_.files()[file_].outline.suspicious_names) {
    if (!suspicious.registers || index_.LeadingIn(file_).contains(suspicious.name)) continue;
    Place place = PlaceOf(suspicious.offset);
    if (lines_.contains(place)) continue;
    const bool excepted = dialect_.IsExcepted(suspicious.name, tree_.files()[file_].path);
    AddLine(place, suspicious.name +
                       (excepted ? " registers no operator: the dialect exempts it"
                                 : " registers no operator: its definition leads to no sink"));
  }
}

std::string Explainer::Summary() const {
  auto any = [&](const std::vector<std::string>& globs) { return GlobMatchAny(globs, path_); };
  std::string text = Printable(path_) + ": " + std::to_string(read_) + " read, " +
                     std::to_string(not_read_) + " not read";
  bool unit = tree_.files()[file_].is_unit;
  if (unit && !IsOnlyData(dialect_, path_)) {
    if (!any(dialect_.sources)) text += "; not among the dialect's sources: only read on request";
    if (any(dialect_.exclude)) text += "; excluded by the dialect: only read on request";
  }
  if (lines_.empty()) {
    text += "; it uses none of the " + std::to_string(index_.leading().size()) +
            " macros that lead to a sink";
  }
  return text + "\n";
}

// Returns whether the path is a Python file among the dialect's sources.
bool Explainer::IsPython() const {
  return path_.ends_with(".py") && !dialect_.python.IsNone() &&
         GlobMatchAny(dialect_.sources, path_) &&
         tree_.source().Examine(path_).kind == PathKind::kFile;
}

std::string Explainer::ExplainPython(const std::vector<Registration>& registrations) {
  for (const Registration& registration : registrations) AddRegistration(registration);
  AddIncomplete();
  std::string text = Lines() + Printable(path_) + ": " + std::to_string(read_) + " read, " +
                     std::to_string(not_read_) + " not read";
  const bool excluded =
      GlobMatchAny(dialect_.exclude, path_) || GlobMatchAny(dialect_.python.exclude, path_);
  if (excluded) text += "; excluded by the dialect: its registrations do not count";
  return text + "\n";
}

std::string Explainer::Lines() const {
  std::string text;
  for (const auto& [place, what] : lines_) {
    text += Printable(path_) + ":" + std::to_string(place.first) + ":" +
            std::to_string(place.second) + ": " + Printable(what) + "\n";
  }
  return text;
}

std::string Explainer::Run(const std::vector<Registration>& registrations) {
  file_ = tree_.Known(path_);
  if (file_ < 0 && IsPython()) return ExplainPython(registrations);
  if (file_ < 0) {
    return Printable(path_) +
           ": not read: it is not among the dialect's sources, and nothing includes it; "
           "name it as a PATH to read it\n";
  }
  text_ = ReadSource(tree_.source(), path_).value_or("");
  for (const Registration& registration : registrations) AddRegistration(registration);
  AddIncomplete();
  if (!IsOnlyData(dialect_, path_)) {
    Statements();
    AddSuspiciousNames();
  }
  return Lines() + Summary();
}

}  // namespace

std::string ExplainFile(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect,
                        const Manifest& manifest, const std::string& path,
                        const std::vector<Registration>& registrations) {
  return Explainer(index, tree, dialect, manifest, path).Run(registrations);
}

}  // namespace opledger::scan
